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

// patientConn is an HTTP/1 connection that is not read before a request is written.
// What a server says unasked net/http would print to the log of the process, and it
// could be a secret that the server was told before. For the same reason HTTP/1
// connections are not used again (see newTransport): what follows a response is not
// read.
type patientConn struct {
	net.Conn
	asked chan struct{}
	once  sync.Once
}

func newPatientConn(conn net.Conn) *patientConn {
	return &patientConn{Conn: conn, asked: make(chan struct{})}
}

// Read waits for the first Write, or for Close.
func (c *patientConn) Read(p []byte) (int, error) {
	<-c.asked
	return c.Conn.Read(p)
}

// Write lets reads begin.
func (c *patientConn) Write(p []byte) (int, error) {
	c.release()
	return c.Conn.Write(p)
}

// Close closes the connection and ends a read that waits.
func (c *patientConn) Close() error {
	err := c.Conn.Close()
	c.release()
	return err
}

func (c *patientConn) release() { c.once.Do(func() { close(c.asked) }) }
