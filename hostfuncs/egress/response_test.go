package egress_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
)

// gzipServer answers with compressed data and Content-Encoding: gzip.
func gzipServer(data []byte) http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Encoding", "gzip")
		rw.Write(data)
	}
}

func TestBodyLimit(t *testing.T) {
	for _, tc := range []struct {
		name string
		size int
		ok   bool
	}{{"empty", 0, true}, {"at the limit", 1000, true}, {"past the limit", 1001, false}, {"far past it", 1 << 20, false}} {
		plain := bytes.Repeat([]byte("x"), tc.size)
		for encoding, handler := range map[string]http.HandlerFunc{
			"plain": text(string(plain)), "gzip": gzipServer(gzipped(plain)),
			"chunked": func(rw http.ResponseWriter, _ *http.Request) {
				rw.(http.Flusher).Flush()
				rw.Write(plain)
			},
		} {
			for _, scrub := range []func() egress.Scrubber{nil, scrubbing("secret")} {
				t.Run(fmt.Sprint(tc.name, " ", encoding, " ", scrub != nil), func(t *testing.T) {
					w := newWorld(t)
					w.serve(publicIP+":80", handler)
					c := w.client(egress.Options{Transport: egress.Transport{Limits: egress.Limits{ResponseBytes: 1000}}, Scrub: scrub})
					res, body, err := get(t, c, "http://example.com/")
					if len(body) != min(tc.size, 1000) {
						t.Errorf("read %d bytes", len(body))
					}
					if tc.ok && err != nil {
						t.Error(err)
					}
					if !tc.ok {
						if e := wantKind(t, err, egress.KindTooLarge); !e.Sent {
							t.Error("Sent is false")
						}
					}
					if encoding == "gzip" && (res.Header.Get("Content-Encoding") != "" || res.Header.Get("Content-Length") != "") {
						t.Errorf("headers of the encoded body are left: %v", res.Header)
					}
					if u := c.Usage()[0]; u.BytesReceived != int64(min(tc.size, 1000)) {
						t.Errorf("usage is %+v", u)
					}
				})
			}
		}
	}
}

// TestGzipBomb reads a response that decompresses to 32 MiB.
func TestGzipBomb(t *testing.T) {
	var bomb bytes.Buffer
	zw := gzip.NewWriter(&bomb)
	for range 32 {
		zw.Write(make([]byte, 1<<20))
	}
	zw.Close()
	w := newWorld(t)
	w.serve(publicIP+":80", gzipServer(bomb.Bytes()))
	c := w.client(egress.Options{Transport: egress.Transport{Limits: egress.Limits{ResponseBytes: 1 << 20}}})
	res, err := c.Do(t.Context(), egress.Request{URL: "http://example.com/"})
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, res.Body)
	wantKind(t, err, egress.KindTooLarge)
	if n != 1<<20 {
		t.Errorf("read %d bytes, want the limit", n)
	}
	if _, again := res.Body.Read(make([]byte, 1)); again != err {
		t.Errorf("reading again gives %v", again)
	}
}

// TestEmptyGzipMembersAreLimited reads from a server that sends an endless series of empty gzip
// members.
func TestEmptyGzipMembersAreLimited(t *testing.T) {
	w := newWorld(t)
	member := bytes.Repeat(gzipped(nil), 100)
	w.serve(publicIP+":80", http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Encoding", "x-gzip")
		for {
			if _, err := rw.Write(member); err != nil {
				return
			}
		}
	}))
	_, _, err := get(t, w.client(egress.Options{Transport: egress.Transport{Limits: egress.Limits{ResponseBytes: 1000}}}), "http://example.com/")
	wantKind(t, err, egress.KindTooLarge)
}

func TestEncodings(t *testing.T) {
	for encoding, kind := range map[string]egress.Kind{
		"br": egress.KindProtocol, "zstd": egress.KindProtocol, "gzip, gzip": egress.KindProtocol, "deflate": egress.KindProtocol,
		"identity": "", "IDENTITY": "", " ": "",
	} {
		w := newWorld(t)
		w.serve(publicIP+":80", http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Encoding", encoding)
			io.WriteString(rw, "ok")
		}))
		_, body, err := get(t, w.client(egress.Options{}), "http://example.com/")
		if kind != "" {
			wantKind(t, err, kind)
		} else if err != nil || body != "ok" {
			t.Errorf("%q: got %q, %v", encoding, body, err)
		}
	}
}

func TestBrokenGzip(t *testing.T) {
	whole := gzipped([]byte(strings.Repeat("text", 1000)))
	for name, data := range map[string][]byte{"cut": whole[:len(whole)-9], "no gzip": []byte("plain text"), "rest": append(bytes.Clone(whole), "rest"...)} {
		w := newWorld(t)
		w.serve(publicIP+":80", gzipServer(data))
		_, _, err := get(t, w.client(egress.Options{}), "http://example.com/")
		if e := wantKind(t, err, egress.KindProtocol); !e.Sent {
			t.Errorf("%s: Sent is false", name)
		}
	}
}

func TestHeadAndRangeAreNotEncoded(t *testing.T) {
	w := newWorld(t)
	w.serve(publicIP+":80", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Accept-Encoding"); got != "identity" {
			t.Errorf("%s asks for %q", r.Method, got)
		}
		rw.Header().Set("Content-Encoding", "br")
		rw.Header().Set("Content-Length", "12345")
		rw.Header().Set("Content-Type", "text/plain")
		if r.Method != "HEAD" {
			rw.Header().Del("Content-Encoding")
			rw.Header().Set("Content-Length", "2")
			io.WriteString(rw, "ok")
		}
	}))
	c := w.client(egress.Options{})
	res, err := c.Do(t.Context(), egress.Request{Method: "HEAD", URL: "http://example.com/"})
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(res.Body); len(body) != 0 || err != nil || res.Header.Get("Content-Length") != "12345" || res.Header.Get("Content-Encoding") != "br" {
		t.Errorf("HEAD: got %q, %v, %v", body, err, res.Header)
	}
	res, err = c.Do(t.Context(), egress.Request{URL: "http://example.com/", Header: http.Header{"range": {"bytes=0-1"}}})
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(res.Body); string(body) != "ok" || err != nil {
		t.Errorf("range: got %q, %v", body, err)
	}
}

func TestServersThatBreakOff(t *testing.T) {
	for name, answer := range map[string]string{
		"nothing":            "",
		"half a header":      "HTTP/1.1 200 OK\r\nContent-Le",
		"half a body":        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello",
		"half a chunk":       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\nhello",
		"bad chunk":          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello",
		"two lengths":        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nhello",
		"negative length":    "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nhello",
		"other protocol":     "220 smtp.example ESMTP\r\n",
		"bad header":         "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
		"bad status":         "HTTP/1.1 0 OK\r\n\r\n",
		"status below":       "HTTP/1.1 000 OK\r\nContent-Length: 0\r\n\r\n",
		"switched protocols": "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: evil\r\n\r\nevil",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.serveRaw(publicIP+":80", func(conn net.Conn) {
				readRequest(conn)
				io.WriteString(conn, answer)
			})
			c := w.client(egress.Options{})
			// Use a method that net/http does not retry by itself.
			res, err := c.Do(t.Context(), egress.Request{Method: "POST", URL: "http://example.com/", Body: []byte("x")})
			if err == nil {
				_, err = io.ReadAll(res.Body)
			}
			if e := wantKind(t, err, egress.KindProtocol); !e.Sent {
				t.Error("Sent is false")
			}
			if n := len(w.dialled()); n != 1 {
				t.Errorf("tried %d times", n)
			}
		})
	}
}

// TestHeaderFlood reads endless headers and endless interim responses.
func TestHeaderFlood(t *testing.T) {
	for name, answer := range map[string]string{
		"many headers": "HTTP/1.1 200 OK\r\n" + strings.Repeat("X-A: b\r\n", 100_000),
		"short ones":   "HTTP/1.1 200 OK\r\n" + strings.Repeat("a:\r\n", 257) + "\r\n",
		"12,000":       "HTTP/1.1 200 OK\r\n" + strings.Repeat("a:\r\n", 12_000) + "\r\n",
		"redirect":     "HTTP/1.1 302 Found\r\nLocation: /b\r\n" + strings.Repeat("a:\r\n", 256) + "\r\n",
		"one header":   "HTTP/1.1 200 OK\r\nX-A: " + strings.Repeat("b", 1_000_000),
		"1xx storm":    strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 100_000),
		"100 storm":    strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 100_000),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.serveRaw(publicIP+":80", func(conn net.Conn) {
				readRequest(conn)
				io.WriteString(conn, answer)
				io.Copy(io.Discard, conn) // until the client disconnects
			})
			_, _, err := get(t, w.client(egress.Options{}), "http://example.com/")
			wantKind(t, err, egress.KindTooLarge)
		})
	}
}

func TestMaximumNumberOfHeadersIsAccepted(t *testing.T) {
	w := newWorld(t)
	w.serveRaw(publicIP+":80", func(conn net.Conn) {
		readRequest(conn)
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"+strings.Repeat("a:b\r\n", 255)+"\r\nok")
	})
	made := 0
	c := w.client(egress.Options{Scrub: func() egress.Scrubber { made++; return &scrubber{secret: "b"} }})
	res, body, err := get(t, c, "http://example.com/")
	if err != nil || body != "ok" || len(res.Header["A"]) != 255 || res.Header["A"][254] != hidden {
		t.Errorf("got %v, %q, %v", res, body, err)
	}
	if made > 3 { // one for the body, one for the URL, and one for all headers together
		t.Errorf("%d scrubbers were made", made)
	}
}

// TestNothingIsReadAfterTheCall checks that received compressed data is not decompressed after the
// call has ended.
func TestNothingIsReadAfterTheCall(t *testing.T) {
	for name, scrub := range map[string]func() egress.Scrubber{"as it is": nil, "scrubbed": scrubbing("secret")} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.serve(publicIP+":80", http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
				rw.Header().Set("Content-Type", "text/plain")
				rw.Header().Set("Content-Encoding", "gzip")
				zip := gzip.NewWriter(rw)
				_, _ = zip.Write(make([]byte, 4<<20)) // 4 KB on the wire
				_ = zip.Close()
			}))
			ctx, cancel := context.WithCancel(t.Context())
			res, err := w.client(egress.Options{Scrub: scrub}).Do(ctx, egress.Request{URL: "http://example.com/"})
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			piece := make([]byte, 32<<10)
			if _, err := io.ReadFull(res.Body, piece); err != nil {
				t.Fatal(err)
			}
			cancel()
			left, err := io.Copy(io.Discard, res.Body)
			if wantKind(t, err, egress.KindCancelled); left > int64(len(piece)) {
				t.Errorf("%d bytes were read after the call", left)
			}
		})
	}
}

func TestSomeInterimResponsesAreAccepted(t *testing.T) {
	w := newWorld(t)
	w.serve(publicIP+":80", http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		for range 3 {
			rw.WriteHeader(http.StatusEarlyHints)
		}
		io.WriteString(rw, "ok")
	}))
	if res, body, err := get(t, w.client(egress.Options{}), "http://example.com/"); err != nil || body != "ok" || res.Status != 200 {
		t.Errorf("got %v, %q, %v", res, body, err)
	}
}

// readRequest reads one request with a short body.
func readRequest(conn net.Conn) {
	var got []byte
	buf := make([]byte, 4096)
	for !bytes.Contains(got, []byte("\r\n\r\n")) {
		n, err := conn.Read(buf)
		if err != nil {
			return
		}
		got = append(got, buf[:n]...)
	}
}
