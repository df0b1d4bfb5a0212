package extismtest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	extism "github.com/extism/go-sdk"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/runtime"
)

// plugins are the SDK's own, with the function to call. refused is part of why a plug-in
// cannot run here.
var plugins = []struct{ file, export, input, refused string }{
	{file: "alloc", export: "run_test"},
	{file: "config", export: "run_test"},
	{file: "count_vowels", export: "count_vowels", input: "hello world"},
	{file: "fail", export: "run_test"},
	{file: "hello", export: "run_test"},
	{file: "hello_haskell", export: "testing", input: "John"},
	{file: "host", export: "run_test", refused: "host that the plug-in was written for"},
	{file: "host_memory", export: "run_test", refused: "function host.to_upper"},
	{file: "input_offset", export: "input_offset_length", input: "hello world"},
	{file: "log", export: "run_test"},
	{file: "noop", export: "run_test"},
	{file: "var", export: "run_test"},
	{file: "exit", export: "_start"},
	{file: "std_command", export: "_start", input: "ben"},
	{file: "count_vowels_std", export: "_start", input: "hello"},
	{file: "println", export: "_start"},
	{file: "http", export: "run_test"},
}

func folder(t *testing.T) string {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/extism/go-sdk").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "wasm")
}

func TestPlugins(t *testing.T) {
	dir := folder(t)
	r := runtime.New(runtime.Options{})
	defer r.Close()
	for _, p := range plugins {
		t.Run(p.file, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			wasm, err := os.ReadFile(filepath.Join(dir, p.file+".wasm"))
			if err != nil {
				t.Fatal(err)
			}
			m, err := r.Load(ctx, wasm)
			if p.refused != "" {
				if err == nil || !strings.Contains(err.Error(), p.refused) {
					t.Errorf("got %v, want %q", err, p.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			b, err := hostfuncs.Bind(capability.Grant{}, hostfuncs.Options{}, hostfuncs.Services{})
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			entry, err := m.Entry(runtime.Extism, p.export)
			if err != nil {
				t.Fatal(err)
			}
			ours, ourErr := m.Call(ctx, runtime.Call{Entry: entry, Input: []byte(p.input), Bindings: b})

			plugin, err := extism.NewPlugin(ctx, extism.Manifest{Wasm: []extism.Wasm{extism.WasmData{Data: wasm}}}, extism.PluginConfig{EnableWasi: true}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer plugin.Close(ctx)
			code, theirs, theirErr := plugin.Call(p.export, []byte(p.input))
			if (ourErr == nil) != (theirErr == nil && code == 0) {
				t.Fatalf("we ended with %v, the SDK with %d, %v", ourErr, code, theirErr)
			}
			if ourErr == nil && string(ours.Output) != string(theirs) {
				t.Errorf("output %q, the SDK's %q", ours.Output, theirs)
			}
		})
	}
}
