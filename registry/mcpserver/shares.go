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

// tally has a count for each user. It has no entries for users with a count of 0.
type tally map[string]int64

func (t tally) add(user string, n int64) {
	if t[user] += n; t[user] == 0 {
		delete(t, user)
	}
}

// connections limits the open connections of each user, with or without a request in flight, so
// that one user cannot occupy all of them. A connection that a proxy uses for several users counts
// for the user of the last request. It is safe for concurrent use.
type connections struct {
	userLimit int64

	mu     sync.Mutex
	owners map[net.Conn]string
	users  tally
}

func newConnections(userLimit int64) *connections {
	return &connections{userLimit: userLimit, owners: make(map[net.Conn]string), users: make(tally)}
}

// connectionKey is the key of the connection in the context of a request.
type connectionKey struct{}

// enter is the ConnContext of the http.Server.
func (c *connections) enter(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, conn)
}

// state is the ConnState of the http.Server.
func (c *connections) state(conn net.Conn, state http.ConnState) {
	if state == http.StateClosed || state == http.StateHijacked {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.leave(conn)
	}
}

// leave stops counting a connection for its user. c.mu is held.
func (c *connections) leave(conn net.Conn) {
	if user, taken := c.owners[conn]; taken {
		delete(c.owners, conn)
		c.users.add(user, -1)
	}
}

// take counts the connection of a request for its user. It returns false if the user has too many.
func (c *connections) take(ctx context.Context, user string) bool {
	conn, ok := ctx.Value(connectionKey{}).(net.Conn)
	if !ok { // only in tests without a connection
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if owner, taken := c.owners[conn]; taken && owner == user {
		return true
	}
	if c.users[user] >= c.userLimit {
		return false
	}
	c.leave(conn)
	c.owners[conn] = user
	c.users.add(user, 1)
	return true
}

// handshakes limits the sessions of all clients and of one user, including sessions that are
// being opened. It is safe for concurrent use. Its maps must not be nil.
type handshakes struct {
	server           *Server
	limit, userLimit int64

	mu      sync.Mutex
	opening tally
	users   map[string]string // by session ID; some sessions may have ended
}

// begin counts a session that a user is opening, until end is called. It returns false if there
// are too many.
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
	if all >= h.limit || own >= h.userLimit {
		return false
	}
	h.opening.add(user, 1)
	return true
}

// end records the opened session; id is empty if none was opened.
func (h *handshakes) end(user, id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.opening.add(user, -1)
	if id != "" {
		h.users[id] = user
	}
}

// errBodiesFull is the error of a body that exceeds the limit of all bodies.
var errBodiesFull = errors.New("too many bytes in flight")

// bodies limits the bytes of all requests in flight, because many connections may each send a body
// of the maximum size. Bytes that have not arrived do not count, so a slow sender does not block
// others. users must not be nil.
type bodies struct {
	limit, userLimit int64

	mu    sync.Mutex
	bytes int64
	users tally
}

// add adds n bytes to the count of a user; n may be negative. It returns false above a limit.
func (b *bodies) add(user string, n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bytes += n
	b.users.add(user, n)
	return b.bytes <= b.limit && b.users[user] <= b.userLimit
}

// countedBody counts the bytes of a body while it is read.
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

// release stops counting the body.
func (c *countedBody) release() {
	c.all.add(c.user, -c.read)
	c.read = 0
}
