package rest_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/executor/rest"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

const secretValue = "s3cret-t0ken-value"

// serve starts a server. It returns the server and the first lines of a manifest that calls it.
func serve(t *testing.T, handler http.HandlerFunc) (server *httptest.Server, head string) {
	t.Helper()
	server = httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server, fmt.Sprintf("manifest = 1\nname = \"demo\"\nversion = \"1.0.0\"\ndescription = \"Asks.\"\n[rest]\nbase_url = %q\n", server.URL)
}

// call runs the tool of a manifest and grants all its permissions.
func call(t *testing.T, manifest, arguments string) (tool.Result, error) {
	t.Helper()
	return callWith(t, context.Background(), manifest, arguments, egress.Transport{})
}

func callWith(t *testing.T, ctx context.Context, manifest, arguments string, o egress.Transport) (tool.Result, error) {
	t.Helper()
	m, err := manifests.Decode("tool.toml", []byte(manifest))
	if err != nil {
		t.Fatal(err)
	}
	ask := m.Permissions.Net[0]
	grant, missing := capability.Intersect(m.Permissions, capability.Grantable{
		Net:     []capability.GrantableNet{{URL: ask.URL, Private: true}},
		Secrets: map[string]capability.GrantableSecret{"TOKEN": {}, "LOGIN": {}},
	})
	if len(missing) > 0 {
		t.Fatalf("missing %q", missing)
	}
	prepared, err := m.Parameters.Prepare(t.Context(), []byte(arguments))
	if err != nil {
		t.Fatal(err)
	}
	store := secret.New(map[string]secret.Source{
		"TOKEN": secret.FromEnv("TOKEN", func(string) (string, bool) { return secretValue, true }),
		"LOGIN": secret.FromEnv("LOGIN", func(string) (string, bool) { return "user:" + secretValue, true }),
	}, secret.Options{})
	e := rest.New(rest.Options{Manifest: m, HTTP: o, Secrets: store})
	if err := e.Prepare(ctx); err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	return e.Execute(ctx, tool.Invocation{Arguments: prepared.JSON, Text: prepared.Text, Fields: prepared.Fields, Grant: grant})
}

func wantError(t *testing.T, err error, code tool.Code, parts ...string) *tool.Error {
	t.Helper()
	var e *tool.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("got %v (%s), want the code %s", err, tool.CodeOf(err), code)
	}
	for _, part := range parts {
		if !strings.Contains(e.Message, part) {
			t.Errorf("the message %q lacks %q", e.Message, part)
		}
	}
	return e
}

// parameters returns a schema of parameters without types.
func parameters(required string, names ...string) string {
	text := "[parameters]\ntype = \"object\"\nrequired = [" + required + "]\n"
	for _, name := range names {
		text += "[parameters.properties." + name + "]\n"
	}
	return text
}

// seen is a request that a server received.
type seen struct {
	method, uri, body string
	header            http.Header
}

// echo records the request, and answers with JSON.
func echo(got *seen) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		*got = seen{method: r.Method, uri: r.RequestURI, body: string(body), header: r.Header}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{}`) // the client reports the error
	}
}

func TestArgumentsBecomeRequest(t *testing.T) {
	var got seen
	_, head := serve(t, echo(&got))
	const route = "path = \"/repos/{owner}/{n}.json\"\n"
	for name, tc := range map[string]struct {
		rest, arguments      string
		method, uri, content string
		header               [2]string
	}{
		"path": {
			rest: route + parameters(`"owner", "n"`, "owner", "n"), arguments: `{"owner":"a b?#%&é;=:@","n":9007199254740993}`,
			method: "GET", uri: "/repos/a%20b%3F%23%25&%C3%A9%3B=:@/9007199254740993.json",
		},
		"query": {
			rest:      "query = { q = \"{q}\", tag = \"{tags}\", page = \"p{page}\", fixed = \"1\" }\n" + parameters(`"q"`, "q", "tags", "page"),
			arguments: `{"q":"a&b=c#d+e","tags":["x y","&",1.50]}`,
			method:    "GET", uri: "/?q=a%26b%3Dc%23d%2Be&tag=x+y&tag=%26&tag=1.50&fixed=1",
		},
		"headers": {
			rest:      "headers = { X-Trace = \"t-{id}\", X-None = \"{none}\", Accept = \"text/csv\" }\n" + parameters("", "id", "none"),
			arguments: `{"id":"7"}`, method: "GET", uri: "/", header: [2]string{"X-Trace", "t-7"},
		},
		"rest of the arguments": {
			rest:      "method = \"POST\"\nbody = \"json\"\n" + route + parameters(`"owner", "n"`, "owner", "n", "title", "price"),
			arguments: `{"owner":"o","n":1,"title":"<é>","price":1.10}`,
			method:    "POST", uri: "/repos/o/1.json", content: `{"price":1.10,"title":"<é>"}`, header: [2]string{"Content-Type", "application/json"},
		},
		"some arguments": {
			rest:      "method = \"PUT\"\nbody = [\"n\", \"big\"]\nquery = { n = \"{n}\" }\n" + parameters("", "n", "big"),
			arguments: `{"n":1e2}`, method: "PUT", uri: "/?n=1e2", content: `{"n":1e2}`,
		},
		"one text": {
			rest:      "method = \"POST\"\nbody = \"{text}\"\n" + parameters("", "text"),
			arguments: `{"text":"line\n"}`, method: "POST", uri: "/", content: "line\n", header: [2]string{"Content-Type", "text/plain; charset=utf-8"},
		},
		"one value of another type": {
			rest:      "method = \"PATCH\"\nbody = \"{value}\"\nheaders = { content-type = \"application/x+json\" }\n" + parameters("", "value"),
			arguments: `{"value":[1,{"a":null}]}`, method: "PATCH", uri: "/", content: `[1,{"a":null}]`, header: [2]string{"Content-Type", "application/x+json"},
		},
		"no value": {
			rest:      "method = \"DELETE\"\nbody = \"{value}\"\n" + parameters("", "value"),
			arguments: `{}`, method: "DELETE", uri: "/", header: [2]string{"Content-Type", ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			result, err := call(t, head+tc.rest, tc.arguments)
			if err != nil {
				t.Fatal(err)
			}
			if got.method != tc.method || got.uri != tc.uri || got.body != tc.content {
				t.Errorf("got  %s %s %s\nwant %s %s %s", got.method, got.uri, got.body, tc.method, tc.uri, tc.content)
			}
			if tc.header[0] != "" && got.header.Get(tc.header[0]) != tc.header[1] {
				t.Errorf("%s is %q, want %q", tc.header[0], got.header.Get(tc.header[0]), tc.header[1])
			}
			if len(got.header["X-None"]) > 0 {
				t.Errorf("a header without a value was sent: %q", got.header)
			}
			if u := result.Call.Usage; len(u.Requests) != 1 || u.Requests[0].Method != tc.method || u.Requests[0].BytesSent != int64(len(tc.content)) || !u.Requests[0].Sent {
				t.Errorf("usage: %+v", u)
			}
		})
	}
}

// An argument cannot leave its segment of the path or its header.
func TestArgumentsCannotChangePathOrHeaders(t *testing.T) {
	var got seen
	_, head := serve(t, echo(&got))
	pathTool := head + "path = \"/v1/users/{id}/posts\"\n" + parameters(`"id"`, "id")
	for _, value := range []string{
		"", ".", "..", "../admin", "..%2fadmin", "%2e%2e", `..\admin`, "a/b", "/", "..;x", ".;", "a\x00b", "a\nb", "%2F", "%5c",
	} {
		got = seen{}
		arguments, err := json.Marshal(map[string]string{"id": value})
		if err != nil {
			t.Fatal(err)
		}
		_, err = call(t, pathTool, string(arguments))
		if got.uri != "" {
			if u, parseErr := url.ParseRequestURI(got.uri); parseErr != nil || strings.Count(u.EscapedPath(), "/") != 4 || u.Path != "/v1/users/"+value+"/posts" {
				t.Errorf("%q was sent as %s", value, got.uri)
			}
			continue
		}
		wantError(t, err, tool.CodeInvalidArgument)
	}
	headerTool := head + "headers = { X-Id = \"{id}\" }\n" + parameters("", "id")
	got = seen{}
	_, err := call(t, headerTool, `{"id":"a\r\nX-Evil: 1"}`)
	wantError(t, err, tool.CodeInvalidArgument, "control character")
	if got.uri != "" {
		t.Errorf("a header with a line break was sent: %v", got.header)
	}
	_, err = call(t, head+"path = \"/{a}{b}\"\n"+parameters(`"a", "b"`, "a", "b"), `{"a":".","b":"."}`)
	wantError(t, err, tool.CodeInvalidArgument, `".."`)
	_, err = call(t, head+"query = { q = \"{q}\" }\n"+parameters("", "q"), `{"q":"`+strings.Repeat("x", 70<<10)+`"}`)
	wantError(t, err, tool.CodeInvalidArgument, "give shorter arguments")
}

func TestResponseBecomesResult(t *testing.T) {
	var contentType, body string
	status := http.StatusOK
	_, head := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // the client reports the error
	})
	const exact = `{"items": [{"id": 9007199254740993, "price": 1.10, "name": "a\/b"}], "a/b": {"~": "text"}}`
	for name, tc := range map[string]struct {
		keys, contentType, body string
		status                  int
		text, structured        string
		code                    tool.Code
		warning                 string
	}{
		"json by its type":     {contentType: "application/problem+json; charset=utf-8", body: exact, text: `{"items":[{"id":9007199254740993,"price":1.10,"name":"a\/b"}],"a/b":{"~":"text"}}`, structured: `{"items":[{"id":9007199254740993,"price":1.10,"name":"a\/b"}],"a/b":{"~":"text"}}`},
		"selected":             {keys: "select = \"/items/0/id\"\n", body: exact, text: "9007199254740993", structured: "9007199254740993"},
		"selected text":        {keys: "select = \"/a~1b/~0\"\n", body: exact, text: "text", structured: `"text"`},
		"nothing selected":     {keys: "select = \"/items/1\"\n", body: exact, code: tool.CodeInvalidOutput},
		"promised json":        {keys: "output = \"json\"\n", contentType: "text/plain", body: " [1.0] ", text: "[1.0]", structured: "[1.0]"},
		"json required":        {keys: "output = \"json\"\n", contentType: "application/json", body: "<html>", code: tool.CodeInvalidOutput},
		"json twice":           {keys: "output = \"json\"\n", body: "{} {}", code: tool.CodeInvalidOutput},
		"empty json":           {keys: "output = \"json\"\n", body: " ", code: tool.CodeInvalidOutput},
		"invalid json":         {contentType: "application/json", body: "oops", text: "oops", warning: "returned as text"},
		"text":                 {contentType: "text/html", body: "<p>é</p>", text: "<p>é</p>"},
		"json as text":         {keys: "output = \"text\"\n", contentType: "application/json", body: exact, text: exact},
		"not text":             {contentType: "application/pdf", body: "%PDF\xff\x00", code: tool.CodeInvalidOutput},
		"latin-1":              {contentType: "text/plain", body: "\xe9", code: tool.CodeInvalidOutput},
		"nothing":              {status: http.StatusNoContent, text: "the server answered 204 No Content, with an empty body"},
		"too much":             {keys: "[limits]\noutput = \"10B\"\n", contentType: "text/plain", body: "01234567890", code: tool.CodeResourceExhausted},
		"as much as there may": {keys: "[limits]\noutput = \"10B\"\n", contentType: "text/plain", body: "0123456789", text: "0123456789"},
	} {
		t.Run(name, func(t *testing.T) {
			contentType, body, status = tc.contentType, tc.body, max(tc.status, http.StatusOK)
			result, err := call(t, head+tc.keys, "")
			if tc.code != "" {
				wantError(t, err, tc.code)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if result.Text() != tc.text || string(result.Structured) != tc.structured {
				t.Errorf("got  %s | %s\nwant %s | %s", result.Text(), result.Structured, tc.text, tc.structured)
			}
			if !strings.Contains(strings.Join(result.Warnings, "\n"), tc.warning) || (tc.warning == "") != (len(result.Warnings) == 0) {
				t.Errorf("warnings: %q, want %q", result.Warnings, tc.warning)
			}
		})
	}
	contentType, body, status = "image/png", "\x89PNG", http.StatusOK
	result, err := call(t, head, "")
	if err != nil || len(result.Content) != 1 || result.Content[0].Type != tool.ContentImage || string(result.Content[0].Data) != body || result.Content[0].MIMEType != contentType {
		t.Errorf("got %+v, %v; want the image", result, err)
	}
}

func TestStatusBecomesErrorCode(t *testing.T) {
	header := make(http.Header)
	var status int
	body := "no such " + strings.Repeat("é", 2000)
	_, head := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		for name := range header {
			w.Header().Set(name, header.Get(name))
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // the client reports the error
	})
	for _, tc := range []struct {
		status      int
		code        tool.Code
		part        string
		recoverable bool
	}{
		{400, tool.CodeExecution, "does not accept the arguments", true},
		{401, tool.CodeAuthentication, "401 Unauthorized; the operator's secret", false},
		{403, tool.CodePermissionDenied, "403 Forbidden", false},
		{404, tool.CodeExecution, "check the arguments", true},
		{408, tool.CodeServer, "try again later", false},
		{422, tool.CodeExecution, "422", true},
		{429, tool.CodeRateLimited, "429 Too Many Requests; try again later", false},
		{500, tool.CodeServer, "500", false},
		{503, tool.CodeServer, "503", false},
		{599, tool.CodeServer, "answered 599;", false},
		{304, tool.CodeExecution, "304", true},
	} {
		status = tc.status
		_, err := call(t, head, "")
		e := wantError(t, err, tc.code, tc.part, "127.0.0.1:")
		if e.Recoverable != tc.recoverable || e.Details.Status != tc.status || e.Details.RetryAfter != 0 {
			t.Errorf("%d: %+v", tc.status, e)
		}
		if want := tc.status != http.StatusNotModified; strings.HasPrefix(e.Details.Response, "no such é") != want || len(e.Details.Response) > 2100 || strings.HasSuffix(e.Details.Response, "é …") != want {
			t.Errorf("%d: the excerpt is %q", tc.status, e.Details.Response)
		}
	}
	header.Set("Retry-After", "30")
	for _, status = range []int{429, 503} {
		var e *tool.Error
		if _, err := call(t, head, ""); !errors.As(err, &e) || e.Details.RetryAfter != 30*time.Second || !strings.Contains(e.Message, "retry after 30s") {
			t.Errorf("%d: %+v", status, e)
		}
	}
	status, body = 500, "\xff\x00binary"
	if e := wantError(t, errOf(call(t, head, "")), tool.CodeServer); e.Details.Response != "" {
		t.Errorf("a binary body is kept: %q", e.Details.Response)
	}
}

func errOf(_ tool.Result, err error) error { return err }

// The host adds secrets to requests, and hides them wherever the server repeats them.
func TestSecretsAreAddedAndHidden(t *testing.T) {
	status := http.StatusOK
	_, head := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+secretValue {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.WriteHeader(status)
		fmt.Fprintf(w, "you are %s", r.Header.Get("Authorization"))
	})
	manifest := head + "output = \"text\"\n[[rest.secrets]]\nname = \"TOKEN\"\nheader = \"Authorization\"\nprefix = \"Bearer \"\n"
	result, err := call(t, manifest, "")
	if err != nil || !strings.HasPrefix(result.Text(), "you are ") || strings.Contains(result.Text(), secretValue) {
		t.Errorf("got %q, %v", result.Text(), err)
	}
	if got := result.Call.Usage.Secrets; !slices.Equal(got, []string{"TOKEN"}) {
		t.Errorf("secrets used: %q", got)
	}
	status = http.StatusBadRequest
	result, err = call(t, manifest, "")
	e := wantError(t, err, tool.CodeExecution)
	if text, err := json.Marshal(e); err != nil || strings.Contains(string(text), secretValue) || !strings.Contains(e.Details.Response, "you are") {
		t.Errorf("got %s, %v", text, err)
	}
	if got := result.Call.Usage; len(got.Requests) != 1 || got.Requests[0].Status != http.StatusBadRequest {
		t.Errorf("usage of a failed call: %+v", got)
	}
}

// A request or redirect that was not granted is not sent.
func TestRequestAndRedirectsNeedGrant(t *testing.T) {
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	t.Cleanup(other.Close)
	target := other.URL
	server, head := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/start" {
			reached = true
			return
		}
		http.Redirect(w, r, target, http.StatusFound)
	})
	manifest := head + "path = \"/v1/start\"\n"
	_, err := call(t, manifest, "")
	wantError(t, err, tool.CodePermissionDenied, "not permitted")
	target = server.URL + "/v2"
	_, err = call(t, manifest, "")
	wantError(t, err, tool.CodePermissionDenied, "not permitted")
	if reached {
		t.Error("a redirect left the grant")
	}
	m, err := manifests.Decode("tool.toml", []byte(manifest))
	if err != nil {
		t.Fatal(err)
	}
	e := rest.New(rest.Options{Manifest: m})
	_, err = e.Execute(context.Background(), tool.Invocation{Fields: func() map[string]json.RawMessage { return nil }})
	wantError(t, err, tool.CodePermissionDenied, "not granted")
}

func TestRequestsWithoutResponse(t *testing.T) {
	server, head := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := callWith(t, ctx, head, "", egress.Transport{})
	wantError(t, err, tool.CodeCancelled)
	_, err = callWith(t, context.Background(), head, "", egress.Transport{Limits: egress.Limits{Time: time.Millisecond}})
	wantError(t, err, tool.CodeTimeout)
	server.CloseClientConnections()
	server.Close()
	_, err = call(t, head, "")
	wantError(t, err, tool.CodeNetwork, "127.0.0.1")
}

func TestDigestDependsOnManifest(t *testing.T) {
	_, head := serve(t, echo(new(seen)))
	digest := func(manifest string) string {
		m, err := manifests.Decode("tool.toml", []byte(manifest))
		if err != nil {
			t.Fatal(err)
		}
		d, err := rest.New(rest.Options{Manifest: m}).Digest(context.Background())
		if err != nil || !strings.HasPrefix(d, "sha256:") {
			t.Fatalf("got %q, %v", d, err)
		}
		return d
	}
	if a, b := digest(head), digest(head+"path = \"/x\"\n"); a == b {
		t.Error("another path does not change the digest")
	}
	if a, b := digest(head), digest(head); a != b {
		t.Error("the digest of one manifest changes")
	}
}

// A request that may have changed something is not retried.
func TestOnlySafeRequestsAreRetried(t *testing.T) {
	var failures, calls int
	_, head := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if calls++; calls <= failures {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	for _, tc := range []struct {
		method          string
		failures, calls int
		code            tool.Code
	}{
		{"GET", 2, 3, ""}, {"GET", 9, 4, tool.CodeServer}, {"POST", 1, 1, tool.CodeServer},
	} {
		failures, calls = tc.failures, 0
		m, err := manifests.Decode("tool.toml", []byte(head+"method = \""+tc.method+"\"\n"))
		if err != nil {
			t.Fatal(err)
		}
		tools := registry.New(registry.Options{})
		t.Cleanup(func() { _ = tools.Close() })
		spec := tool.Spec{Name: m.Name, Version: m.Version, Description: m.Description, Parameters: m.Parameters.JSON(), Permissions: m.Permissions, Sandboxed: true}
		if err := tools.Tools().Register(spec, rest.New(rest.Options{Manifest: m})); err != nil {
			t.Fatal(err)
		}
		unasked, err := policy.Compile(policy.Config{Tools: map[string]policy.ToolRule{"demo": {AutoExecute: true}}}, policy.Known{Tools: []policy.ToolFacts{{Name: "demo"}}})
		if err != nil {
			t.Fatal(err)
		}
		tools.SetRules(registry.Rules{Policy: unasked, Grantable: capability.Grantable{Net: []capability.GrantableNet{{URL: m.Permissions.Net[0].URL, Private: true}}}})
		result, err := tools.Execute(context.Background(), tool.Call{Tool: "demo", Retries: 3, RetryDelay: time.Millisecond})
		if tool.CodeOf(err) != tc.code || calls != tc.calls || result.Call.Attempts != tc.calls {
			t.Errorf("%s after %d failures: %v after %d calls, %d attempts", tc.method, tc.failures, err, calls, result.Call.Attempts)
		}
	}
}

func TestSecretIsSentWhereManifestSays(t *testing.T) {
	var got seen
	_, head := serve(t, echo(&got))
	for place, sent := range map[string]func() string{
		"query = \"key\"":    func() string { return got.uri },
		"header = \"X-Key\"": func() string { return got.header.Get("X-Key") },
		"basic = true":       func() string { return got.header.Get("Authorization") },
	} {
		name := "TOKEN"
		if place[0] == 'b' {
			name = "LOGIN"
		}
		if _, err := call(t, head+fmt.Sprintf("[[rest.secrets]]\nname = %q\n%s\n", name, place), ""); err != nil {
			t.Fatalf("%s: %v", place, err)
		}
		want := map[byte]string{
			'q': "/?key=" + secretValue, 'h': secretValue,
			'b': "Basic " + base64.StdEncoding.EncodeToString([]byte("user:"+secretValue)),
		}[place[0]]
		if sent() != want {
			t.Errorf("%s: sent %q, want %q", place, sent(), want)
		}
	}
}
