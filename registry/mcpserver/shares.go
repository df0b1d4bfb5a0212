package mcpserver

import (
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"sync"
)

// tally counts what each user has. Users that have nothing take no room in it.
type tally map[string]int64

func (t tally) add(user string, n int64) {
	if t[user] += n; t[user] == 0 {
		delete(t, user)
	}
}

// connections counts those of each user, whether a request is on its way on them or not, so
// that nobody has so many that others wait. One that a proxy uses for several users is that of
// the last. It is safe for concurrent use.
type connections struct {
	mostOfUser int64

	mu    sync.Mutex
	whose map[net.Conn]string
	users tally
}

func newConnections(mostOfUser int64) *connections {
	return &connections{mostOfUser: mostOfUser, whose: make(map[net.Conn]string), users: make(tally)}
}

// connectionKey is that of a request's connection in its context.
type connectionKey struct{}

// enter and state are what package http tells of connections.
func (c *connections) enter(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, conn)
}

func (c *connections) state(conn net.Conn, state http.ConnState) {
	if state == http.StateClosed || state == http.StateHijacked {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.leave(conn)
	}
}

// leave takes a connection from its user. c.mu is held.
func (c *connections) leave(conn net.Conn) {
	if user, taken := c.whose[conn]; taken {
		delete(c.whose, conn)
		c.users.add(user, -1)
	}
}

// take makes the connection of a request that of a user, and reports whether the user may have
// one more.
func (c *connections) take(ctx context.Context, user string) bool {
	conn, ok := ctx.Value(connectionKey{}).(net.Conn)
	if !ok { // there is none, as in tests
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if of, taken := c.whose[conn]; taken && of == user {
		return true
	}
	if c.users[user] >= c.mostOfUser {
		return false
	}
	c.leave(conn)
	c.whose[conn] = user
	c.users.add(user, 1)
	return true
}

// handshakes keeps count of sessions and of those that are being opened, so that there are
// not too many of all clients nor of one user. It is safe for concurrent use; its maps are
// empty at first.
type handshakes struct {
	server           *Server
	most, mostOfUser int64

	mu      sync.Mutex
	opening tally
	users   map[string]string // of sessions, by ID; some may be gone
}

// begin reports whether a user may open one more session, and counts it until end is called.
func (h *handshakes) begin(user string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	live := make(map[string]bool)
	all, own := int64(0), h.opening[user]
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
	h.opening.add(user, 1)
	return true
}

// end notes the session that came of it; id is empty when there is none.
func (h *handshakes) end(user, id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.opening.add(user, -1)
	if id != "" {
		h.users[id] = user
	}
}

// errBodiesFull is the error of a body for which there is no room beside the others.
var errBodiesFull = errors.New("too much is on its way")

// bodies counts what requests have sent that are not answered yet: each is bounded, and
// many connections may bring one each. What has not arrived takes no room, so that who
// sends slowly keeps nobody out. Its map is empty at first.
type bodies struct {
	most, mostOfUser int64

	mu    sync.Mutex
	bytes int64
	users tally
}

// add takes room for a user, or gives it back, and reports whether there is as much.
func (b *bodies) add(user string, n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bytes += n
	b.users.add(user, n)
	return b.bytes <= b.most && b.users[user] <= b.mostOfUser
}

// countedBody is a body that is read.
type countedBody struct {
	io.Reader
	all  *bodies
	user string
	read int64
}

func (c *countedBody) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.read += int64(n)
	if !c.all.add(c.user, int64(n)) {
		return n, errBodiesFull
	}
	return n, err
}

// leave gives the room back.
func (c *countedBody) leave() {
	c.all.add(c.user, -c.read)
	c.read = 0
}
