package extismtest

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	extism "github.com/extism/go-sdk"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/runtime"
)

// plugin is a call of one of the SDK's plug-ins, and what comes of it.
type plugin struct {
	file, export, input string
	config              map[string]string
	writes              bool // whether its folder may be written to
	// output is what both give.
	output string
	// fails is how the call ends here, when it fails in both, code with which number,
	// and failure what the plug-in says.
	fails   runtime.Reason
	code    uint32
	failure string
	// refused is why the plug-in cannot run here.
	refused string
	// logs is what it logs here.
	logs []string
}

// plugins has all of them.
var plugins = []plugin{
	{file: "alloc", export: "run_test"},
	{file: "config", export: "run_test", config: map[string]string{"thing": "hello"}, output: `{"config": "hello"}`},
	{file: "config", export: "run_test", output: `{"config": "<unset by host>"}`},
	{file: "count_vowels", export: "count_vowels", input: "hello world", output: `{"count":3,"total":3,"vowels":"aeiouAEIOU"}`},
	{file: "count_vowels", export: "count_vowels", input: "hello world", config: map[string]string{"vowels": "l"}, output: `{"count":3,"total":3,"vowels":"l"}`},
	{file: "count_vowels_std", export: "_start", input: "hello", output: `{"count": 2, "config": "<unset by host>", "a": "this is var a"}`},
	{file: "exit", export: "_start", config: map[string]string{"code": "-1"}, fails: runtime.Failed, code: 1<<32 - 1},
	{file: "exit", export: "_start", config: map[string]string{"code": "500"}, fails: runtime.Failed, code: 500},
	{file: "exit", export: "_start", config: map[string]string{"code": "0"}},
	{file: "exit", export: "_start", fails: runtime.Failed, code: 2},
	{file: "fail", export: "run_test", fails: runtime.Failed, code: 1, failure: "Some error message"},
	{file: "fs", export: "run_test", writes: true, output: "hello world!"},
	{ // it opens its file for writing, too
		file: "fs", export: "run_test", fails: runtime.Failed, code: 1,
		logs: []string{"ERROR open /mnt/test.txt: errno 69"},
	},
	{file: "fs_std", export: "run_test", writes: true, output: "hello world!"},
	{file: "hello", export: "run_test", output: "Hello, world!"},
	{file: "hello_haskell", export: "testing", input: "John", config: map[string]string{"greeting": "Howdy"}, output: "Howdy, John"},
	{file: "host", export: "run_test", refused: "extism:host/user.mult, which only the host that the plug-in was written for has"},
	{file: "host_memory", export: "run_test", refused: "function host.to_upper"},
	{file: "host_multiple", export: "say_green", refused: "extism:host/user.hostGreenMessage, which only the host"},
	{file: "http", export: "run_test", fails: runtime.Failed}, // see TestHTTP
	{
		file: "http_headers", export: "http_get", input: `{"url": "https://extism.org"}`, fails: runtime.Failed,
		logs: []string{"INFO Request to: https://extism.org"},
	},
	{file: "input_offset", export: "input_offset_length", input: "hello world", output: "\x0b\x00\x00\x00\x00\x00\x00\x00"},
	{file: "lib", export: "capitalize", refused: "capitalize has the type (i64) -> i64, not () -> i32"},
	{file: "log", export: "run_test", logs: []string{
		"DEBUG this is a trace log", "DEBUG this is a debug log", "INFO this is an info log", "WARN this is a warning log", "ERROR this is an error log",
	}},
	{file: "main", export: "run_test", refused: "function lib.capitalize"},
	{file: "nested.c.instr", export: "_start", refused: "function dylibso_observe.instrument_enter"},
	{file: "noop", export: "run_test"},
	{file: "println", export: "_start"},
	{file: "println", export: "run_test"},
	{file: "read_write", export: "try_read", config: map[string]string{"path": "/mnt/test.txt"}, output: "hello world!"},
	{
		file: "read_write", export: "try_write", input: "x", config: map[string]string{"path": "/mnt/test.txt"},
		fails: runtime.Failed, code: 1, failure: "Failed to write file: Read-only file system (os error 69)",
	},
	{file: "replace", export: "run_test", input: "benjamin", output: "benjamin"},
	{file: "sleep", export: "run_test", config: map[string]string{"duration": "0"}, output: "slept for 0 seconds"},
	{file: "std_command", export: "_start", input: "ben", output: "hello ben"},
	{file: "var", export: "run_test", output: "a: 0"},
}

// deadline is that of the calls: what takes longer hangs.
const deadline = time.Minute

// There is a row for each of the SDK's plug-ins.
func TestAllPluginsAreListed(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(folder(t, "wasm"), "*.wasm"))
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".wasm")
		if !slices.ContainsFunc(plugins, func(p plugin) bool { return p.file == name }) {
			t.Errorf("%s is not listed", name)
		}
	}
}

// Each plug-in does here what it does with the SDK, or is told why it does not run here.
func TestPlugins(t *testing.T) {
	r := newRuntime(t)
	for _, p := range plugins {
		t.Run(p.file, func(t *testing.T) {
			t.Parallel()
			dir := copied(t)
			wasm := read(t, p.file)
			m, err := r.Load(t.Context(), wasm)
			var entry runtime.Entry
			if err == nil {
				defer m.Close()
				entry, err = m.Entry(runtime.Extism, p.export)
			}
			if p.refused != "" {
				var e *runtime.Error
				if !errors.As(err, &e) || e.Reason != runtime.InvalidModule || !strings.Contains(err.Error(), p.refused) {
					t.Errorf("got %v, want %q", err, p.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			theirs, theirErr := sdkCall(t, wasm, p, dir)
			if (theirErr == nil) != (p.fails == "") {
				t.Fatalf("with the SDK: %v", theirErr)
			}
			if theirErr == nil && string(theirs) != p.output {
				t.Errorf("output %q with the SDK, want %q", theirs, p.output)
			}
			mnt := capability.GrantedFS{FS: capability.FS{Mount: "data", Mode: capability.ModeRead, At: "/mnt"}, Dir: dir}
			if p.writes {
				mnt.Mode = capability.ModeWrite
			}
			for range 3 { // the third is made on an instance that was reset
				var logs []string
				b := bind(t, setup{
					grant: capability.Grant{FS: []capability.GrantedFS{mnt}},
					log:   hostfuncs.Listener{Log: func(level slog.Level, text string) { logs = append(logs, level.String()+" "+text) }},
				})
				ctx, cancel := context.WithTimeout(t.Context(), deadline)
				defer cancel()
				ours, err := m.Call(ctx, runtime.Call{Entry: entry, Input: []byte(p.input), Config: p.config, Bindings: b})
				var e *runtime.Error
				if errors.As(err, &e) != (p.fails != "") || e != nil && (e.Reason != p.fails || e.ExitCode != p.code) {
					t.Fatalf("ended with %v, %+v, want %q with %d", err, e, p.fails, p.code)
				}
				if string(ours.Output) != p.output || string(ours.Failure) != p.failure {
					t.Errorf("output %q and failure %q, want %q and %q", ours.Output, ours.Failure, p.output, p.failure)
				}
				if !reflect.DeepEqual(logs, p.logs) {
					t.Errorf("logs %q, want %q", logs, p.logs)
				}
			}
		})
	}
}

// copied is a folder like the one that the SDK's tests mount: a tool may mount no folder of
// the module cache.
func copied(t *testing.T) string {
	text, err := os.ReadFile(filepath.Join(folder(t, "testdata"), "test.txt"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "test.txt"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// sdkCall calls a plug-in with the SDK, as its own tests do.
func sdkCall(t *testing.T, wasm []byte, p plugin, dir string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	if !p.writes {
		dir = "ro:" + dir
	}
	manifest := extism.Manifest{
		Wasm: []extism.Wasm{extism.WasmData{Data: wasm}}, Config: p.config, AllowedPaths: map[string]string{dir: "/mnt"},
	}
	return sdkOutput(ctx, t, manifest, p.export, p.input)
}
