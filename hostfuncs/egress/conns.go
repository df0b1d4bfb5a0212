package egress

import (
	"net"
	"sync"
)

// connSet knows every open connection of a Client, so that closing the Client ends
// them whatever they are being used for. It is safe for concurrent use.
type connSet struct {
	mu     sync.Mutex
	closed bool
	conns  map[*trackedConn]struct{}
}

// add takes conn over. After close it closes conn and returns nil.
func (s *connSet) add(conn net.Conn) net.Conn {
	t := &trackedConn{Conn: conn, set: s}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = conn.Close() // nothing was sent on it
		return nil
	}
	if s.conns == nil {
		s.conns = map[*trackedConn]struct{}{}
	}
	s.conns[t] = struct{}{}
	return t
}

// close closes all connections, and those that are added later.
func (s *connSet) close() {
	s.mu.Lock()
	conns := s.conns
	s.closed, s.conns = true, nil
	s.mu.Unlock()
	for c := range conns {
		_ = c.Conn.Close() // there is nobody left to tell
	}
}

// trackedConn is a connection that leaves its set when it is closed.
type trackedConn struct {
	net.Conn
	set *connSet
}

// Close closes the connection.
func (c *trackedConn) Close() error {
	c.set.mu.Lock()
	delete(c.set.conns, c)
	c.set.mu.Unlock()
	return c.Conn.Close()
}
