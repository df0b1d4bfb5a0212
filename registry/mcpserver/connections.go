package mcpserver

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// connections counts those of each user, whether a request is on its way on them or not, so
// that nobody has so many that others wait. One that a proxy uses for several users is that of
// the last. It is safe for concurrent use.
type connections struct {
	mostOfUser int

	mu    sync.Mutex
	whose map[net.Conn]string
	users map[string]int
}

func newConnections(mostOfUser int) *connections {
	return &connections{mostOfUser: mostOfUser, whose: make(map[net.Conn]string), users: make(map[string]int)}
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
	user, taken := c.whose[conn]
	if !taken {
		return
	}
	delete(c.whose, conn)
	if c.users[user]--; c.users[user] == 0 {
		delete(c.users, user)
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
	c.users[user]++
	return true
}
