package extism

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
	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/runtime"
)

// pluginCall is a call of one of the SDK's plug-ins with the expected result.
type pluginCall struct {
	file, export, input string
	config              map[string]string
	writes              bool // the directory /mnt is writable
	long                bool // takes seconds, so it runs only in long tests

	// output is the output with both runtimes.
	output string
	// fails is the reason of the error with package runtime; the call must also fail with the SDK.
	// Empty means that the call succeeds with both.
	fails runtime.Reason
	// code is the exit code of a failed call with package runtime.
	code uint32
	// failure is the message that the plug-in sets with error_set.
	failure string
	// refused is a part of the error when package runtime cannot run the plug-in.
	refused string
	// logs are the messages that the plug-in logs with package runtime.
	logs []string
}

// calls has at least one call of each plug-in of the SDK.
var calls = []pluginCall{
	{file: "alloc", export: "run_test", long: true}, // 6 s with the SDK
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
	{ // the plug-in also opens its file for writing
		file: "fs", export: "run_test", fails: runtime.Failed, code: 1,
		logs: []string{"ERROR open /mnt/test.txt: errno 69"},
	},
	{file: "fs_std", long: true, export: "run_test", writes: true, output: "hello world!"},
	{file: "hello", export: "run_test", output: "Hello, world!"},
	{file: "hello_haskell", export: "testing", input: "John", config: map[string]string{"greeting": "Howdy"}, output: "Howdy, John"},
	{file: "host", export: "run_test", refused: "extism:host/user.mult, which exists only in the host that the plug-in was written for"},
	{file: "host_memory", export: "run_test", refused: "function host.to_upper"},
	{file: "host_multiple", export: "say_green", refused: "extism:host/user.hostGreenMessage, which exists only in the host"},
	{file: "http", export: "run_test", fails: runtime.Failed}, // see TestRequestNeedsGrant
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
	{file: "std_command", long: true, export: "_start", input: "ben", output: "hello ben"},
	{file: "var", export: "run_test", output: "a: 0"},
}

// deadline bounds each call. It is long even for a slow machine, so a call that takes longer is
// considered to hang.
const deadline = time.Minute

func TestEveryPluginOfSDKIsCalled(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(sdkPath(t, "wasm"), "*.wasm"))
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".wasm")
		if !slices.ContainsFunc(calls, func(c pluginCall) bool { return c.file == name }) {
			t.Errorf("calls has no call of %s", name)
		}
	}
}

// TestPluginsBehaveAsWithSDK runs each call with both runtimes. A plug-in that package runtime
// refuses must get the expected error.
func TestPluginsBehaveAsWithSDK(t *testing.T) {
	r := newRuntime(t)
	for _, c := range calls {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			if c.long {
				testlevel.Long(t, "compiling the plug-in, or running it with the SDK, takes seconds")
			}
			dir := mountedDirectory(t)
			wasm := readPlugin(t, c.file)
			m, err := r.Load(t.Context(), wasm)
			var entry runtime.Entry
			if err == nil {
				defer m.Close()
				entry, err = m.Entry(runtime.Extism, c.export)
			}
			if c.refused != "" {
				var e *runtime.Error
				if !errors.As(err, &e) || e.Reason != runtime.InvalidModule || !strings.Contains(err.Error(), c.refused) {
					t.Errorf("got %v, want %q", err, c.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			theirs, theirErr := callAsSDKTests(t, wasm, c, dir)
			if (theirErr == nil) != (c.fails == "") {
				t.Fatalf("with the SDK: %v", theirErr)
			}
			if theirErr == nil && string(theirs) != c.output {
				t.Errorf("output %q with the SDK, want %q", theirs, c.output)
			}
			mnt := capability.GrantedFS{FS: capability.FS{Mount: "data", Mode: capability.ModeRead, At: "/mnt"}, Dir: dir}
			if c.writes {
				mnt.Mode = capability.ModeWrite
			}
			for range 3 { // the third call runs on an instance that was reset
				var logs []string
				b := bind(t, access{
					grant: capability.Grant{FS: []capability.GrantedFS{mnt}},
					log:   hostfuncs.Listener{Log: func(level slog.Level, message string) { logs = append(logs, level.String()+" "+message) }},
				})
				ctx, cancel := context.WithTimeout(t.Context(), deadline)
				defer cancel()
				ours, err := m.Call(ctx, runtime.Call{Entry: entry, Input: []byte(c.input), Config: c.config, Bindings: b})
				var e *runtime.Error
				if errors.As(err, &e) != (c.fails != "") || e != nil && (e.Reason != c.fails || e.ExitCode != c.code) {
					t.Fatalf("ended with %v, %+v, want %q with %d", err, e, c.fails, c.code)
				}
				if string(ours.Output) != c.output || string(ours.Failure) != c.failure {
					t.Errorf("output %q and failure %q, want %q and %q", ours.Output, ours.Failure, c.output, c.failure)
				}
				if !reflect.DeepEqual(logs, c.logs) {
					t.Errorf("logs %q, want %q", logs, c.logs)
				}
			}
		})
	}
}

// mountedDirectory returns a copy of the directory that the SDK's tests mount. The copy is
// needed because a tool must not mount a directory of the module cache.
func mountedDirectory(t *testing.T) string {
	content, err := os.ReadFile(filepath.Join(sdkPath(t, "testdata"), "test.txt"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "test.txt"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// callAsSDKTests calls a plug-in with the manifest that the SDK's own tests use.
func callAsSDKTests(t *testing.T, wasm []byte, c pluginCall, dir string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	if !c.writes {
		dir = "ro:" + dir
	}
	manifest := extism.Manifest{
		Wasm: []extism.Wasm{extism.WasmData{Data: wasm}}, Config: c.config, AllowedPaths: map[string]string{dir: "/mnt"},
	}
	return callWithSDK(ctx, t, manifest, c.export, c.input)
}
