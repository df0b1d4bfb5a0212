package egress

import (
	"io"
	"net"
	"testing"
	"testing/synctest"
)

// TestPatientConn connects to a server that sends data before it receives a request.
func TestPatientConn(t *testing.T) {
	for name, release := range map[string]func(net.Conn){
		"write": func(c net.Conn) { c.Write([]byte("x")) },
		"close": func(c net.Conn) { c.Close() },
	} {
		synctest.Test(t, func(t *testing.T) {
			client, server := net.Pipe()
			defer server.Close()
			go io.WriteString(server, "unasked")
			conn := newPatientConn(client)
			defer conn.Close()
			read := make(chan struct{})
			go func() {
				defer close(read)
				conn.Read(make([]byte, 10))
			}()
			synctest.Wait()
			select {
			case <-read:
				t.Errorf("%s: read before anything was written", name)
			default:
			}
			go release(conn)
			go io.Copy(io.Discard, server)
			<-read
		})
	}
}
