package extism

import (
	"bytes"
	"testing"

	extism "github.com/extism/go-sdk"

	"github.com/wasmtool/wasmtool/runtime"
)

// BenchmarkCall compares three kinds of calls: with package runtime, where each call finds a
// clean plug-in; with one SDK instance for all calls, which keeps the state of earlier calls;
// and with a new SDK instance for each call.
func BenchmarkCall(b *testing.B) {
	for _, bb := range []struct {
		name, file, export string
		input              []byte
	}{
		{"count_vowels of 11 bytes, Rust", "count_vowels", "count_vowels", []byte("hello world")},
		{"count_vowels of 1 MB, Rust", "count_vowels", "count_vowels", bytes.Repeat([]byte("hello world!"), 1<<20/12)},
		{"replace in 1 MB, TinyGo", "replace", "run_test", bytes.Repeat([]byte("hello world!"), 1<<20/12)},
		{"log, TinyGo", "log", "run_test", nil},
	} {
		b.Run(bb.name, func(b *testing.B) {
			wasm := readPlugin(b, bb.file)
			b.Run("wasmtool", func(b *testing.B) {
				m := load(b, newRuntime(b), wasm)
				entry, err := m.Entry(runtime.Extism, bb.export)
				if err != nil {
					b.Fatal(err)
				}
				call := runtime.Call{Entry: entry, Input: bb.input, Bindings: bind(b, access{})}
				for b.Loop() {
					if _, err := m.Call(b.Context(), call); err != nil {
						b.Fatal(err)
					}
				}
			})
			config := extism.PluginConfig{EnableWasi: true}
			compiled, err := extism.NewCompiledPlugin(b.Context(), extism.Manifest{Wasm: []extism.Wasm{extism.WasmData{Data: wasm}}}, config, nil)
			if err != nil {
				b.Fatal(err)
			}
			defer compiled.Close(b.Context())
			instance := func() *extism.Plugin {
				p, err := compiled.Instance(b.Context(), extism.PluginInstanceConfig{})
				if err != nil {
					b.Fatal(err)
				}
				return p
			}
			call := func(p *extism.Plugin) {
				if code, _, err := p.Call(bb.export, bb.input); code != 0 || err != nil {
					b.Fatal(code, err)
				}
			}
			b.Run("SDK, reused", func(b *testing.B) {
				p := instance()
				defer p.Close(b.Context())
				for b.Loop() {
					call(p)
				}
			})
			b.Run("SDK, new", func(b *testing.B) {
				for b.Loop() {
					p := instance()
					call(p)
					p.Close(b.Context())
				}
			})
		})
	}
}
