package attack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// requester returns an Extism plug-in that sends the request in its input. Its function "body"
// returns the body of the response, "headers" returns the headers, and "many" sends requests
// forever.
func requester() []byte {
	const request, headers, setOutput, length, input, setVar, getVar = 0, 1, 2, 3, 4, 5, 6
	l, none := byte(wasmtest.I64), []byte{wasmtest.I64Const, 0}
	send := wasmtest.Code(wasmtest.CallFunc(input), none, wasmtest.CallFunc(request))
	// A request consumes its head, so the loop reads the head from a variable each time.
	again := wasmtest.Code(
		none, wasmtest.CallFunc(input), wasmtest.CallFunc(setVar), []byte{wasmtest.Loop, wasmtest.Empty},
		none, wasmtest.CallFunc(getVar), none, wasmtest.CallFunc(request), []byte{wasmtest.Drop, wasmtest.Br, 0, wasmtest.End},
	)
	output := []byte{0x22, 0, wasmtest.LocalGet, 0} // local.tee
	output = wasmtest.Code(output, wasmtest.CallFunc(length), wasmtest.CallFunc(setOutput), wasmtest.Const(0))
	imp := func(name string, typ uint32) wasmtest.Import {
		return wasmtest.Import{Module: "extism:host/env", Name: name, Type: typ}
	}
	locals := []byte{l}
	return wasmtest.Module{
		Types: []wasmtest.FuncType{
			{Results: []byte{wasmtest.I32}},
			{Params: []byte{l, l}, Results: []byte{l}},
			{Results: []byte{l}},
			{Params: []byte{l, l}},
			{Params: []byte{l}, Results: []byte{l}},
		},
		Imports: []wasmtest.Import{imp("http_request", 1), imp("http_headers", 2), imp("output_set", 3), imp("length", 4), imp("input_offset", 2), imp("var_set", 3), imp("var_get", 4)},
		Funcs: []wasmtest.Func{
			{Locals: locals, Body: wasmtest.Code(send, output)},
			{Locals: locals, Body: wasmtest.Code(send, []byte{wasmtest.Drop}, wasmtest.CallFunc(headers), output)},
			{Body: wasmtest.Code(again, wasmtest.Const(0))},
		},
		Memory: []uint32{1},
		Exports: []wasmtest.Export{
			{Name: "body", Index: 7}, {Name: "headers", Index: 8}, {Name: "many", Index: 9}, {Name: "memory", Kind: 2},
		},
	}.Bytes()
}

// extismLab returns a lab whose tools are requesters. They have the permissions that scripts have
// in the tests of secrets. Each tool is named after the function that it calls.
func extismLab(t *testing.T, w *world) *lab {
	t.Helper()
	tools := make(map[string]string)
	for _, name := range []string{"body", "headers", "many"} {
		tools[name] = secretiveAsked
	}
	const ofScripts = "[tools.script]\nauto_execute = true\n"
	operator := strings.TrimSuffix(secretiveGiven, ofScripts)
	for name := range tools {
		operator += fmt.Sprintf("[tools.%s]\nauto_execute = true\n", name)
	}
	form := func(name string) string {
		return fmt.Sprintf("abi = \"extism\"\nstdin = \"{text}\"\nentry = %q", name)
	}
	return newLab(t, setup{tools: tools, plugin: requester(), form: form, operator: operator, env: secretEnv, http: w.options()})
}

// sends returns a call of the requester with the given name. If method is not "", the request has
// that method. The header X-To of the request tells hop where to redirect.
func sends(t *testing.T, name, method, url, to string) tool.Call {
	t.Helper()
	request, err := json.Marshal(map[string]any{"method": method, "url": url, "headers": map[string]string{"X-To": to}})
	if err != nil {
		t.Fatal(err)
	}
	arguments, err := json.Marshal(map[string]string{"text": string(request)})
	if err != nil {
		t.Fatal(err)
	}
	return tool.Call{Tool: name, Arguments: arguments}
}

// hop is a server that redirects to the URL in the header X-To of the request.
func hop(rw http.ResponseWriter, r *http.Request) {
	if to := r.Header.Get("X-To"); to != "" {
		rw.Header().Set("Location", to)
		rw.WriteHeader(http.StatusFound)
		return
	}
	hello(rw, r)
}

// Each request of a plug-in, and each redirect, is checked against the grant (security.md D1, D3).
func TestExtismRequests(t *testing.T) {
	w := newWorld(t, hop)
	w.answers["private.example.com"] = []string{"127.0.0.1"}
	w.answers["cloud.example.com"] = []string{metadata}
	l := extismLab(t, w)
	for _, tt := range []struct{ method, url, to string }{
		{"", "https://evil.com/", ""},
		{"", "http://api.example.com/", ""},
		{"", "http://127.0.0.1/", ""},
		{"", "https://private.example.com/", ""},
		{"", "https://cloud.example.com/", ""},
		{"DELETE", "https://api.example.com/", ""},
		{"post", "https://other.example.com/", ""},
		{"CONNECT", "https://api.example.com/", ""},
		{"", "file:///etc/passwd", ""},
		{"", "", ""},
		{"", "https://api.example.com/", "http://127.0.0.1/"},
		{"", "https://api.example.com/", "http://" + metadata + "/"},
		{"", "https://api.example.com/", "https://evil.com/"},
		{"", "https://api.example.com/", "http://api.example.com/"},
		{"", "https://api.example.com/", "https://private.example.com/"},
		{"", "https://api.example.com/", "file:///etc/passwd"},
		{"", "https://api.example.com/", "https://api.example.com/"}, // redirects forever
	} {
		_, err := l.execute(t, sends(t, "body", tt.method, tt.url, tt.to))
		if tool.CodeOf(err) != tool.CodeExecution || !strings.Contains(err.Error(), "the HTTP request failed: ") {
			t.Errorf("%+v: %v", tt, err)
		}
	}
	for _, r := range w.requests() {
		if r.Host != "api.example.com" || r.Method != "GET" {
			t.Errorf("%s %s arrived", r.Method, r.Host)
		}
	}
	for _, asked := range w.asked() {
		if strings.Contains(asked, "127.0.0.1") || strings.Contains(asked, metadata) || strings.Contains(asked, "evil") {
			t.Errorf("%s was looked up or dialled", asked)
		}
	}
	for _, tt := range []struct{ method, url string }{{"", "https://api.example.com/"}, {"get", "https://api.example.com/x"}, {"post", "https://api.example.com/x"}, {"", "https://other.example.com/"}} {
		if result, err := l.execute(t, sends(t, "body", tt.method, tt.url, "")); err != nil || result.Text() != "hello" {
			t.Errorf("%+v, which is granted: %v, %q", tt, err, result.Text())
		}
	}
}

// A plug-in cannot send more requests than a call may send.
func TestExtismRequestsWithoutEnd(t *testing.T) {
	w := newWorld(t, hello)
	_, err := extismLab(t, w).execute(t, sends(t, "many", "", "https://api.example.com/", ""))
	if got := len(w.requests()); tool.CodeOf(err) != tool.CodeExecution || got != 20 {
		t.Errorf("%d requests arrived: %v", got, err)
	}
}

// A plug-in sees no secret, in any form in which a server returns it.
func TestExtismSecrets(t *testing.T) {
	w := newWorld(t, parrot)
	l := extismLab(t, w)
	for _, path := range parrotPaths {
		for _, name := range []string{"body", "headers"} {
			for _, host := range []string{"api", "login"} {
				call := sends(t, name, "", "https://"+host+".example.com"+path, "")
				all, _, err := l.everything(t, call)
				if found := leaks(all); found != "" {
					t.Errorf("%s of %s: %s", name, path, found)
				}
				if path == "/plain" && (err != nil || name == "body" && !strings.Contains(all, "[secret:")) {
					t.Errorf("%s of %s: %v, %s", name, path, err, all)
				}
			}
		}
	}
	sent := 0
	for _, r := range w.requests() {
		if r.Header.Get("Authorization") != "" {
			sent++
			if r.Host == "other.example.com" {
				t.Error("a secret went to another host")
			}
		}
	}
	if sent == 0 {
		t.Error("no request had a secret")
	}
}
