package egress

import (
	"net"
	"sync"
)

// connSet tracks all open connections of a Client. Closing the Client therefore also closes
// connections that are in use. It is safe for concurrent use.
type connSet struct {
	mu     sync.Mutex
	closed bool
	conns  map[*trackedConn]struct{}
}

// add takes ownership of conn and returns the tracked connection. If the set is already closed, add
// closes conn and returns nil.
func (s *connSet) add(conn net.Conn) net.Conn {
	t := &trackedConn{Conn: conn, set: s}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = conn.Close() // nothing was sent on this connection
		return nil
	}
	if s.conns == nil {
		s.conns = map[*trackedConn]struct{}{}
	}
	s.conns[t] = struct{}{}
	return t
}

// close closes all connections, including those added later.
func (s *connSet) close() {
	s.mu.Lock()
	conns := s.conns
	s.closed, s.conns = true, nil
	s.mu.Unlock()
	for c := range conns {
		_ = c.Conn.Close() // the call has ended, so no caller can use the error
	}
}

// trackedConn removes itself from its set when it is closed.
type trackedConn struct {
	net.Conn
	set *connSet
}

// Close closes the connection and removes it from the set.
func (c *trackedConn) Close() error {
	c.set.mu.Lock()
	delete(c.set.conns, c)
	c.set.mu.Unlock()
	return c.Conn.Close()
}

// patientConn is an HTTP/1 connection whose reads wait until a request has been written. net/http
// prints unsolicited data of a server to the log of the process, and that data could be a secret
// that the server received earlier. For the same reason HTTP/1 connections are not reused (see
// newTransport), so data after a response is not read.
type patientConn struct {
	net.Conn
	written chan struct{}
	once    sync.Once
}

func newPatientConn(conn net.Conn) *patientConn {
	return &patientConn{Conn: conn, written: make(chan struct{})}
}

// Read waits for the first Write, or for Close.
func (c *patientConn) Read(p []byte) (int, error) {
	<-c.written
	return c.Conn.Read(p)
}

// Write allows reads to begin, then writes.
func (c *patientConn) Write(p []byte) (int, error) {
	c.release()
	return c.Conn.Write(p)
}

// Close closes the connection and makes a waiting Read return.
func (c *patientConn) Close() error {
	err := c.Conn.Close()
	c.release()
	return err
}

func (c *patientConn) release() { c.once.Do(func() { close(c.written) }) }
