package egress_test

import (
	"bytes"
	"crypto/tls"
	"io"
	"log"
	"net"
	"os"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
)

// TestServersWriteNoLog connects to servers that send data before a request or after their
// response. net/http would print that data to the log.
func TestServersWriteNoLog(t *testing.T) {
	var printed bytes.Buffer
	log.SetOutput(&printed)
	defer log.SetOutput(os.Stderr)
	const answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
	cert, roots := newCert(t, time.Now().Add(time.Hour), "example.com")
	w := newWorld(t)
	w.roots = roots
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	w.sockets = map[string]string{publicIP + ":80": l.Addr().String(), publicIP + ":443": l.Addr().String()}
	for name, speak := range map[string]func(io.ReadWriter){
		"before": func(conn io.ReadWriter) {
			io.WriteString(conn, answer+canary)
			io.Copy(io.Discard, conn)
		},
		"after": func(conn io.ReadWriter) {
			conn.Read(make([]byte, 4096))
			io.WriteString(conn, answer+canary)
			io.WriteString(conn, canary)
			io.Copy(io.Discard, conn)
		},
	} {
		for _, scheme := range []string{"http", "https"} {
			served := make(chan struct{})
			go func() {
				defer close(served)
				conn, err := l.Accept()
				if err != nil {
					return
				}
				defer conn.Close()
				if scheme == "https" {
					conn = tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"http/1.1"}})
				}
				speak(conn)
			}()
			c := w.client(egress.Options{})
			if _, body, err := get(t, c, scheme+"://example.com/"); err != nil || body != "ok" {
				t.Errorf("%s %s: got %q, %v", scheme, name, body, err)
			}
			c.Close()
			<-served
			if printed.Len() > 0 {
				t.Errorf("%s %s: printed %q", scheme, name, printed.String())
			}
			printed.Reset()
		}
	}
}
