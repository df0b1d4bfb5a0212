package standard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/guesttest"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/ledger/loop"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// hello is the example tool of the Go guest SDK, and probe the SDK's test tool. Each is a Go
// module of its own.
const (
	hello = "../../guest-examples/hello"
	probe = "../../guest/internal/probe"
)

// sdkForms are the ABIs of a tool, with the build flags of each.
var sdkForms = []struct {
	name  string
	flags []string
}{{"command", nil}, {"reactor", reactorFlags}}

var reactorFlags = []string{guesttest.Reactor}

// probeManifest is the manifest of a reactor; %s is the tool's name.
const probeManifest = `
manifest = 1
name = "%s"
version = "0.1.0"
description = "Does what its argument says."

[module]
path = "tool.wasm"
abi = "reactor"
output = "result"

[parameters]
type = "object"
[parameters.properties.do]
type = "string"
[parameters.properties.int]
type = "integer"
[parameters.properties.exact]
type = "number"
[parameters.properties.any]
`

func TestGuestSDK_hello(t *testing.T) {
	for _, form := range sdkForms {
		t.Run(form.name, func(t *testing.T) {
			tools := openHello(t, form.flags)
			tests := []struct {
				arguments string
				want      string
				code      tool.Code
			}{
				{`{"name":"World"}`, "Hello, World!\n", ""},
				{`{"name":"<a>","times":2.0}`, "Hello, <a>!\nHello, <a>!\n", ""},
				{`{"name":" "}`, `the argument "name" is empty; say whom to greet`, tool.CodeExecution},
				{`{}`, "name", tool.CodeInvalidArgument},
			}
			for _, tt := range tests {
				result, err := execute(t, tools, "hello", tt.arguments)
				got := result.Text()
				if code := tool.CodeOf(err); code != tt.code || code == "" && got != tt.want || !strings.Contains(got, tt.want) {
					t.Errorf("%s: got %q, %v; want %q and the code %q", tt.arguments, got, err, tt.want, tt.code)
				}
			}
		})
	}
}

// Only reactors use some parts of the SDK, and only a guest can run them, so this test calls a
// guest.
func TestGuestSDK_reactor(t *testing.T) {
	wasm := guesttest.BuildGo(t, probe, reactorFlags...)
	dir := t.TempDir()
	for _, name := range []string{"probe", "forgetful"} {
		putTool(t, filepath.Join(dir, name), "tool.wasm", fmt.Sprintf(probeManifest, name), wasm)
	}
	tools := openTools(t, dir)
	t.Run("output", func(t *testing.T) { testProbeOutput(t, tools) })
	t.Run("failure", func(t *testing.T) { testProbeFailure(t, tools) })
	t.Run("talk", func(t *testing.T) { testProbeTalk(t, tools) })
	t.Run("call", func(t *testing.T) {
		manifest := fmt.Sprintf(probeManifest, "caller") + "\n[permissions]\ntools = [\"echo\"]\n"
		tools, _ := openScripts(t, standard.Options{}, map[string]map[string]string{"caller": {"tool.toml": manifest, "tool.wasm": string(wasm)}})
		for _, name := range []string{"echo", "other"} {
			define(t, tools, tool.Spec{Name: name}, func(_ context.Context, in tool.Invocation) (tool.Result, error) {
				return tool.TextResult(string(in.Arguments), map[string]int{"n": 1})
			})
		}
		for range 3 {
			result, err := execute(t, tools, "caller", `{"do":"call"}`)
			if want := `["{\"text\":\"hello\"}","{\"n\":1}","permission_denied"]`; string(result.Structured) != want || err != nil {
				t.Errorf("got %s, %v, want %s", result.Structured, err, want)
			}
		}
	})
}

// TestGuestSDK_command shows that a command can call the same host functions.
func TestGuestSDK_command(t *testing.T) {
	dir := t.TempDir()
	manifest := strings.Replace(fmt.Sprintf(probeManifest, "probe"), `abi = "reactor"`, "", 1)
	putTool(t, filepath.Join(dir, "probe"), "tool.wasm", manifest, guesttest.BuildGo(t, probe))
	testProbeTalk(t, openTools(t, dir))
}

// testProbeTalk shows that messages of a tool arrive while it runs, and that it can read the
// information about its call.
func testProbeTalk(t *testing.T, tools *registry.Registry) {
	for n := range 3 { // the first calls use new instances, and a later call uses a reset instance
		var told []string
		session := fmt.Sprint("session ", n) // equal calls of one session would need approval
		call := tool.Call{
			Tool: "probe", Arguments: json.RawMessage(`{"do":"talk"}`), ID: "call_7", Tenant: "a tenant", Session: session, Message: "m", IdempotencyKey: "k", WorkingDirectory: "/workspace/src",
			OnLog: func(level slog.Level, text string) { told = append(told, fmt.Sprintf("%v %q", level, text)) },
			OnProgress: func(done, total float64, message string) {
				told = append(told, fmt.Sprintf("%v/%v %q", done, total, message))
			},
			OnUpdate: func(u tool.Update) {
				if u.Progress == nil {
					told = append(told, fmt.Sprintf("%s %s", u.Title, u.Metadata))
				}
			},
		}
		result, err := tools.Execute(t.Context(), call)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{
			`DEBUG "fine 0"`, `INFO "half way 1"`, `WARN "odd\x1b[31m 2"`, `ERROR "wrong 3"`, `1/2 "one of two"`, `2/2 ""`, `Counting map[files:3 names:["<a>"]]`,
		}
		if !slices.Equal(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
		seen := []string{}
		for _, info := range tools.Tools().List(catalogue.Filter{}) {
			seen = append(seen, strconv.Quote(info.Name))
		}
		if got, want := string(result.Structured), fmt.Sprintf(`{"tool":"probe","call_id":"call_7","session":%q,"message":"m","idempotency_key":"k","working_directory":"/workspace/src","tools":%s}`, session, "["+strings.Join(seen, ",")+"]"); got != want {
			t.Errorf("it knows %s, want %s", got, want)
		}
		if state, ok := tools.Calls().State(call.Tenant, call.ID); !ok || state.Title != "Counting" || string(state.Metadata["files"]) != "3" {
			t.Errorf("the state of the call is %+v", state)
		}
		// A listener is optional. A listener that panics does not affect the call.
		call.OnLog, call.OnProgress = nil, func(float64, float64, string) { panic("a listener") }
		if _, err := tools.Execute(t.Context(), call); err != nil {
			t.Errorf("with other listeners: %v", err)
		}
	}
}

func testProbeOutput(t *testing.T, tools *registry.Registry) {
	tests := []struct {
		name       string
		arguments  string
		text       string
		structured string
	}{
		{
			"exact numbers", `{"do":"echo","int":9223372036854775807,"exact":1.10,"any":[1.0,"<&>"]}`,
			`{"do":"echo","int":9223372036854775807,"exact":1.10,"any":[1.0,"<&>"]}`,
			`{"do":"echo","int":9223372036854775807,"exact":1.10,"any":[1.0,"<&>"]}`,
		},
		{"content", `{"do":"content"}`, "<a> & b", ""},
		{"goroutines and timers", `{"do":"wait"}`, "waited", ""},
		{"the first call", `{"do":"count"}`, "1", ""},
		{"the first call again, on a fresh instance", `{"do":"count"}`, "1", ""},
	}
	for _, tt := range tests {
		result, err := execute(t, tools, "probe", tt.arguments)
		if err != nil || result.Text() != tt.text || string(result.Structured) != tt.structured {
			t.Errorf("%s: got %q, %s, %v; want %q and %s", tt.name, result.Text(), result.Structured, err, tt.text, tt.structured)
		}
	}
	result, err := execute(t, tools, "probe", `{"do":"content"}`)
	if err != nil || len(result.Content) != 2 {
		t.Fatalf("got %+v, %v; want a text and an image", result, err)
	}
	if image := result.Content[1]; image.Type != tool.ContentImage || string(image.Data) != "GIF89a\x01\x00\x01\x00\x00\x00\x00;" || image.MIMEType != "image/gif" {
		t.Errorf("got %+v, want the image", image)
	}
}

func testProbeFailure(t *testing.T, tools *registry.Registry) {
	tests := []struct {
		name      string
		tool      string
		arguments string
		want      string
	}{
		{"an error", "probe", `{"do":"error"}`, "first line\nsecond line"},
		{"a result that fails", "probe", `{"do":"failf"}`, `no file "a.txt"`},
		{"a panic", "probe", `{"do":"panic"}`, "panic: oh no"},
		{"a panic, with a stack for the author", "probe", `{"do":"panic"}`, "main.probe("},
		{"a result that the host would not take", "probe", `{"do":"bad"}`, "content[0]: a block of type image needs data"},
		{"an input that does not fit", "probe", `{"int":9223372036854775808}`, "int: number 9223372036854775808 is not a valid int64"},
		{"a main without Run", "forgetful", `{}`, "call guest.Run in main"},
	}
	for _, tt := range tests {
		result, err := execute(t, tools, tt.tool, tt.arguments)
		if tool.CodeOf(err) != tool.CodeExecution || !strings.Contains(result.Text(), tt.want) {
			t.Errorf("%s: got %q, %v; want %q and the code execution", tt.name, result.Text(), err, tt.want)
		}
	}
}

func BenchmarkGuestSDK(b *testing.B) {
	for _, form := range sdkForms {
		b.Run(form.name, func(b *testing.B) {
			tools := openHello(b, form.flags)
			call := func() {
				if _, err := execute(b, tools, "hello", `{"name":"World"}`); err != nil {
					b.Fatal(err)
				}
			}
			call() // compile the module
			for b.Loop() {
				call()
			}
		})
	}
}

func openHello(tb testing.TB, flags []string) *registry.Registry {
	tb.Helper()
	manifest, err := os.ReadFile(filepath.Join(hello, "tool.toml"))
	if err != nil {
		tb.Fatal(err)
	}
	dir := tb.TempDir()
	putTool(tb, dir, "hello.wasm", string(manifest), guesttest.BuildGo(tb, hello, flags...))
	return openTools(tb, dir)
}

// putTool writes the directory of a tool.
func putTool(tb testing.TB, dir, module, manifest string, wasm []byte) {
	tb.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		tb.Fatal(err)
	}
	for name, content := range map[string][]byte{"tool.toml": []byte(manifest), module: wasm} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			tb.Fatal(err)
		}
	}
}

func openTools(tb testing.TB, dir string) *registry.Registry {
	tb.Helper()
	tools, err := standard.New(standard.Options{
		Sources:  standard.Sources{NoBuiltins: true, Directories: []string{dir}},
		Registry: registry.Options{Calls: ledger.Options{Loops: loop.Options{Off: true}}},
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := tools.Close(); err != nil {
			tb.Error(err)
		}
	})
	return tools
}

func execute(tb testing.TB, tools *registry.Registry, name, arguments string) (tool.Result, error) {
	tb.Helper()
	return tools.Execute(tb.Context(), tool.Call{Tool: name, Arguments: json.RawMessage(arguments)})
}
