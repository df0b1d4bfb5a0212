package attack

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Handles are valid only in one call, and an invalid handle gives an error.
func TestHandles(t *testing.T) {
	w := newWorld(t, hello)
	l := newLab(t, setup{tools: map[string]string{"script": anywhereAsked}, operator: anywhereGiven, http: w.options()})
	const notFound = int32(hostfuncs.CodeNotFound)
	var unknown []step
	for _, handle := range []int32{0, 1, 2, -2, 1 << 30, -1 << 31} {
		unknown = append(unknown, step{Do: "head", Handle: handle}, step{Do: "read", Handle: handle}, step{Do: "close", Handle: handle})
	}
	for i, out := range l.play(t, unknown...) {
		if out.Code != notFound {
			t.Errorf("%+v: %+v", unknown[i], out)
		}
	}
	out := l.play(t,
		get("http://example.com/"), step{Do: "head", Handle: 1, Size: 4}, step{Do: "read", Handle: 1, Size: 2}, step{Do: "read", Handle: 1, Raw: true},
		step{Do: "body", Handle: 1}, step{Do: "read", Handle: 1}, step{Do: "read", Handle: 1}, step{Do: "close", Handle: 1},
		step{Do: "close", Handle: 1}, step{Do: "read", Handle: 1}, step{Do: "head", Handle: 1},
	)
	if out[0].Code != 1 || out[1].Code < 20 || out[1].Text != `{"st` || out[2].Text != "he" || out[3].Code != 0 || out[4].Text != "llo" || out[5].Code != 0 || out[6].Code != 0 || out[7].Code != 0 {
		t.Errorf("got %+v", out)
	}
	for _, after := range out[8:] {
		if after.Code != notFound {
			t.Errorf("after it is closed: %+v", after)
		}
	}
	// The handle of one call is invalid in the next call.
	l.play(t, get("http://example.com/"))
	if out := l.play(t, step{Do: "read", Handle: 1}, step{Do: "read", Handle: -1}); out[0].Code != notFound || out[1].Code != notFound {
		t.Errorf("in the next call: %+v", out)
	}
}

// A range outside of memory ends the call in every function that gets the range.
func TestRanges(t *testing.T) {
	ranges := [][2]uint32{{0xffff_fff0, 0x20}, {0xffff_ffff, 1}, {0, 0xffff_fffe}, {0x7fff_ffff, 0x7fff_ffff}}
	l := newLab(t, setup{
		tools:    map[string]string{"script": "[permissions]\nkv = \"write\"\n" + anywhereAsked},
		operator: strings.Replace(anywhereGiven, `"net:any"`, `"net:any", "kv:write"`, 1), http: newWorld(t, hello).options(),
	})
	for _, do := range []string{"request", "head", "read", "exists", "get", "put", "delete", "swap", "list", "log", "progress", "update"} {
		for _, r := range ranges {
			_, err := l.execute(t, script("script", step{Do: do, Text: "a", Raw: true, Ptr: r[0], Len: r[1]}))
			if code := tool.CodeOf(err); code != tool.CodeBadGuest {
				t.Errorf("%s of %#x, %#x: %v", do, r[0], r[1], err)
			}
		}
	}
}

// Invalid request heads are refused before anything is sent.
func TestHeads(t *testing.T) {
	w := newWorld(t, hello)
	l := newLab(t, setup{tools: map[string]string{"script": anywhereAsked}, operator: anywhereGiven, http: w.options()})
	tests := []struct {
		head  step
		wants hostfuncs.Code
	}{
		{step{Text: ""}, hostfuncs.CodeInvalid},
		{step{Text: "null"}, hostfuncs.CodeInvalid},
		{step{Text: "{"}, hostfuncs.CodeInvalid},
		{step{Text: "[]"}, hostfuncs.CodeInvalid},
		{step{Text: `{"method":"GET","url":"http://example.com/"}{}`}, hostfuncs.CodeInvalid},
		{step{Text: `{"method":"GET","url":"http://example.com/"}}`}, hostfuncs.CodeInvalid},
		{step{Text: `{"method":"GET","url":"http://example.com/"} x`}, hostfuncs.CodeInvalid},
		{step{Text: `{"method":"GET","url":"http://example.com/","proxy":"http://evil.com"}`}, hostfuncs.CodeInvalid},
		{step{Text: `{"method":"GET","url":"http://example.com/","redirect":"always"}`}, hostfuncs.CodeInvalid},
		{step{Text: `{"method":1,"url":"http://example.com/"}`}, hostfuncs.CodeInvalid},
		{step{Text: `{"headers":[["a"`, Times: 1000}, hostfuncs.CodeInvalid},
		{step{Text: "[", Times: 100_000}, hostfuncs.CodeInvalid},
		{step{Text: " ", Times: hostfuncs.MaxRequestHead + 1}, hostfuncs.CodeTooMuch},
		{step{Text: "x", Times: 32 << 20}, hostfuncs.CodeTooMuch},
	}
	for _, tt := range tests {
		tt.head.Do = "request"
		if out := l.play(t, tt.head)[0]; out.Code != int32(tt.wants) || out.Fault == "" {
			t.Errorf("%.80q: %+v, want %d", tt.head.Text, out, tt.wants)
		}
	}
	large := request("POST", "http://example.com/")
	large.More, large.Times = ptr(strings.Repeat("b", 1<<10)), 1
	if out := l.play(t, large)[0]; out.Code <= 0 {
		t.Errorf("a body of 1 KiB: %+v", out)
	}
	if got := w.requests(); len(got) != 1 {
		t.Errorf("%d requests arrived", len(got))
	}
}

// More requests than the manifest allows, and too many open responses, are refused.
func TestRequestsOfACallAreCounted(t *testing.T) {
	w := newWorld(t, hello)
	l := newLab(t, setup{tools: map[string]string{"script": anywhereAsked}, operator: anywhereGiven + "[limits]\nhttp_requests = 12\n", http: w.options()})
	for range 2 { // each call has a count of its own
		out := l.play(t, step{Do: "request", Text: get("http://example.com/").Text, Repeat: 9})
		if out[0].Code != int32(hostfuncs.CodeTooMuch) {
			t.Errorf("nine are open at once: %+v", out)
		}
		var steps []step
		for range 13 {
			steps = append(steps, get("http://example.com/"), step{Do: "close", Handle: -1})
		}
		out = l.play(t, steps...)
		if out[22].Code <= 0 || out[24].Code != int32(hostfuncs.CodeTooMuch) {
			t.Errorf("the twelfth gave %+v and the thirteenth %+v", out[22], out[24])
		}
	}
}

// The manifest's limit on requests applies if it is lower than the operator's limit.
func TestRequestsOfAManifestAreCounted(t *testing.T) {
	for asked, want := range map[string]int{"limits.http_requests = 2\n": 2, "limits.http_requests = 900\n": 5} {
		w := newWorld(t, hello)
		l := newLab(t, setup{
			tools:    map[string]string{"script": asked + anywhereAsked},
			operator: anywhereGiven + "[limits]\nhttp_requests = 5\n", http: w.options(),
		})
		out := l.play(t, slices.Repeat([]step{get("http://example.com/")}, 6)...)
		if got := len(w.requests()); got != want || out[want].Code != int32(hostfuncs.CodeTooMuch) {
			t.Errorf("%s: %d requests arrived, want %d; the next gave %+v", asked, got, want, out[want])
		}
	}
}

// A call whose response arrives slowly ends at its deadline. Its instance is not used again, and
// its connection is closed.
func TestTricklingBodiesEndWithTheCall(t *testing.T) {
	gone := make(chan struct{}, 8)
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/body":
			fmt.Fprint(rw, "a")
			http.NewResponseController(rw).Flush()
		case "/quick":
			fmt.Fprint(rw, "quick")
			return
		}
		<-r.Context().Done()
		gone <- struct{}{}
	})
	l := newLab(t, setup{tools: map[string]string{"script": anywhereAsked}, operator: anywhereGiven, http: w.options()})
	l.play(t, step{Do: "say"}) // compiles the module before the calls that are tested
	for _, path := range []string{"/head", "/body"} {
		call := script("script", get("http://example.com"+path), step{Do: "body", Handle: -1})
		l.timesOut(t, call, func(u capability.Usage) bool { return len(u.Requests) == 1 && u.Requests[0].Sent })
		<-gone
		if out := l.play(t, get("http://example.com/quick"), step{Do: "body", Handle: -1}); out[1].Text != "quick" {
			t.Errorf("the next call: %+v", out)
		}
	}
}

// Tools and calls do not share connections.
func TestConnectionsAreOfOneCall(t *testing.T) {
	var mu sync.Mutex
	from := make(map[string]int)
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		from[r.RemoteAddr]++
		http.SetCookie(rw, &http.Cookie{Name: "a", Value: "b"})
	})
	l := newLab(t, setup{tools: map[string]string{"script": anywhereAsked}, operator: anywhereGiven, http: w.options()})
	for range 3 {
		l.play(t, get("https://a.example.com/"), step{Do: "body", Handle: -1}, get("https://a.example.com/"), step{Do: "body", Handle: -1})
	}
	if len(from) != 3 {
		t.Errorf("three calls came over %d connections", len(from))
	}
	for _, r := range w.requests() {
		if r.Header.Get("Cookie") != "" || !strings.HasPrefix(r.UserAgent(), "wasmtool") {
			t.Errorf("sent: %v", r.Header)
		}
	}
}

// Without the permission there is no network, and the error says how to get the permission.
func TestWithoutTheGrant(t *testing.T) {
	w := newWorld(t, hello)
	l := newLab(t, setup{http: w.options()})
	steps := []step{get("http://example.com/"), {Do: "get", Text: "a"}, {Do: "put", Text: "a"}, {Do: "delete", Text: "a"}, {Do: "swap", Text: "a"}, {Do: "list"}}
	for i, out := range l.play(t, steps...) {
		if f := out.failure(t); out.Code != int32(hostfuncs.CodeDenied) || f.Kind != "denied" || !strings.Contains(f.Message, "permissions.") {
			t.Errorf("%s: %+v", steps[i].Do, out)
		}
	}
	if got := w.asked(); len(got) > 0 {
		t.Errorf("%q were looked up or dialled", got)
	}
	// A tool that asks for more than is granted does not run at all.
	greedy := newLab(t, setup{tools: map[string]string{"script": anywhereAsked}, http: w.options()})
	_, err := greedy.execute(t, script("script", get("http://example.com/")))
	if tool.CodeOf(err) != tool.CodePermissionDenied || !strings.Contains(err.Error(), "net:") {
		t.Errorf("got %v", err)
	}
}
