package egress_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
)

func TestRefusedRequests(t *testing.T) {
	many := http.Header{}
	for i := range 129 {
		many.Add("X-Many", strings.Repeat("x", i%3))
	}
	with := func(name, value string) egress.Request { return egress.Request{Header: http.Header{name: {value}}} }
	for _, tc := range []struct {
		name string
		r    egress.Request
		kind egress.Kind
		text string // part of the error
	}{
		{"host", with("Host", "evil.example"), egress.KindHeader, "Host"},
		{"lower case host", with("host", "example.com"), egress.KindHeader, "Host"},
		{"transfer encoding", with("Transfer-Encoding", "chunked"), egress.KindHeader, "Transfer-Encoding"},
		{"content length", with("CONTENT-LENGTH", "0"), egress.KindHeader, "Content-Length"},
		{"connection", with("Connection", "close"), egress.KindHeader, "Connection"},
		{"keep alive", with("Keep-Alive", "timeout=5"), egress.KindHeader, "Keep-Alive"},
		{"te", with("TE", "trailers"), egress.KindHeader, "Te"},
		{"trailer", with("Trailer", "X"), egress.KindHeader, "Trailer"},
		{"upgrade", with("Upgrade", "websocket"), egress.KindHeader, "Upgrade"},
		{"h2c", with("HTTP2-Settings", "x"), egress.KindHeader, "Http2-Settings"},
		{"expect", with("Expect", "100-continue"), egress.KindHeader, "Expect"},
		{"proxy", with("Proxy-Authorization", "Basic x"), egress.KindHeader, "Proxy-Authorization"},
		{"any proxy", with("proxy-anything", "x"), egress.KindHeader, "Proxy-Anything"},
		{"method override", with("X-HTTP-Method-Override", "DELETE"), egress.KindHeader, "X-Http-Method-Override"},
		{"line break in a value", with("X-A", "a\r\nHost: evil.example"), egress.KindHeader, "X-A"},
		{"NUL in a value", with("X-A", "a\x00"), egress.KindHeader, "X-A"},
		{"line break in a name", with("X-A\r\nX-B", "a"), egress.KindHeader, "name"},
		{"space in a name", with("X A", "a"), egress.KindHeader, "name"},
		{"colon in a name", with(":authority", "a"), egress.KindHeader, "name"},
		{"empty name", with("", "a"), egress.KindHeader, "name"},
		{"non-ASCII name", with("X-\u00c4", "a"), egress.KindHeader, "name"},
		{"too many", egress.Request{Header: many}, egress.KindTooLarge, "128"},
		{"too large", with("X-A", strings.Repeat("a", 1000)), egress.KindTooLarge, "1000 bytes"},
		{"method with a space", egress.Request{Method: "GET /x HTTP/1.1\r\nX:"}, egress.KindHeader, "method"},
		{"long method", egress.Request{Method: strings.Repeat("A", 33)}, egress.KindHeader, "method"},
		{"connect", egress.Request{Method: "connect"}, egress.KindHeader, "CONNECT"},
		{"trace", egress.Request{Method: "TRACE"}, egress.KindHeader, "TRACE"},
		{"body", egress.Request{Method: "POST", Body: make([]byte, 101)}, egress.KindTooLarge, "100 bytes"},
		{"URL", egress.Request{URL: "http://example.com/" + strings.Repeat("a", 500)}, egress.KindTooLarge, "500 bytes"},
		{"URL that grows", egress.Request{URL: "http://example.com/?" + strings.Repeat(" ", 300)}, egress.KindTooLarge, "500 bytes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			if tc.r.URL == "" {
				tc.r.URL = "http://example.com/"
			}
			c := w.client(egress.Options{Transport: egress.Transport{Limits: egress.Limits{HeaderBytes: 1000, RequestBytes: 100, URLBytes: 500}}})
			_, err := c.Do(t.Context(), tc.r)
			e := wantKind(t, err, tc.kind)
			if e.Sent || !strings.Contains(err.Error(), tc.text) || strings.ContainsAny(err.Error(), "\r\n\x00") {
				t.Errorf("error is %q, sent %v; want one about %q", err, e.Sent, tc.text)
			}
			if len(w.dialled()) != 0 {
				t.Error("dialled anyway")
			}
			if u := c.Usage(); len(u) != 1 || u[0].Failed != tc.kind {
				t.Errorf("usage is %+v", u)
			}
		})
	}
}

func TestAllowedHeaders(t *testing.T) {
	w := newWorld(t)
	var got http.Header
	w.serve(publicIP+":80", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header }))
	c := w.client(egress.Options{Transport: egress.Transport{UserAgent: "wasmtool/1"}})
	res, err := c.Do(t.Context(), egress.Request{Method: "post", URL: "http://example.com/", Body: []byte("x"), Header: http.Header{
		"content-type": {"text/x"}, "X-Two": {"1", "2"}, "Cookie": {"a=b"}, "Accept-Encoding": {"br"}, "X-Proxy-Mode": {"y"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	for name, want := range map[string]string{
		"Content-Type": "text/x", "X-Two": "1 2", "Cookie": "a=b", "Accept-Encoding": "gzip", "X-Proxy-Mode": "y",
		"Content-Length": "1", "User-Agent": "wasmtool/1", "Referer": "",
	} {
		if v := strings.Join(got[name], " "); v != want {
			t.Errorf("%s is %q, want %q", name, v, want)
		}
	}
}
