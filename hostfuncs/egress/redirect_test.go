package egress_test

import (
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
)

// TestRedirectMethods checks the rules of RFC 9110 for redirects within one origin.
func TestRedirectMethods(t *testing.T) {
	for _, tc := range []struct {
		method string
		status int
		want   string
	}{
		{"GET", 301, "GET "},
		{"GET", 302, "GET "},
		{"GET", 303, "GET "},
		{"GET", 307, "GET "},
		{"GET", 308, "GET "},
		{"HEAD", 301, "HEAD "},
		{"HEAD", 303, "HEAD "},
		{"HEAD", 307, "HEAD "},
		{"POST", 301, "GET "},
		{"POST", 302, "GET "},
		{"POST", 303, "GET "},
		{"POST", 307, "POST body text/plain"},
		{"POST", 308, "POST body text/plain"},
		{"PUT", 301, "PUT body text/plain"},
		{"PUT", 303, "GET "},
		{"PUT", 307, "PUT body text/plain"},
		{"DELETE", 302, "DELETE body text/plain"},
		{"DELETE", 303, "GET "},
	} {
		t.Run(fmt.Sprint(tc.method, tc.status), func(t *testing.T) {
			w := newWorld(t)
			var got string
			w.serve(publicIP+":80", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/start" {
					redirectTo(tc.status, "end")(rw, r)
					return
				}
				body, _ := io.ReadAll(r.Body)
				got = strings.TrimSpace(fmt.Sprint(r.Method, " ", string(body), " ", r.Header.Get("Content-Type")))
			}))
			r := egress.Request{Method: tc.method, URL: "http://example.com/start", Header: http.Header{}}
			if tc.method != "GET" && tc.method != "HEAD" {
				r.Body = []byte("body")
				r.Header.Set("Content-Type", "text/plain")
			}
			var asked []string
			c := w.client(egress.Options{Permit: func(method string, u *url.URL) (egress.Decision, bool) {
				asked = append(asked, method+" "+u.Path)
				return egress.Decision{}, true
			}})
			res, err := c.Do(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if got != strings.TrimSpace(tc.want) || res.URL != "http://example.com/end" {
				t.Errorf("second hop was %q at %s, want %q", got, res.URL, tc.want)
			}
			method, _, _ := strings.Cut(tc.want, " ")
			if want := []string{tc.method + " /start", method + " /end"}; !slices.Equal(asked, want) {
				t.Errorf("asked %q, want %q", asked, want)
			}
		})
	}
}

func TestRedirectRefused(t *testing.T) {
	for _, tc := range []struct {
		name, location string
		kind           egress.Kind
	}{
		{"metadata", "http://169.254.169.254/latest/meta-data/", egress.KindAddress},
		{"mapped metadata", "http://[::ffff:169.254.169.254]/", egress.KindAddress},
		{"loopback", "http://127.0.0.1/", egress.KindAddress},
		{"denied host", "http://denied.example/", egress.KindDenied},
		{"denied host without a scheme", "//denied.example/", egress.KindDenied},
		{"number", "http://2130706433/", egress.KindRedirect},
		{"user", "http://user:pass@example.com/", egress.KindRedirect},
		{"file", "file:///etc/passwd", egress.KindRedirect},
		{"unparsable", "http://[::1", egress.KindRedirect},
		{"javascript", "javascript:alert(1)", egress.KindRedirect},
		{"port", "http://example.com:0/", egress.KindRedirect},
		{"endless URL", "/" + strings.Repeat("a", 9<<10), egress.KindTooLarge},
		{"loop", "/", egress.KindRedirect},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t)
			w.serve(publicIP+":80", redirectTo(302, tc.location))
			c := w.client(egress.Options{Permit: func(_ string, u *url.URL) (egress.Decision, bool) {
				return egress.Decision{}, u.Host != "denied.example"
			}})
			_, _, err := get(t, c, "http://example.com/")
			e := wantKind(t, err, tc.kind)
			if !e.Sent {
				t.Error("the first hop was sent, but the error says that nothing was")
			}
			for _, a := range w.dialled() {
				if a != publicIP+":80" {
					t.Errorf("dialled %s", a)
				}
			}
		})
	}
}

func TestRedirectCount(t *testing.T) {
	for limit, want := range map[int]int{0: 6, 2: 3, 100: 6} {
		w := newWorld(t)
		served := 0
		w.serve(publicIP+":80", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			served++
			redirectTo(302, fmt.Sprint("/", served))(rw, r)
		}))
		c := w.client(egress.Options{Transport: egress.Transport{Limits: egress.Limits{Redirects: limit}}})
		_, _, err := get(t, c, "http://example.com/")
		wantKind(t, err, egress.KindRedirect)
		if served != want {
			t.Errorf("limit %d: %d requests, want %d", limit, served, want)
		}
	}
}

func TestNoDowngrade(t *testing.T) {
	w := newWorld(t)
	w.serveTLS(publicIP+":443", redirectTo(302, "http://example.com/"), "example.com")
	w.serve(publicIP+":80", text("plain"))
	_, _, err := get(t, w.client(egress.Options{}), "https://example.com/")
	wantKind(t, err, egress.KindRedirect)
	if got := w.dialled(); !slices.Equal(got, []string{publicIP + ":443"}) {
		t.Errorf("dialled %q", got)
	}
}

// TestForeignOriginGetsNothing redirects a request to another origin and back.
func TestForeignOriginGetsNothing(t *testing.T) {
	for _, other := range []string{"http://other.example/", "http://sub.example.com/", "http://example.com:8080/"} {
		w := newWorld(t)
		seen := map[string]http.Header{}
		echo := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			seen[r.Host+r.URL.Path] = r.Header
			if q := r.URL.RawQuery; q != "" && r.URL.Path != "/start" {
				t.Errorf("%s got the query %q", r.Host, q)
			}
			switch r.URL.Path {
			case "/start":
				redirectTo(302, other)(rw, r)
			case "/":
				redirectTo(302, "http://example.com/back")(rw, r)
			}
		})
		w.serve(publicIP+":80", echo)
		w.serve(publicIP+":8080", echo)
		asked := 0
		c := w.client(egress.Options{Secrets: secrets(&asked,
			egress.Injection{Name: "A", Header: "Authorization", Value: "Bearer canary"},
			egress.Injection{Name: "B", Query: "key", Value: "canary"})})
		_, err := c.Do(t.Context(), egress.Request{URL: "http://example.com/start", Header: http.Header{
			"Cookie": {"a=b"}, "X-Api-Key": {"mine"}, "User-Agent": {"me"}, "Referer": {"http://example.com/"},
			"If-None-Match": {"x"}, "Proxy": {"x"}, "Accept": {"text/html"}, "Accept-Language": {"de"}, "Range": {"bytes=0-9"},
		}})
		if err != nil {
			t.Fatal(err)
		}
		if asked != 1 {
			t.Errorf("%s: secrets were asked for %d times, want once", other, asked)
		}
		if h := seen["example.com/start"]; h.Get("Authorization") != "Bearer canary" || h.Get("X-Api-Key") != "mine" || h.Get("User-Agent") != "me" {
			t.Errorf("the first hop had %v", h)
		}
		foreign, _ := url.Parse(other)
		want := http.Header{
			"Accept": {"text/html"}, "Accept-Language": {"de"}, "Range": {"bytes=0-9"},
			"User-Agent": {"wasmtool"}, "Accept-Encoding": {"identity"},
		}
		for _, at := range []string{foreign.Host + "/", "example.com/back"} {
			if got := seen[at]; fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s got %v, want %v", at, got, want)
			}
		}
	}
}

func TestSameOriginKeepsSecretsAndHeaders(t *testing.T) {
	w := newWorld(t)
	var end *http.Request
	w.serve(publicIP+":80", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		end = r
		if r.URL.Path == "/" {
			// The server keeps the query, as many servers do.
			redirectTo(307, "http://EXAMPLE.com:80/end?"+r.URL.RawQuery)(rw, r)
		}
	}))
	asked := 0
	c := w.client(egress.Options{Secrets: secrets(&asked, egress.Injection{Name: "B", Query: "key", Value: "canary"})})
	res, err := c.Do(t.Context(), egress.Request{Method: "POST", Body: []byte("b"), URL: "http://example.com/?q=1", Header: http.Header{"X-Mine": {"1"}}})
	if err != nil {
		t.Fatal(err)
	}
	if end.URL.RawQuery != "q=1&key=canary" || end.Header.Get("X-Mine") != "1" || asked != 2 {
		t.Errorf("the second hop was %s with %v, secrets asked for %d times", end.URL, end.Header, asked)
	}
	if want := "http://example.com:80/end?q=1"; res.URL != want {
		t.Errorf("URL is %s, want %s", res.URL, want)
	}
}

func TestBodyStaysWithItsOrigin(t *testing.T) {
	for _, status := range []int{307, 308} {
		w := newWorld(t)
		w.serve(publicIP+":80", redirectTo(status, "http://other.example/"))
		_, err := w.client(egress.Options{}).Do(t.Context(), egress.Request{Method: "POST", URL: "http://example.com/", Body: []byte("mine")})
		wantKind(t, err, egress.KindRedirect)
		if got := w.lookedUp(); !slices.Equal(got, []string{"example.com"}) {
			t.Errorf("looked up %q", got)
		}
	}
}

func TestKeepRedirect(t *testing.T) {
	w := newWorld(t)
	w.serve(publicIP+":80", redirectTo(302, "http://denied.example/canary-secret"))
	c := w.client(egress.Options{Permit: permitHosts("example.com"), Scrub: scrubbing("canary-secret")})
	res, err := c.Do(t.Context(), egress.Request{URL: "http://example.com/", KeepRedirect: true})
	if err != nil || res.Status != 302 || res.Header.Get("Location") != "http://denied.example/"+hidden {
		t.Errorf("got %+v, %v", res, err)
	}
}

func TestOtherStatusesAreNotFollowed(t *testing.T) {
	for _, tc := range []struct {
		status   int
		location string
	}{{300, "/x"}, {304, "/x"}, {305, "http://proxy.example/"}, {201, "/x"}, {302, ""}} {
		w := newWorld(t)
		w.serve(publicIP+":80", redirectTo(tc.status, tc.location))
		res, _, err := get(t, w.client(egress.Options{}), "http://example.com/")
		if err != nil || res.Status != tc.status || res.URL != "http://example.com/" {
			t.Errorf("%d: got %+v, %v", tc.status, res, err)
		}
	}
}

func TestPrivateIsDecidedForEachHop(t *testing.T) {
	w := newWorld(t)
	w.answer = func(host string, _ int) []netip.Addr {
		if host == "intranet.example" {
			return []netip.Addr{netip.MustParseAddr("192.168.0.7")}
		}
		return []netip.Addr{netip.MustParseAddr("10.0.0.1")}
	}
	w.serve("192.168.0.7:80", redirectTo(302, "http://public.example/"))
	c := w.client(egress.Options{Permit: func(_ string, u *url.URL) (egress.Decision, bool) {
		return egress.Decision{Private: u.Host == "intranet.example"}, true
	}})
	_, _, err := get(t, c, "http://intranet.example/")
	if e := wantKind(t, err, egress.KindAddress); e.Origin != "http://public.example" {
		t.Errorf("the error is about %s", e.Origin)
	}
}
