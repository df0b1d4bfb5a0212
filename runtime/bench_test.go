package runtime

import (
	"bytes"
	"context"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// counting counts down from 20 million in a loop.
func counting() wasmtest.Module {
	const localSet, i32Sub, brIf = 0x21, 0x6b, 0x0d
	return wasmtest.Module{
		Types: []wasmtest.FuncType{{}}, Exports: []wasmtest.Export{{Name: "_start"}},
		Funcs: []wasmtest.Func{{Locals: []byte{wasmtest.I32}, Body: wasmtest.Code(
			wasmtest.Const(20_000_000), []byte{localSet, 0, wasmtest.Loop, wasmtest.Empty, wasmtest.LocalGet, 0},
			wasmtest.Const(1), []byte{i32Sub, localSet, 0, wasmtest.LocalGet, 0, brIf, 0, wasmtest.End},
		)}},
	}
}

// BenchmarkAgainstTheEngine compares calls of this package with the engine alone, on the same
// modules in the same run. The engine runs with and without its own interruption; see
// docs/performance.md.
func BenchmarkAgainstTheEngine(b *testing.B) {
	for _, guest := range []struct {
		name string
		wasm []byte
		args []string
	}{
		{"loop", counting().Bytes(), nil},
		{"go", probeModule(b), []string{"cat"}},
	} {
		b.Run(guest.name+"/wasmtool", func(b *testing.B) {
			m := load(b, newRuntime(b, Options{}), guest.wasm)
			for b.Loop() {
				bindings, err := hostfuncs.Bind(capability.Grant{}, files.Options{}, hostfuncs.Services{})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := m.Call(context.Background(), Call{Args: guest.args, Input: []byte(`{"a":1}`), Bindings: bindings}); err != nil {
					b.Fatal(err)
				}
				bindings.Close()
			}
		})
		for name, config := range map[string]wazero.RuntimeConfig{
			"engine":               wazero.NewRuntimeConfig(),
			"engine_interruptible": wazero.NewRuntimeConfig().WithCloseOnContextDone(true),
		} {
			b.Run(guest.name+"/"+name, func(b *testing.B) { benchmarkEngine(b, config, guest.wasm, guest.args) })
		}
	}
}

func benchmarkEngine(b *testing.B, config wazero.RuntimeConfig, wasm []byte, args []string) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r := wazero.NewRuntimeWithConfig(ctx, config)
	defer r.Close(ctx)
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	module, err := r.CompileModule(ctx, wasm)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		var out bytes.Buffer
		_, err := r.InstantiateModule(ctx, module, wazero.NewModuleConfig().WithName("").
			WithArgs(append([]string{"probe"}, args...)...).WithStdin(bytes.NewReader([]byte(`{"a":1}`))).WithStdout(&out))
		if err != nil {
			b.Fatal(err)
		}
	}
}
