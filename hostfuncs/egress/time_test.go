package egress_test

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
)

// slowly sends text one byte a second, as long as the client is connected.
func slowly(text string) func(net.Conn, <-chan struct{}) {
	return func(conn net.Conn, over <-chan struct{}) {
		go io.Copy(io.Discard, conn)
		for i := 0; ; i++ {
			b := byte('x')
			if i < len(text) {
				b = text[i]
			}
			if _, err := conn.Write([]byte{b}); err != nil {
				return
			}
			select {
			case <-time.After(time.Second):
			case <-over:
				return
			}
		}
	}
}

// hanging lists servers that keep a client waiting, each at a different stage, until the client
// disconnects or the test ends.
var hanging = map[string]func(conn net.Conn, over <-chan struct{}){
	"accepts and is silent":      func(conn net.Conn, _ <-chan struct{}) { io.Copy(io.Discard, conn) },
	"reads nothing":              func(_ net.Conn, over <-chan struct{}) { <-over },
	"slow header":                slowly("HTTP/1.1 200 OK\r\nX-Long: "),
	"slow body":                  slowly("HTTP/1.1 200 OK\r\n\r\n"),
	"slow text through scrubber": slowly("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"),
	"slow gzip":                  slowly("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + string(gzipped([]byte(rand.Text()+rand.Text()+rand.Text()+rand.Text()+rand.Text())))),
	"slow redirect":              slowly("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 4000\r\n\r\n"),
	"slow interim":               slowly("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n"),
}

// hang makes a request to a hanging server and reads the response.
func hang(t *testing.T, ctx context.Context, c *egress.Client) error {
	t.Helper()
	res, err := c.Do(ctx, egress.Request{Method: "POST", Body: []byte("x"), URL: "http://example.com/"})
	if err == nil {
		defer res.Body.Close()
		_, err = io.Copy(io.Discard, res.Body)
	}
	return err
}

// eachHanging runs f against every hanging server in a bubble, which also checks that no goroutine
// is left. f gets a client with a time limit of one minute.
func eachHanging(t *testing.T, f func(t *testing.T, c *egress.Client)) {
	for name, server := range hanging {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				over := make(chan struct{})
				w := newWorld(t)
				w.serveRaw(publicIP+":80", func(conn net.Conn) { server(conn, over) })
				c := w.client(egress.Options{Scrub: scrubbing("secret")})
				defer close(over)
				defer c.Close()
				f(t, c)
			})
		})
	}
}

func TestTimeLimit(t *testing.T) {
	eachHanging(t, func(t *testing.T, c *egress.Client) {
		start := time.Now()
		err := hang(t, t.Context(), c)
		e := wantKind(t, err, egress.KindTimeout)
		if !e.Sent || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error is %+v", e)
		}
		// measured with the fake clock of the bubble
		if took := time.Since(start); took != time.Minute {
			t.Errorf("took %v", took)
		}
	})
}

func TestDeadlineOfTheCall(t *testing.T) {
	eachHanging(t, func(t *testing.T, c *egress.Client) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		err := hang(t, ctx, c)
		wantKind(t, err, egress.KindTimeout)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v is not context.DeadlineExceeded", err)
		}
	})
}

func TestCancel(t *testing.T) {
	eachHanging(t, func(t *testing.T, c *egress.Client) {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(5*time.Second, func() { cancel(errors.New("the cause is the caller's own")) })
		err := hang(t, ctx, c)
		wantKind(t, err, egress.KindCancelled)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v is not context.Canceled", err)
		}
	})
}

func TestCloseEndsEverything(t *testing.T) {
	eachHanging(t, func(t *testing.T, c *egress.Client) {
		time.AfterFunc(5*time.Second, c.Close)
		wantKind(t, hang(t, t.Context(), c), egress.KindCancelled)
		if u := c.Usage(); u[0].Failed != egress.KindCancelled {
			t.Errorf("usage is %+v", u)
		}
	})
}

// TestCloseWithBodiesLeftOpen leaves responses unread. The bubble detects leftover goroutines.
func TestCloseWithBodiesLeftOpen(t *testing.T) {
	for _, scheme := range []string{"http", "https"} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			endless := http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
				for {
					if _, err := rw.Write(make([]byte, 1000)); err != nil {
						return
					}
				}
			})
			w.serve(publicIP+":80", endless)
			w.serveTLS(publicIP+":443", endless, "example.com")
			c := w.client(egress.Options{})
			var bodies []io.Reader
			for range 3 {
				res, err := c.Do(t.Context(), egress.Request{URL: scheme + "://example.com/"})
				if err != nil {
					t.Fatal(err)
				}
				bodies = append(bodies, res.Body)
			}
			c.Close()
			for _, b := range bodies {
				_, err := io.Copy(io.Discard, b)
				wantKind(t, err, egress.KindCancelled)
			}
		})
	}
}

// TestCloseOfABodyEndsItsRead closes a body while another goroutine waits in Read.
func TestCloseOfABodyEndsItsRead(t *testing.T) {
	for _, encoding := range []string{"identity", "gzip"} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.serve(publicIP+":80", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				rw.Header().Set("Content-Encoding", encoding)
				rw.(http.Flusher).Flush()
				<-r.Context().Done()
			}))
			c := w.client(egress.Options{})
			res, err := c.Do(t.Context(), egress.Request{URL: "http://example.com/"})
			if err != nil {
				t.Fatal(err)
			}
			read := make(chan error)
			go func() {
				_, err := res.Body.Read(make([]byte, 10))
				read <- err
			}()
			synctest.Wait()
			res.Body.Close()
			wantKind(t, <-read, egress.KindCancelled)
			_, err = res.Body.Read(make([]byte, 10))
			wantKind(t, err, egress.KindCancelled)
		})
	}
}

// TestTimeLimitCoversLookUpAndSecrets delays the steps before the request.
func TestTimeLimitCoversLookUpAndSecrets(t *testing.T) {
	wait := func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}
	for name, change := range map[string]func(o *egress.Options, over <-chan struct{}){
		"look-up": func(o *egress.Options, _ <-chan struct{}) {
			o.LookupNetIP = func(ctx context.Context, _, _ string) ([]netip.Addr, error) { return nil, wait(ctx) }
		},
		"secrets": func(o *egress.Options, _ <-chan struct{}) {
			o.Secrets = func(ctx context.Context, _ egress.Decision) ([]egress.Injection, error) { return nil, wait(ctx) }
		},
		"dial that ignores its context": func(o *egress.Options, over <-chan struct{}) {
			o.LookupNetIP = newWorld(t).lookup
			o.Dial = func(context.Context, string, string) (net.Conn, error) {
				<-over
				return nil, net.ErrClosed
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := egress.Options{Normalise: normalise, Permit: permitAll}
				over := make(chan struct{})
				defer close(over)
				change(&o, over)
				c := egress.New(o)
				defer c.Close()
				_, _, err := get(t, c, "http://example.com/")
				if e := wantKind(t, err, egress.KindTimeout); e.Sent {
					t.Error("Sent is true")
				}
			})
		})
	}
}
