package mcpserver

import (
	"maps"
	"sync"
)

// handshakes keeps count of sessions and of those that are being opened, so that there are
// not too many of all clients nor of one user. It is safe for concurrent use.
type handshakes struct {
	server           *Server
	most, mostOfUser int

	mu      sync.Mutex
	opening map[string]int    // by user
	users   map[string]string // of sessions, by ID; some may be gone
}

// begin reports whether a user may open one more session, and counts it until end is called.
func (h *handshakes) begin(user string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	live := make(map[string]bool)
	all, own := 0, h.opening[user]
	for id := range h.server.sessionIDs() {
		live[id] = true
		if all++; h.users[id] == user {
			own++
		}
	}
	maps.DeleteFunc(h.users, func(id, _ string) bool { return !live[id] })
	for _, n := range h.opening {
		all += n
	}
	if all >= h.most || own >= h.mostOfUser {
		return false
	}
	if h.opening == nil {
		h.opening, h.users = make(map[string]int), make(map[string]string)
	}
	h.opening[user]++
	return true
}

// end notes the session that came of it; id is empty when there is none.
func (h *handshakes) end(user, id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.opening[user]--; h.opening[user] == 0 {
		delete(h.opening, user)
	}
	if id != "" {
		h.users[id] = user
	}
}
