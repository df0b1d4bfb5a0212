package sdk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/hostfuncs/kv"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/ledger/loop"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// manifest is the manifest of a program: name, form, output and permissions.
const manifest = `
manifest = 1
name = %q
version = "0.1.0"
description = "Does what its argument says."
timeout = "5m"
limits.memory = "128MiB"
%s
[module]
path = "tool.wasm"
abi = %q
output = %q

[parameters]
type = "object"
additionalProperties = true
%s
`

const asked = `
[permissions]
kv = "write"
tools = ["double", "fails", "missing"]
[[permissions.fs]]
mount = "workspace"
mode = "write"
at = "/workspace"
[[permissions.net]]
url = "http://api.example.com/"
methods = ["GET", "POST"]
secrets = [{ name = "TOKEN", header = "Authorization", prefix = "Bearer " }]
[[permissions.net]]
url = "http://inside.example.com/"
[[permissions.net]]
url = "http://unknown.example.com/"
[[permissions.net]]
url = "http://down.example.com/"
`

const settings = `
[settings.engine]
description = "How fast it is."
default = "slow"
`

const given = `
[mounts.workspace]
path = %q
mode = "write"
[secrets.TOKEN]
env = "TOKEN"
urls = ["http://api.example.com/"]
[grants]
allow = ["write:workspace", "kv:write", "secret:TOKEN", "tools:*", "net:http://*.example.com/"]
[tools.act]
auto_execute = true
[tools.blocks]
auto_execute = true
`

const token = "canary-0123456789"

// lab is a registry with a program under the names that select what it does.
type lab struct{ *registry.Registry }

func newLab(t testing.TB, wasm []byte, form string) *lab {
	t.Helper()
	dir := t.TempDir()
	put := func(name, content string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	put("work/notes/é.txt", "old \"é\"\n")
	for _, p := range []struct{ name, output, head, permissions string }{
		{"act", "text", settings, asked}, {"bare", "text", "", ""}, {"quote", "json", "", ""}, {"blocks", "result", "", ""},
	} {
		put("tools/"+p.name+"/tool.toml", fmt.Sprintf(manifest, p.name, "", form, p.output, p.head+p.permissions))
		put("tools/"+p.name+"/tool.wasm", string(wasm))
	}
	operator := fmt.Sprintf(given, filepath.Join(dir, "work"))
	c, err := config.Decode(config.File{Path: filepath.Join(dir, config.FileName), Name: config.FileName}, []byte(operator), func(name string) (string, bool) {
		return token, name == "TOKEN"
	})
	if err != nil {
		t.Fatal(err)
	}
	tools, err := standard.New(standard.Options{
		Config:   c,
		Sources:  standard.Sources{NoBuiltins: true, Directories: []string{filepath.Join(dir, "tools")}},
		Runtime:  runtime.Options{CacheDir: cacheDir},
		Registry: registry.Options{Calls: ledger.Options{Loops: loop.Options{Off: true}}},
		HTTP:     world(t),
		KV:       kv.NewMemory(kv.Options{MaxKeys: 30, MaxBytes: 1 << 20}),
		StateDir: filepath.Join(dir, "state"),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tools.Close(); err != nil {
			t.Error(err)
		}
	})
	define(t, tools, "double", func(_ context.Context, in struct {
		Text string `json:"text"`
		N    int    `json:"n"`
	},
	) (tool.Result, error) {
		return tool.TextResult(in.Text+in.Text, map[string]int{"n": 2 * in.N})
	})
	for _, name := range []string{"fails", "other"} {
		define(t, tools, name, func(context.Context, struct{}) (tool.Result, error) {
			return tool.Result{}, tool.Errorf(tool.CodeExecution, "no luck")
		})
	}
	return &lab{tools}
}

// world returns the access to a server that has the public names of example.com.
func world(t testing.TB) egress.Transport {
	server := httptest.NewServer(http.HandlerFunc(serve))
	t.Cleanup(server.Close)
	return egress.Transport{
		LookupNetIP: func(_ context.Context, _, host string) ([]netip.Addr, error) {
			address, ok := map[string]string{
				"api.example.com": "93.184.216.34", "other.example.com": "93.184.216.34", "down.example.com": "93.184.216.35", "inside.example.com": "10.0.0.1",
			}[host]
			if !ok {
				return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
			}
			return []netip.Addr{netip.MustParseAddr(address)}, nil
		},
		Dial: func(ctx context.Context, _, address string) (net.Conn, error) {
			if strings.HasPrefix(address, "93.184.216.35") {
				return nil, errors.New("refused")
			}
			return new(net.Dialer).DialContext(ctx, "tcp", server.Listener.Addr().String())
		},
	}
}

func serve(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/echo":
		w.Header().Set("X-Answer", r.Method+" "+r.URL.RawQuery+" "+r.Header.Get("X-Ask"))
		_, _ = io.Copy(w, r.Body) // if it is incomplete, the transcript differs
	case "/binary":
		fmt.Fprint(w, "\xff\x00A\xc3(")
	case "/large":
		// A program may not read it to the end.
		_, _ = w.Write(bytes.Repeat([]byte("0123456789abcdef"), 20_000))
	case "/headers":
		for i := range 50 {
			w.Header().Set(fmt.Sprintf("X-Header-%d", i), "a value that makes the head longer than a first buffer")
		}
		w.Header().Set("X-Answer", "found")
	case "/away":
		http.Redirect(w, r, "/final?x=1", http.StatusFound)
	case "/out":
		http.Redirect(w, r, "http://other.example.com/", http.StatusFound)
	case "/final":
		fmt.Fprint(w, "the end")
	case "/token":
		fmt.Fprint(w, "sent ", r.Header.Get("Authorization"))
	case "/leak":
		fmt.Fprint(w, "\xff\x00\x01", r.Header.Get("Authorization"))
	case "/empty":
	case "/garbage":
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			fmt.Fprint(conn, "garbage\r\n\r\n")
			conn.Close()
		}
	default:
		http.Error(w, "not here", http.StatusNotFound)
	}
}

// define registers a tool in Go.
func define[In any](t testing.TB, tools *registry.Registry, name string, f func(context.Context, In) (tool.Result, error)) {
	t.Helper()
	spec, executor, err := native.Define(native.Options{Spec: tool.Spec{Name: name, Description: "A tool of the test.", Version: "1.0.0"}}, f)
	if err == nil {
		err = tools.Tools().Register(spec, executor)
	}
	if err != nil {
		t.Fatal(err)
	}
}
