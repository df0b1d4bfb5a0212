package rest_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/executor/rest"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// anyRequest is a manifest after its base_url; NET stands for the entries of permissions.net.
const anyRequest = `url = "{url}"
method = "{method}"
query = { q = "{q}" }
headers = { X-Own = "fixed" }
extra_headers = "{headers}"
body = "{body}"
NET
[parameters]
type = "object"
required = ["url", "method"]
properties = { url = {}, method = {}, q = {}, headers = {}, body = {} }
`

// anyTool registers the tool of a manifest and grants what it requests. The approver records the
// requests that each question is about, and approves the calls.
func anyTool(t *testing.T, manifest string, asked *[]string) *registry.Registry {
	t.Helper()
	m, err := manifests.Decode("tool.toml", []byte(manifest))
	if err != nil {
		t.Fatal(err)
	}
	offer := capability.Grantable{}
	for _, n := range m.Permissions.Net {
		offer.Net = append(offer.Net, capability.GrantableNet{URL: n.URL, Private: true})
	}
	tools := registry.New(registry.Options{
		Rules: registry.Rules{Grantable: offer},
		Approvals: registry.ApprovalOptions{Approver: registry.ApproverFunc(func(_ context.Context, q registry.Question) (registry.Answer, error) {
			for _, n := range q.Grant.Net {
				*asked = append(*asked, strings.Join(n.Methods, ",")+" "+n.URL.String())
			}
			return registry.Answer{Yes: true}, nil
		})},
	})
	t.Cleanup(func() { _ = tools.Close() })
	spec := tool.Spec{Name: m.Name, Description: m.Description, Parameters: m.Parameters.JSON(), Permissions: m.Permissions, Sandboxed: true}
	if err := tools.Tools().Register(spec, rest.New(rest.Options{Manifest: m})); err != nil {
		t.Fatal(err)
	}
	return tools
}

func TestURLAndMethodAreArguments(t *testing.T) {
	var got seen
	server, head := serve(t, echo(&got))
	var asked []string
	tools := anyTool(t, head+strings.Replace(anyRequest, "NET", "[[permissions.net]]\nurl = \""+server.URL+"/v1\"\nmethods = [\"GET\", \"PUT\", \"POST\"]", 1), &asked)
	run := func(arguments string) error {
		got, asked = seen{}, nil
		_, err := tools.Execute(t.Context(), tool.Call{Tool: "demo", Arguments: json.RawMessage(arguments)})
		return err
	}
	for arguments, want := range map[string]seen{
		`{"url":"/v1/a?x=1#part","method":"GET","q":"é"}`:                                      {method: "GET", uri: "/v1/a?x=1&q=%C3%A9"},
		`{"url":"v1/a","method":"PUT","body":{"n":1.50},"headers":{"X-More":"m"}}`:             {method: "PUT", uri: "/v1/a", body: `{"n":1.50}`},
		`{"url":"` + server.URL + `/v1","method":"POST","body":"text"}`:                        {method: "POST", uri: "/v1", body: "text"},
		`{"url":"` + strings.ToUpper(server.URL[:4]) + server.URL[4:] + `/v1","method":"GET"}`: {method: "GET", uri: "/v1"},
	} {
		if err := run(arguments); err != nil || got.method != want.method || got.uri != want.uri || got.body != want.body || got.header.Get("X-Own") != "fixed" {
			t.Errorf("%s sends %+v, %v; want %+v", arguments, got, err, want)
		}
		if strings.Contains(arguments, "X-More") && got.header.Get("X-More") != "m" {
			t.Errorf("the header of the call is missing: %v", got.header)
		}
		// The question is about the method of this call only.
		if !slices.Equal(asked, []string{want.method + " " + server.URL + "/v1"}) {
			t.Errorf("%s: asked about %q", arguments, asked)
		}
	}
	for arguments, code := range map[string]tool.Code{
		`{"url":"/v2","method":"GET"}`:                                                       tool.CodePermissionDenied,
		`{"url":"/v1/../v2","method":"GET"}`:                                                 tool.CodePermissionDenied,
		`{"url":"/v1/%2e%2e/v2","method":"GET"}`:                                             tool.CodePermissionDenied,
		`{"url":"https://evil.example/v1","method":"GET"}`:                                   tool.CodePermissionDenied,
		`{"url":"http://127.0.0.1:1/v1","method":"GET"}`:                                     tool.CodePermissionDenied,
		`{"url":"` + strings.Replace(server.URL, "//", "//u:p@", 1) + `/v1","method":"GET"}`: tool.CodePermissionDenied,
		`{"url":"file:///etc/passwd","method":"GET"}`:                                        tool.CodePermissionDenied,
		`{"url":"//evil.example/v1","method":"GET"}`:                                         tool.CodeInvalidArgument,
		`{"url":"","method":"GET"}`:                                                          tool.CodeInvalidArgument,
		`{"url":"/v1","method":"DELETE"}`:                                                    tool.CodePermissionDenied,
		`{"url":"/v1","method":"CONNECT"}`:                                                   tool.CodePermissionDenied,
		`{"url":"/v1","method":"put"}`:                                                       tool.CodeInvalidArgument,
		`{"url":"/v1","method":"GET","body":{"a":1}}`:                                        tool.CodeInvalidArgument,
		`{"url":"/v1","method":"GET","headers":{"x-own":"b"}}`:                               tool.CodeInvalidArgument,
		`{"url":"/v1","method":"GET","headers":{"X-HTTP-Method-Override":"DELETE"}}`:         tool.CodeInvalidArgument,
		`{"url":"/v1","method":"GET","headers":{"Host":"evil.example"}}`:                     tool.CodeInvalidArgument,
		`{"url":"/v1","method":"GET","headers":{"A":"b\r\nC: d"}}`:                           tool.CodeInvalidArgument,
		`{"url":"/v1","method":"GET","headers":["a"]}`:                                       tool.CodeInvalidArgument,
	} {
		if err := run(arguments); tool.CodeOf(err) != code || got.method != "" {
			t.Errorf("%s gives %v and sends %+v; want %s", arguments, err, got, code)
		}
	}
}

// A redirect cannot leave the host of the request, even if the manifest lists the other host: the
// question and the policy were about one host.
func TestArgumentChoosesOneHost(t *testing.T) {
	reached := false
	other, _ := serve(t, func(http.ResponseWriter, *http.Request) { reached = true })
	server, head := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL+"/", http.StatusFound) })
	net := "[[permissions.net]]\nurl = \"" + server.URL + "/\"\n[[permissions.net]]\nurl = \"" + other.URL + "/\"\n"
	var asked []string
	tools := anyTool(t, head+strings.Replace(anyRequest, "NET", net, 1), &asked)
	_, err := tools.Execute(t.Context(), tool.Call{Tool: "demo", Arguments: json.RawMessage(`{"url":"/","method":"GET"}`)})
	if wantError(t, err, tool.CodePermissionDenied, "not permitted"); reached || !slices.Equal(asked, []string{"GET " + server.URL + "/"}) {
		t.Errorf("the other host was reached: %v; asked about %q", reached, asked)
	}
}

// A call is retried only if its own method changes nothing.
func TestRetryDependsOnMethodOfCall(t *testing.T) {
	calls := 0
	server, head := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		calls++
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	var asked []string
	tools := anyTool(t, head+strings.Replace(anyRequest, "NET", "[[permissions.net]]\nurl = \""+server.URL+"/\"\nmethods = [\"GET\", \"POST\"]", 1), &asked)
	for method, want := range map[string]int{"GET": 3, "POST": 1} {
		calls = 0
		_, err := tools.Execute(t.Context(), tool.Call{
			Tool: "demo", Retries: 2, RetryDelay: time.Millisecond, Arguments: json.RawMessage(`{"url":"/","method":"` + method + `"}`),
		})
		if tool.CodeOf(err) != tool.CodeServer || calls != want {
			t.Errorf("%s: %d requests, %v; want %d", method, calls, err, want)
		}
	}
}
