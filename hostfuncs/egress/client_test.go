package egress_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
)

func TestGet(t *testing.T) {
	w := newWorld(t)
	w.serve(publicIP+":80", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("X-Seen", strings.Join([]string{r.Method, r.Host, r.RequestURI, r.UserAgent()}, " "))
		io.WriteString(rw, "hello")
	}))
	c := w.client(egress.Options{})
	res, body, err := get(t, c, "http://EXAMPLE.com:80/a?b=1 2#c")
	if err != nil || body != "hello" || res.Status != 200 {
		t.Fatalf("got %v %q %v", res, body, err)
	}
	if got, want := res.Header.Get("X-Seen"), "GET example.com /a?b=1%202 wasmtool"; got != want {
		t.Errorf("server saw %q, want %q", got, want)
	}
	if want := "http://example.com:80/a?b=1%202"; res.URL != want {
		t.Errorf("URL is %q, want %q", res.URL, want)
	}
}

func TestZeroOptionsPermitNothing(t *testing.T) {
	c := egress.New(egress.Options{})
	defer c.Close()
	_, _, err := get(t, c, "http://example.com/")
	wantKind(t, err, egress.KindURL)
	c = egress.New(egress.Options{Normalise: normalise})
	defer c.Close()
	_, _, err = get(t, c, "http://example.com/")
	wantKind(t, err, egress.KindDenied)
}

func TestDeniedIsNotResolved(t *testing.T) {
	w := newWorld(t)
	c := w.client(egress.Options{Permit: permitHosts("good.example")})
	_, _, err := get(t, c, "https://evil.example/path?q=1")
	e := wantKind(t, err, egress.KindDenied)
	if e.Sent || e.Origin != "https://evil.example" || e.Method != "GET" {
		t.Errorf("error is %+v", e)
	}
	if len(w.lookedUp()) != 0 || len(w.dialled()) != 0 {
		t.Errorf("resolved %v and dialled %v for a denied host", w.lookedUp(), w.dialled())
	}
}

func TestPermitSeesWhatIsSent(t *testing.T) {
	w := newWorld(t)
	var seen []string
	w.serve(publicIP+":8080", text("ok"))
	c := w.client(egress.Options{Permit: func(method string, u *url.URL) (egress.Decision, bool) {
		seen = append(seen, method+" "+u.String())
		u.Host = "elsewhere.example" // changes to the argument must not change what is dialled
		return egress.Decision{}, true
	}})
	res, err := c.Do(t.Context(), egress.Request{Method: "post", URL: "http://Example.com:8080/x?y=\"#z"})
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if want := []string{"POST http://example.com:8080/x?y=%22"}; !slices.Equal(seen, want) {
		t.Errorf("asked %q, want %q", seen, want)
	}
	if got := w.lookedUp(); !slices.Equal(got, []string{"example.com"}) {
		t.Errorf("looked up %q", got)
	}
}

func TestConnectionsAreNotShared(t *testing.T) {
	w := newWorld(t)
	w.serveTLS(publicIP+":443", text("ok"), "example.com")
	a, b := w.client(egress.Options{}), w.client(egress.Options{})
	for _, c := range []*egress.Client{a, a, b} {
		if _, _, err := get(t, c, "https://example.com/"); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(w.dialled()); n != 2 {
		t.Errorf("%d connections for two clients, want one each", n)
	}
}

func TestPrivateConnectionServesNoPublicRequest(t *testing.T) {
	w := newWorld(t)
	w.answer = func(string, int) []netip.Addr { return []netip.Addr{netip.MustParseAddr("10.0.0.1")} }
	w.serveTLS("10.0.0.1:443", text("intranet"), "example.com")
	c := w.client(egress.Options{Permit: func(_ string, u *url.URL) (egress.Decision, bool) {
		return egress.Decision{Private: u.Path == "/private"}, true
	}})
	if _, body, err := get(t, c, "https://example.com/private"); err != nil || body != "intranet" {
		t.Fatalf("got %q, %v", body, err)
	}
	_, _, err := get(t, c, "https://example.com/public")
	wantKind(t, err, egress.KindAddress)
}

func TestCookiesAreNotKept(t *testing.T) {
	w := newWorld(t)
	var cookies []string
	w.serve(publicIP+":80", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		cookies = append(cookies, r.Header.Get("Cookie"))
		rw.Header().Set("Set-Cookie", "session=1")
		if r.URL.Path == "/" {
			http.Redirect(rw, r, "/next", http.StatusFound)
		}
	}))
	c := w.client(egress.Options{})
	for range 2 {
		if _, _, err := get(t, c, "http://example.com/"); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Join(cookies, "") != "" {
		t.Errorf("cookies came back: %q", cookies)
	}
}

func TestProxiesOfTheEnvironmentAreIgnored(t *testing.T) {
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, "http://203.0.113.1:3128")
	}
	w := newWorld(t)
	w.serve(publicIP+":80", text("ok"))
	if _, _, err := get(t, w.client(egress.Options{}), "http://example.com/"); err != nil {
		t.Fatal(err)
	}
	if got := w.dialled(); !slices.Equal(got, []string{publicIP + ":80"}) {
		t.Errorf("dialled %q", got)
	}
}

func TestRequestCount(t *testing.T) {
	w := newWorld(t)
	var served atomic.Int32
	w.serve(publicIP+":80", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		served.Add(1)
		if r.URL.Path == "/redirect" {
			http.Redirect(rw, r, "/", http.StatusFound)
		}
	}))
	c := w.client(egress.Options{Transport: egress.Transport{Limits: egress.Limits{Requests: 3}}})
	for _, path := range []string{"/", "/redirect"} {
		if _, _, err := get(t, c, "http://example.com"+path); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err := get(t, c, "http://example.com/")
	if e := wantKind(t, err, egress.KindTooMany); e.Sent {
		t.Error("Sent is true for a request that was never made")
	}
	if served.Load() != 3 || len(c.Usage()) != 2 {
		t.Errorf("%d served, %d in usage; want 3 and 2", served.Load(), len(c.Usage()))
	}
}

func TestOpenCount(t *testing.T) {
	w := newWorld(t)
	w.serve(publicIP+":80", text("some text"))
	c := w.client(egress.Options{Transport: egress.Transport{Limits: egress.Limits{Open: 1}}})
	first, err := c.Do(t.Context(), egress.Request{URL: "http://example.com/"})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = get(t, c, "http://example.com/")
	wantKind(t, err, egress.KindTooMany)
	first.Body.Close()
	first.Body.Close()
	for range 2 { // get reads the body to its end, which ends the request as well
		if _, _, err = get(t, c, "http://example.com/"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestUsage(t *testing.T) {
	w := newWorld(t)
	w.serve(publicIP+":80", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		if r.URL.Path == "/start" {
			http.Redirect(rw, r, "http://other.example/end", http.StatusSeeOther)
			return
		}
		rw.WriteHeader(http.StatusTeapot)
		io.WriteString(rw, "0123456789")
	}))
	c := w.client(egress.Options{Permit: permitHosts("example.com", "other.example")})
	res, err := c.Do(t.Context(), egress.Request{Method: "POST", URL: "http://example.com/start?secret", Body: []byte("body")})
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, res.Body)
	_, _, err = get(t, c, "http://denied.example/")
	wantKind(t, err, egress.KindDenied)
	want := []egress.Usage{
		{
			Method: "POST", Status: http.StatusTeapot, BytesSent: 4, BytesReceived: 10,
			Hops: []egress.Hop{
				{Method: "POST", Origin: "http://example.com", Decision: egress.Decision{Rule: "net:example.com"}, Status: 303, Sent: true},
				{Method: "GET", Origin: "http://other.example", Decision: egress.Decision{ID: 1, Rule: "net:other.example"}, Status: 418, Sent: true},
			},
		},
		{Method: "GET", Failed: egress.KindDenied, Hops: []egress.Hop{{Method: "GET", Origin: "http://denied.example"}}},
	}
	for i, got := range c.Usage() {
		if !equalUsage(got, want[i]) {
			t.Errorf("usage %d is\n%+v, want\n%+v", i, got, want[i])
		}
	}
}

func equalUsage(a, b egress.Usage) bool {
	hops := slices.Equal(a.Hops, b.Hops)
	a.Hops, b.Hops = nil, nil
	return hops && a.Method == b.Method && a.Status == b.Status && a.BytesSent == b.BytesSent &&
		a.BytesReceived == b.BytesReceived && a.Failed == b.Failed
}

func TestClosedClient(t *testing.T) {
	w := newWorld(t)
	w.serve(publicIP+":80", text("ok"))
	c := w.client(egress.Options{})
	c.Close()
	c.Close()
	_, _, err := get(t, c, "http://example.com/")
	wantKind(t, err, egress.KindCancelled)
}

func TestCancelledBeforeTheRequest(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := w.client(egress.Options{}).Do(ctx, egress.Request{URL: "http://example.com/"})
	e := wantKind(t, err, egress.KindCancelled)
	if e.Sent || !errors.Is(err, context.Canceled) {
		t.Errorf("error is %+v", e)
	}
}
