package egress

import (
	"net"
	"sync"
)

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
