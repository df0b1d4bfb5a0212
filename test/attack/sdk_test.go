package attack

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/guesttest"
	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

const fetchManifest = `
manifest = 1
name = "fetch"
version = "0.1.0"
description = "Uses the SDK as authors do."
[module]
path = "tool.wasm"
abi = "reactor"
[limits]
memory = "128MiB"
http_requests = 100
[permissions]
kv = "write"
[[permissions.net]]
url = "http://api.example.com/"
methods = ["GET", "POST"]
[parameters]
type = "object"
[parameters.properties]
do = { type = "string" }
url = { type = "string" }
key = { type = "string" }
value = { type = "string" }
`

// http.Get and the store work in a guest as their authors expect, and anything that is not granted
// gives a HostError.
func TestSDK(t *testing.T) {
	testlevel.Long(t, "a module with net/http takes long to compile")
	if raced {
		t.Skip("it takes minutes with the race detector")
	}
	w := newWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(rw, r, "/text", http.StatusFound)
		case "/away":
			http.Redirect(rw, r, "http://other.example.com/", http.StatusFound)
		case "/echo":
			body, _ := io.ReadAll(r.Body)
			fmt.Fprintf(rw, "%s %s %s", r.Method, r.Header.Get("Content-Type"), body)
		case "/missing":
			http.NotFound(rw, r)
		case "/large":
			fmt.Fprint(rw, strings.Repeat("0123456789", 100_000))
		default:
			hello(rw, r)
		}
	})
	dir := t.TempDir()
	wasm := guesttest.BuildGo(t, "../../guest/internal/fetch", guesttest.Reactor)
	for name, content := range map[string][]byte{"tool.toml": []byte(fetchManifest), "tool.wasm": wasm} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tools, err := standard.New(standard.Options{
		Sources:  standard.Sources{NoBuiltins: true, Tool: dir},
		Runtime:  runtime.Options{CacheDir: cacheDir, CompileCommand: runtime.SelfCompiler()},
		StateDir: t.TempDir(),
		HTTP:     w.options(),
		Config:   decode(t, "[grants]\nallow = [\"net:http://api.example.com/\", \"kv:write\"]\n[tools.fetch]\nauto_execute = true\n", nil),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tools.Close() })
	tests := []struct {
		do, url, key, value string
		want                string
	}{
		{do: "get", url: "http://api.example.com/text", want: "200 OK hello"},
		{do: "get", url: "http://api.example.com/missing", want: "404 Not Found 404 page not found\n"},
		{do: "get", url: "http://api.example.com/redirect", want: "200 OK hello"},
		{do: "get", url: "http://api.example.com/away", want: "host error denied, sent false"},
		{do: "get", url: "http://other.example.com/", want: "host error denied, sent false"},
		{do: "get", url: "http://169.254.169.254/", want: "host error denied, sent false"},
		{do: "get", url: "http://api.example.com/large", want: "200 OK " + strings.Repeat("0123456789", 100_000)},
		{do: "post", url: "http://api.example.com/echo", value: "sent", want: "200 OK POST text/plain sent"},
		{do: "unread", url: "http://api.example.com/large", want: "closed"},
		{do: "kv.get", key: "a", want: "not there"},
		{do: "kv.put", key: "a/b", value: strings.Repeat("v", 5000), want: "put"},
		{do: "kv.get", key: "a/b", want: strings.Repeat("v", 5000)},
		{do: "kv.swap", key: "a/c", value: "1", want: "true"},
		{do: "kv.swap", key: "a/c", value: "2", want: "false"},
		{do: "kv.list", key: "a/", want: "a/b,a/c"},
		{do: "kv.delete", key: "a/b", want: "deleted"},
		{do: "kv.list", key: "a/", want: "a/c"},
		{do: "kv.put", key: "", want: "key"},
	}
	for _, tt := range tests {
		arguments, err := json.Marshal(map[string]string{"do": tt.do, "url": tt.url, "key": tt.key, "value": tt.value})
		if err != nil {
			t.Fatal(err)
		}
		result, err := tools.Execute(t.Context(), tool.Call{Tool: "fetch", Arguments: arguments})
		if got := result.Text(); got != tt.want && (err == nil || !strings.Contains(got, tt.want)) {
			t.Errorf("%s %s%s: got %.200q, %v; want %.200q", tt.do, tt.url, tt.key, got, err, tt.want)
		}
	}
}
