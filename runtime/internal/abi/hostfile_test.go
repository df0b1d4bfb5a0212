package abi

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/hostfuncs/kv"
)

// fileCall returns a guest with a call that may use a store, and the log of the call.
func fileCall(t testing.TB, grant capability.Grant) (*Guest, *[]string) {
	t.Helper()
	var log []string
	bindings, err := hostfuncs.Bind(grant, files.Options{}, hostfuncs.Services{
		KV: kv.NewMemory(kv.Options{}), Namespace: kv.Namespace{Tool: "t"},
		Listener: hostfuncs.Listener{Log: func(_ slog.Level, text string) { log = append(log, text) }},
		CallInfo: func() hostfuncs.CallInfo { return hostfuncs.CallInfo{Tool: "t"} },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bindings.Close() })
	g := new(Guest)
	g.current.Store(NewCall(context.Background(), &Process{Closing: context.Background()}, Request{Bindings: bindings}))
	return g, &log
}

// Each function of the host's file checks the grant and reports the same errors as the import.
func TestHostFile(t *testing.T) {
	type row struct{ request, want string }
	ask := func(function, arguments string) string {
		return `{"function": "` + function + `", "arguments": ` + arguments + `}`
	}
	stored := []row{
		{ask("kv_get", `{"key": "a"}`), `{"value":null,"error":{"kind":"not_found"`},
		{ask("kv_put", `{"key": "a", "value": {"base64": "/wA="}}`), `{"value":null}`},
		{ask("kv_get", `{"key": "a"}`), `{"value":{"base64":"/wA="}}`},
		{ask("kv_swap", `{"key": "b", "value": "text"}`), `{"value":true}`},
		{ask("kv_swap", `{"key": "b", "old": "other", "value": "new"}`), `{"value":false}`},
		{ask("kv_get", `{"key": "b"}`), `{"value":"text"}`},
		{ask("kv_list", `{}`), `{"value":["a","b"]}`},
		{ask("kv_delete", `{"key": "a"}`), `{"value":null}`},
		{ask("kv_list", `{"prefix": "a"}`), `{"value":[]}`},
		{ask("log", `{"level": 1, "text": "a line"}`), `{"value":null}`},
		{ask("progress", `{"done": 1, "total": 2}`), `{"value":null}`},
		{ask("update", `{"title": "Working"}`), `{"value":null}`},
		{ask("update", `{"titel": "Working"}`), `"kind":"update"`},
		{`{"function": "context_read"}`, `{"value":{"tool":"t","call_id":""}}`},
		{ask("secret_exists", `{"name": "TOKEN"}`), `{"value":false}`},
		{ask("http_request", `{"head": {"method": "GET", "url": "http://127.0.0.1/"}}`), `"kind":"denied"`},
		{ask("http_read", `{"handle": 1, "length": 4294967295}`), `"kind":"handle"`},
		{ask("http_close", `{"handle": 1}`), `"kind":"handle"`},
		{ask("files_read", `{}`), "there is no function of this name"},
		{ask("kv_get", `{"key": 1}`), "the function has other arguments"},
		{ask("kv_get", `{"key": "a", "more": 1}`), "the function has other arguments"},
		{ask("kv_put", `{"key": "a", "value": {"base64": "%"}}`), "the function has other arguments"},
		{ask("kv_put", `{"key": "a", "value": {}}`), "the function has other arguments"},
		{`{"function": "kv_list"} {}`, "a request must be a line"},
		{`hello`, "a request must be a line"},
		{``, "a request must be a line"},
	}
	g, log := fileCall(t, capability.Grant{KV: capability.ModeWrite})
	for _, r := range stored {
		if got := string(g.serve([]byte(r.request + "\n"))); !strings.Contains(got, r.want) || !strings.HasSuffix(got, "\n") {
			t.Errorf("%s\nanswers %s\nwant %s", r.request, got, r.want)
		}
	}
	if len(*log) != 1 || (*log)[0] != "a line" {
		t.Errorf("the log has %q", *log)
	}
	if g.Tainted() == "" {
		t.Error("a start that used the file would be saved")
	}
	g, _ = fileCall(t, capability.Grant{})
	for _, function := range []string{"kv_get", "kv_put", "kv_delete", "kv_swap", "kv_list"} {
		arguments := map[string]string{"kv_put": `{"key": "a", "value": "b"}`, "kv_list": "{}"}[function]
		if arguments == "" {
			arguments = `{"key": "a"}`
		}
		if got := string(g.serve([]byte(ask(function, arguments)))); !strings.Contains(got, `"kind":"denied"`) {
			t.Errorf("%s without a grant answers %s", function, got)
		}
	}
	g.current.Load().stop(ErrOver)
	if got := g.serve([]byte(ask("log", `{"text": "late"}`))); got != nil {
		t.Errorf("after its end, the call gets %s", got)
	}
}

// FuzzRequestForm checks that readRequest accepts the same requests as the decoder of package json.
func FuzzRequestForm(f *testing.F) {
	for _, seed := range []string{
		`{"function":"kv_get","arguments":{"key":"a"}}`, `{"function": "kv_get", "arguments": {}}`, `{"function":"kv_get"}`,
		`{"arguments":{},"function":"log"}`, `{"function":"log","arguments":}`, `{"function":"log","arguments": {} }`, `{"function":"log","arguments":{}`,
		`{"function":"log","arguments":{},"function":"kv_get"}`, `{"function":"log","arguments":{}}{}`, `{"function":"log","arguments":1 , "more":2}`,
		`{"function":"l\u006fg","arguments":{}}`, `{"function":"log","arguments":"","arguments":""}`, "{\"function\":\"log\",\"arguments\":\"\xff\"}",
	} {
		f.Add([]byte(seed + "\n"))
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var want fileRequest
		valid := hostfuncs.DecodeOne(text, &want)
		got, ok := readRequest(text)
		if ok != valid || ok && (got.Function != want.Function || !bytes.Equal(got.Arguments, want.Arguments)) {
			t.Errorf("%q is %v %+v, want %v %+v", text, ok, got, valid, want)
		}
	})
}

func FuzzHostFile(f *testing.F) {
	for _, seed := range []string{
		`{"function": "kv_put", "arguments": {"key": "a", "value": {"base64": "/wA="}}}`,
		`{"function": "http_request", "arguments": {"head": {"method": "GET", "url": "http://a/", "headers": [["a", "b"]]}, "body": "x"}}`,
		`{"function": "update", "arguments": {"metadata": {"a": 1}}}`, `[]`, "\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, request []byte) {
		g, _ := fileCall(t, capability.Grant{KV: capability.ModeWrite})
		if answer := g.serve(request); !json.Valid(answer) {
			t.Errorf("%q answers %q", request, answer)
		}
	})
}
