package attack

import (
	"compress/gzip"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// anywhere allows scripts to send any request to any public host.
const (
	anywhereAsked = `
[[permissions.net]]
url = "any"
methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
`
	anywhereGiven = `
[grants]
allow = ["net:any"]
[tools.script]
auto_execute = true
`
)

// example is a script that may send requests to one API and to another host.
const (
	exampleAsked = `
[[permissions.net]]
url = "https://api.example.com/v1"
methods = ["GET", "POST"]
[[permissions.net]]
url = "http://other.example.com/"
[[permissions.net]]
url = "http://*.wild.example.com/"
`
	exampleGiven = `
[grants]
allow = ["net:https://api.example.com/", "net:http://other.example.com/", "net:http://*.wild.example.com/"]
deny = ["net:https://api.example.com/v1/private"]
[tools.script]
auto_execute = true
`
)

func hello(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }

// Even if every public host is granted, private hosts cannot be reached under any name, and no
// connection to them is made.
func TestNothingPrivateIsReached(t *testing.T) {
	w := newWorld(t, hello)
	w.answers = map[string][]string{
		"metadata.example.com": {metadata}, "loop.example.com": {"127.0.0.1"}, "six.example.com": {"::1"},
		"mapped.example.com": {"::ffff:169.254.169.254"}, "nat.example.com": {"64:ff9b::a9fe:a9fe"},
		"sixtofour.example.com": {"2002:a9fe:a9fe::1"}, "site.example.com": {"fec0::1"}, "compatible.example.com": {"::127.0.0.1"},
		"carrier.example.com": {"100.64.0.1"}, "bench.example.com": {"198.18.0.1"}, "doc.example.com": {"192.0.2.1"},
		"ula.example.com": {"fd00:ec2::254"}, "zero.example.com": {"0.0.0.0"}, "ten.example.com": {"10.0.0.1"},
		"teredo.example.com": {"2001:0:53aa:64c::1"}, "multi.example.com": {"224.0.0.1"},
		"rebinding.example.com": {"127.0.0.1"},
	}
	l := newLab(t, setup{tools: map[string]string{"script": anywhereAsked}, operator: anywhereGiven, http: w.options()})
	urls := []string{
		"http://127.0.0.1/", "http://localhost/", "http://a.localhost/", "http://LOCALHOST./", "http://[::1]/", "http://0.0.0.0/", "http://[::]/",
		"http://169.254.169.254/latest/", "http://[::ffff:169.254.169.254]/", "http://[::ffff:a9fe:a9fe]/", "http://[::ffff:127.0.0.1]/",
		"http://[64:ff9b::a9fe:a9fe]/", "http://[64:ff9b:1::a9fe:a9fe]/", "http://[2002:a9fe:a9fe::]/", "http://[fec0::1]/", "http://[::127.0.0.1]/", "http://[fe80::1%25eth0]/",
		"http://100.64.0.1/", "http://198.18.0.1/", "http://192.0.2.1/", "http://10.0.0.1/", "http://192.168.1.1/", "http://[fd00:ec2::254]/",
		"http://2130706433/", "http://0x7f.1/", "http://0177.0.0.1/", "http://127.1/", "http://0/", "http://0x7f000001/", "http://127.0.0.1./",
		"http://１２７.0.0.1/", "http://127。0。0。1/", "http://ⓛocalhost/",
		"http://user@93.184.216.34/", "http://example.com@127.0.0.1/", "http://127.0.0.1\\@example.com/", "http://example.com:0/", "http://example.com:99999/",
		"file:///etc/passwd", "unix:///run/docker.sock", "ftp://example.com/", "gopher://example.com/", "ws://example.com/", "data:text/plain,a",
		"http:example.com/", "//example.com/", "", "http://", "http:///x", "example.com", "http://exa mple.com/", "http://example.com\x00/", "http://a\r\nb/",
	}
	for name := range w.answers {
		urls = append(urls, "http://"+name+"/", "https://"+name+"/")
	}
	// A call may send 20 requests, including refused ones.
	for some := range slices.Chunk(urls, 10) {
		var steps []step
		for _, u := range some {
			steps = append(steps, get(u))
		}
		for i, out := range l.play(t, steps...) {
			if out.Code >= 0 {
				t.Errorf("%q was answered", some[i])
				continue
			}
			if f := out.failure(t); f.Sent || f.Message == "" {
				t.Errorf("%q: %+v", some[i], f)
			}
			if ip := w.answers[strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(some[i], "https://"), "http://"), "/")]; len(ip) > 0 && strings.Contains(out.Fault, ip[0]) {
				t.Errorf("%q: the guest sees the address: %s", some[i], out.Fault)
			}
		}
	}
	if got := w.requests(); len(got) > 0 {
		t.Errorf("%d requests arrived", len(got))
	}
	for _, asked := range w.asked() {
		if strings.Contains(asked, ":") || w.answers[asked] == nil {
			t.Errorf("%s was looked up or dialled", asked)
		}
	}
	for _, r := range l.noted() {
		for _, u := range r.Usage.Requests {
			if u.Sent || u.Failed == "" {
				t.Errorf("the receipt says %+v", u)
			}
		}
	}
}

// A private address among several, or an address that changes after the first lookup, is never
// dialled.
func TestRebindingThroughAGuest(t *testing.T) {
	w := newWorld(t, hello)
	w.answers["twice.example.com"] = []string{public, "127.0.0.1"}
	w.answers["mixed.example.com"] = []string{"127.0.0.1 " + public + " ::1"}
	l := newLab(t, setup{tools: map[string]string{"script": anywhereAsked}, operator: anywhereGiven, http: w.options()})
	for range 2 { // calls do not share connections, so the name is looked up again
		l.play(t, get("http://twice.example.com/"), get("http://mixed.example.com/"))
	}
	for _, asked := range w.asked() {
		if strings.Contains(asked, "127.0.0.1") || strings.Contains(asked, "::1") {
			t.Errorf("%s was dialled", asked)
		}
	}
}

// A request that is not granted is not sent, and its host is not looked up.
func TestOnlyGrantedRequestsAreSent(t *testing.T) {
	w := newWorld(t, hello)
	l := newLab(t, setup{tools: map[string]string{"script": exampleAsked}, operator: exampleGiven, http: w.options()})
	refused := [][]step{{
		get("https://example.com/v1"), get("https://evilapi.example.com/v1"), get("https://api.example.com.evil.com/v1"), get("https://xapi.example.com/v1"),
		get("http://api.example.com/v1"), get("https://api.example.com:8443/v1"), get("https://api.example.com:80/v1"),
		get("https://api.example.com/"), get("https://api.example.com/v10"), get("https://api.example.com/v1/../v2"), get("https://api.example.com/v1/%2e%2e/v2"),
	}, {
		get("https://api.example.com/v1/..%2fv2"), get("https://api.example.com/v1//../../v2"), get("https://api.example.com/v1/..\\v2"), get("https://api.example.com/v1/%5c../v2"),
		request("PUT", "https://api.example.com/v1"), request("DELETE", "https://api.example.com/v1"), request("POST", "http://other.example.com/"),
		request("CONNECT", "https://api.example.com/v1"), request("TRACE", "https://api.example.com/v1"), request("GET /x HTTP/1.1\r\nX: y", "https://api.example.com/v1"),
	}, {
		get("https://api.example.com/v1/private"), get("https://api.example.com/v1/private/x"), get("https://api.example.com/v1/./private"), get("https://api.example.com/v1/%70rivate"),
		get("http://wild.example.com/"), get("http://a.b.wild.example.com/"), get("http://evilwild.example.com/"), get("http://a.wild.example.com.evil.com/"),
		request("get", "https://api.example.com/v2"), request("", "https://api.example.com/v2"),
	}}
	for _, steps := range refused {
		for i, out := range l.play(t, steps...) {
			if out.Code >= 0 {
				t.Errorf("%s was answered", steps[i].Text)
			}
		}
	}
	if got := w.asked(); len(got) > 0 {
		t.Errorf("%q were looked up or dialled", got)
	}
	for i, out := range l.play(t,
		get("https://api.example.com/v1"), get("https://API.example.com./v1/x"), get("https://api.example.com:443/v1/a/../b"), get("http://a.wild.example.com/"),
		request("POST", "https://api.example.com/v1/x"), get("http://other.example.com/y"),
	) {
		if out.Code <= 0 {
			t.Errorf("%d, which is granted, is refused: %+v", i, out)
		}
	}
}

// A redirect is checked like the first request.
func TestRedirectsOfAHostileServer(t *testing.T) {
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/loop" {
			http.Redirect(rw, r, "/v1/loop", http.StatusFound)
			return
		}
		if r.URL.Path == "/v1/to" {
			rw.Header().Set("Location", r.URL.RawQuery)
			rw.WriteHeader(http.StatusFound)
			return
		}
		fmt.Fprint(rw, "hello")
	})
	l := newLab(t, setup{tools: map[string]string{"script": exampleAsked}, operator: exampleGiven, http: w.options()})
	for _, target := range []string{
		"http://169.254.169.254/", "http://other.example.com/", "https://api.example.com/v2", "https://api.example.com/v1/private", "//evil.com/", "/v2",
		"https://a@api.example.com/v1", "file:///etc/passwd", "javascript:alert(1)", "/v1/loop", "http://[::1]/", "https://2130706433/",
		"https://api.example.com:1/v1", "\\\\evil.com\\", "/v1/..%2fv2",
	} {
		out := l.play(t, get("https://api.example.com/v1/to?"+target), step{Do: "body", Handle: -1})
		if out[0].Code >= 0 {
			t.Errorf("%s was followed", target)
		}
	}
	for _, r := range w.requests() {
		if r.Host != "api.example.com" || !strings.HasPrefix(r.URL.Path, "/v1") {
			t.Errorf("%s %s arrived", r.Host, r.URL)
		}
	}
	if out := l.play(t, get("https://api.example.com/v1/to?/v1/there"), step{Do: "body", Handle: -1}); out[1].Text != "hello" {
		t.Errorf("a good redirect: %+v", out)
	}
	manual := step{Do: "request", Text: `{"method":"GET","url":"https://api.example.com/v1/to?http://evil.com/","redirect":"manual"}`}
	if out := l.play(t, manual, step{Do: "head", Handle: -1}); out[0].Code <= 0 || !strings.Contains(out[1].Text, `"status":302`) {
		t.Errorf("a redirect that is not followed: %+v", out)
	}
}

// A guest cannot smuggle anything into the headers of a request.
func TestHeadersOfAHostileGuest(t *testing.T) {
	w := newWorld(t, hello)
	l := newLab(t, setup{tools: map[string]string{"script": anywhereAsked}, operator: anywhereGiven, http: w.options()})
	pairs := [][2]string{
		{"Host", "evil.com"},
		{"host", "evil.com"},
		{"Transfer-Encoding", "chunked"},
		{"Content-Length", "3"},
		{"Connection", "upgrade"},
		{"Upgrade", "websocket"},
		{"Proxy-Authorization", "a"},
		{"TE", "trailers"},
		{"Trailer", "X"},
		{"Keep-Alive", "1"},
		{"Expect", "100-continue"},
		{"X", "a\r\nHost: evil.com"},
		{"X", "a\x00b"},
		{"X\r\nHost", "a"},
		{"X Y", "a"},
		{"", "a"},
		{"X", strings.Repeat("a", 65<<10)},
	}
	for _, pair := range pairs {
		out := l.play(t, request("GET", "http://example.com/", pair[0], pair[1]))[0]
		if out.Code >= 0 {
			t.Errorf("%.30q: %.30q was sent", pair[0], pair[1])
		}
	}
	if got := w.asked(); len(got) > 0 {
		t.Errorf("%q were looked up or dialled", got)
	}
}

// Whatever a server sends, the memory and the time of a call are limited.
func TestFloodsOfAHostileServer(t *testing.T) {
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/gzip":
			rw.Header().Set("Content-Encoding", "gzip")
			zip := gzip.NewWriter(rw)
			zeros := make([]byte, 1<<20)
			for range 64 {
				if _, err := zip.Write(zeros); err != nil {
					return
				}
			}
			_ = zip.Close()
		case "/headers":
			for i := range 2000 {
				rw.Header().Set(fmt.Sprint("X-", i), strings.Repeat("a", 100))
			}
		case "/early":
			for range 10_000 {
				rw.WriteHeader(http.StatusEarlyHints)
			}
		case "/endless":
			for r.Context().Err() == nil {
				if _, err := rw.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
		}
	})
	o := w.options()
	o.Limits.ResponseBytes = 4 << 20
	l := newLab(t, setup{tools: map[string]string{"script": anywhereAsked}, operator: anywhereGiven, http: o})
	for _, path := range []string{"/gzip", "/endless"} {
		out := l.play(t, get("http://example.com"+path), step{Do: "read", Handle: -1, Size: 64 << 10, Repeat: 1000})
		if out[1].Code != -4 {
			t.Errorf("%s: %d %s", path, out[1].Code, out[1].Fault)
		}
	}
	for _, path := range []string{"/headers", "/early"} {
		if out := l.play(t, get("http://example.com"+path)); out[0].Code >= 0 {
			t.Errorf("%s: %+v", path, out[0])
		}
	}
	for _, r := range l.noted() {
		if r.Usage.Requests[0].BytesReceived > 4<<20 {
			t.Errorf("%d bytes were read", r.Usage.Requests[0].BytesReceived)
		}
	}
}
