package examples

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/standard"
)

// get sends a request through the checks of package egress.
func get(t *testing.T, transport egress.Transport, r egress.Request) (status int, body string, err error) {
	t.Helper()
	client := egress.New(egress.Options{
		Normalise: capability.NormaliseURL, Transport: transport,
		Permit: func(string, *url.URL) (egress.Decision, bool) { return egress.Decision{}, true },
	})
	defer client.Close()
	res, err := client.Do(t.Context(), r)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return res.Status, string(text), err
}

func openNetwork(t *testing.T) *network {
	t.Helper()
	n, err := newNetwork()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.close() })
	return n
}

// Answers arrive over http and https, at names and at addresses. Loopback and private addresses are
// refused as on the real network, and nothing is answered once an example has ended.
func TestNetworkStaysBelowTheChecks(t *testing.T) {
	n := openNetwork(t)
	transport := n.transport(egress.Transport{}, false)
	n.use(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Method, " ", urlOf(r, []string{"key"}))
	}))
	for at, want := range map[string]string{
		"https://a.example/x?a=1&key=s&b=2": "GET https://a.example/x?a=1&b=2",
		"http://a.example:8080/":            "GET http://a.example:8080/",
		"https://8.8.8.8/":                  "GET https://8.8.8.8/",
		"https://[2606:4700::1111]/":        "GET https://[2606:4700::1111]/",
		"http://127.0.0.1/":                 "private or loopback",
		"http://localhost/":                 "private or loopback",
		"http://api.localhost/":             "private or loopback",
		"http://169.254.169.254/":           "metadata",
	} {
		_, body, err := get(t, transport, egress.Request{URL: at})
		if err != nil {
			body = err.Error()
		}
		if !strings.Contains(body, want) {
			t.Errorf("%s: got %q, want %q", at, body, want)
		}
	}
	n.use(nil)
	if _, _, err := get(t, transport, egress.Request{URL: "https://a.example/"}); err == nil {
		t.Error("an example without answers has a network")
	}
	if wanted := n.use(nil); wanted != "a.example" {
		t.Errorf("the example wanted %q", wanted)
	}
}

func TestAnswersServeOneRequestEach(t *testing.T) {
	var m manifests.Manifest
	at := func(text string) manifests.ExampleRequest {
		return manifests.ExampleRequest{Method: "POST", URL: "https://a.example/", Status: 200, Body: manifests.ExampleBody{Text: text, Set: true}}
	}
	other, first, second := at("other"), at("first"), at("second")
	other.SendsBody = manifests.ExampleBody{Text: `{"a":[1]}`, JSON: true, Set: true}
	a := newAnswers(&m, manifests.Example{HTTP: []manifests.ExampleRequest{other, first, second}})
	n := openNetwork(t)
	n.use(a)
	transport := n.transport(egress.Transport{}, false)
	for _, tt := range []struct{ sent, want string }{{"x", "first"}, {` {"a": [ 1 ]}`, "other"}, {"y", "second"}} {
		if _, body, err := get(t, transport, egress.Request{Method: "POST", URL: "https://a.example/", Body: []byte(tt.sent)}); err != nil || body != tt.want {
			t.Errorf("%s: got %q, %v; want %q", tt.sent, body, err, tt.want)
		}
	}
	if _, _, err := get(t, transport, egress.Request{Method: "POST", URL: "https://a.example/"}); err == nil {
		t.Error("a request without an answer succeeds")
	}
	var o Outcome
	if !a.report(&o) || len(o.Mismatches) != 1 || !strings.Contains(o.Mismatches[0], "more often") {
		t.Errorf("got %q", o.Mismatches)
	}
}

// A recording contains no cookie, no secret, and no header that is not in the list. The tool gets
// the whole answer.
func TestRecorderLeavesSecretsOut(t *testing.T) {
	const token = "real-token-99"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "session=cookie-1")
		w.Header().Set("X-Trace", "trace-1")
		w.Header().Set("Link", "</next?key="+token+">")
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprint(w, "you sent ", r.Header.Get("Authorization"), "\nand more")
	}))
	defer server.Close()
	dialled := ""
	world := egress.Transport{
		LookupNetIP: func(context.Context, string, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			dialled = address
			return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
		},
	}
	m := &manifests.Manifest{Permissions: capability.Permissions{Net: []capability.Net{{
		URL: capability.AnyURL(), Methods: []string{"GET"}, Secrets: []capability.SecretUse{{Name: "TOKEN", Query: "key"}},
	}}}}
	secrets := secret.New(map[string]secret.Source{"TOKEN": secret.FromFunc("test", func() (string, error) { return token, nil })}, secret.Options{})
	r := newRecorder(t.Context(), world, m, secrets)
	n := openNetwork(t)
	n.use(r)
	status, body, err := get(t, n.transport(world, true), egress.Request{
		URL: "http://a.example/x?a=1&key=" + token, Header: http.Header{"Authorization": {token}},
	})
	if err != nil || status != http.StatusTeapot || body != "you sent "+token+"\nand more" {
		t.Errorf("the tool gets %d %q, %v", status, body, err)
	}
	if dialled != "93.184.216.34:80" {
		t.Errorf("dialled %q, not the address that was checked", dialled)
	}
	var o Outcome
	r.report(&o)
	const want = `[[examples.http]]
url = "http://a.example/x?a=1"
status = 418
headers = { Content-Type = "text/plain", Link = "</next?key=[secret:TOKEN]>" }
body = '''
you sent [secret:TOKEN]
and more'''
`
	if o.Recorded != want {
		t.Errorf("got\n%s\nwant\n%s", o.Recorded, want)
	}
}

// An entry is TOML that reads as what was recorded, unless the body cannot be in a manifest.
func TestEntriesReadBack(t *testing.T) {
	for _, body := range []string{"", "plain", `"quoted"`, `it's "quoted" \ `, "a\nb's\n", "\n\n", "a\r\nb", "tab\t", "'''", "ends'\n'", "☃"} {
		text := "manifest = 1\nname = \"a\"\nversion = \"1.0.0\"\ndescription = \"A.\"\nmodule.path = \"a.wasm\"\npermissions.net = [{ url = \"any\" }]\n" +
			"[[examples]]\ntitle = \"a\"\noutput = \"\"\n" +
			entry(manifests.ExampleRequest{Method: "PUT", URL: "https://a.example/%22?q='", Status: 201, Headers: map[string]string{"ETag": `"1"`}, Body: manifests.ExampleBody{Text: body}})
		m, err := manifests.Decode("tool.toml", []byte(text))
		if err != nil {
			t.Errorf("%q: %v\n%s", body, err, text)
			continue
		}
		if got := m.Examples[0].HTTP[0]; got.Body.Text != body || got.Status != 201 || got.Method != "PUT" || got.Headers["ETag"] != `"1"` {
			t.Errorf("%q reads as %+v", body, got)
		}
	}
	for _, body := range []string{"\x00", "\xff", "a\u200bb", strings.Repeat("x", maxRecorded+1)} {
		if got := entry(manifests.ExampleRequest{Body: manifests.ExampleBody{Text: body}}); !strings.Contains(got, "body_file") || strings.Contains(got, "body = ") {
			t.Errorf("%.10q: got %q", body, got)
		}
	}
}

// The example of a request in guest-examples passes without the network.
func TestIssuesPassesItsExamples(t *testing.T) {
	report, err := Run(t.Context(), Options{Tools: standard.Options{Sources: standard.Sources{NoBuiltins: true, Tool: "../../../../guest-examples/issues"}, NoCache: true}})
	if err != nil || report.Failures() > 0 || len(report.Outcomes) < 2 {
		t.Errorf("got %+v, %v", report, err)
	}
}
