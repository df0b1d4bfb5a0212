package egress_test

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
)

func TestHTTP2(t *testing.T) {
	w := newWorld(t)
	w.serveTLS(publicIP+":443", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		rw.Header().Set("Content-Encoding", "gzip")
		rw.Write(gzipped([]byte(r.Proto + " " + r.Host + " " + string(body))))
	}), "example.com")
	c := w.client(egress.Options{})
	for range 2 {
		res, err := c.Do(t.Context(), egress.Request{Method: "POST", URL: "https://example.com:443/", Body: []byte("sent")})
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(res.Body); err != nil || string(body) != "HTTP/2.0 example.com sent" {
			t.Errorf("got %q, %v", body, err)
		}
	}
	if n := len(w.dialled()); n != 1 {
		t.Errorf("%d connections, want one", n)
	}
	if u := c.Usage()[0]; !u.Hops[0].Sent || u.BytesSent != 4 {
		t.Errorf("usage is %+v", u)
	}
}

func TestHTTP2Floods(t *testing.T) {
	headers := func(n int) http.HandlerFunc {
		return func(rw http.ResponseWriter, _ *http.Request) {
			for range n {
				rw.Header().Add("X-Flood", "value")
			}
		}
	}
	for name, handler := range map[string]http.HandlerFunc{
		"headers":      headers(2000), // 44 bytes each, as HTTP/2 counts them
		"more headers": headers(30_000),
		"1xx": func(rw http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				rw.Header().Set("Link", strings.Repeat("x", 100))
				rw.WriteHeader(http.StatusEarlyHints)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.serveTLS(publicIP+":443", handler, "example.com")
			_, _, err := get(t, w.client(egress.Options{}), "https://example.com/")
			if name == "more headers" {
				wantKind(t, err, egress.KindProtocol)
			} else {
				wantKind(t, err, egress.KindTooLarge)
			}
		})
	}
}

func TestTLSFailures(t *testing.T) {
	good, roots := newCert(t, time.Now().Add(time.Hour), "example.com")
	stranger, _ := newCert(t, time.Now().Add(time.Hour), "example.com")
	expired, expiredRoots := newCert(t, time.Now().Add(-time.Hour), "example.com")
	for _, tc := range []struct {
		name   string
		host   string
		config *tls.Config // nil means a server without TLS
		text   string
	}{
		{"unknown authority", "example.com", &tls.Config{Certificates: []tls.Certificate{stranger}}, "not trusted"},
		{"other host", "other.example", &tls.Config{Certificates: []tls.Certificate{good}}, "another host"},
		{"expired", "example.com", &tls.Config{Certificates: []tls.Certificate{expired}}, "expired"},
		{"old version", "example.com", &tls.Config{Certificates: []tls.Certificate{good}, MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}, "TLS 1.2"},
		{"asks for a certificate", "example.com", &tls.Config{Certificates: []tls.Certificate{good}, ClientAuth: tls.RequireAnyClientCert}, "handshake"},
		{"no TLS", "example.com", nil, "handshake"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			w.roots = roots
			if tc.name == "expired" {
				w.roots = expiredRoots
			}
			requests := 0
			// Use a socket instead of a pipe: when a handshake fails, both sides write and neither
			// reads.
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			w.sockets = map[string]string{publicIP + ":443": l.Addr().String()}
			if tc.config != nil {
				l = tls.NewListener(l, tc.config)
			}
			s := &http.Server{ErrorLog: log.New(io.Discard, "", 0), Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests++ })}
			go s.Serve(l)
			defer s.Close()
			_, _, err = get(t, w.client(egress.Options{}), "https://"+tc.host+"/?canary")
			wantKind(t, err, egress.KindTLS)
			if !strings.Contains(err.Error(), tc.text) || strings.Contains(err.Error(), "canary") {
				t.Errorf("error is %q, want one with %q", err, tc.text)
			}
			if requests != 0 {
				t.Error("the request was served")
			}
		})
	}
}
