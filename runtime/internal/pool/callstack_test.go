package pool

import (
	"context"
	goruntime "runtime"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// onEngine returns a guest function on the plain engine. The function calls itself as many times as
// its parameter specifies, and then calls the host.
func onEngine(t *testing.T, config wazero.RuntimeConfig, host api.GoModuleFunc) api.Function {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, config)
	t.Cleanup(func() {
		if err := r.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	if _, err := r.NewHostModuleBuilder("host").NewFunctionBuilder().WithGoModuleFunction(host, nil, nil).Export("deep").Instantiate(ctx); err != nil {
		t.Fatal(err)
	}
	const f = 1
	mod, err := r.Instantiate(ctx, wasmtest.Module{
		Types:   []wasmtest.FuncType{{}, {Params: []byte{wasmtest.I32}}},
		Imports: []wasmtest.Import{{Module: "host", Name: "deep", Type: 0}},
		Funcs:   []wasmtest.Func{{Type: 1, Body: descent(f, wasmtest.CallFunc(0))}},
		Exports: []wasmtest.Export{{Name: "f", Index: f}},
	}.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return mod.ExportedFunction("f")
}

// descent returns the body of the function with that index. The function calls itself as many times
// as its parameter specifies, and runs bottom in the innermost call.
func descent(index uint32, bottom []byte) []byte {
	const elseOp = 0x05
	return wasmtest.Code(
		[]byte{wasmtest.LocalGet, 0, 0x04, wasmtest.Empty, wasmtest.LocalGet, 0}, wasmtest.Const(1), []byte{0x6b}, wasmtest.CallFunc(index),
		[]byte{elseOp}, bottom, []byte{wasmtest.End})
}

// callStackOf finds the engine's call stack. If it did not, no command would be reused, and no
// other test would fail.
func TestCallStackReadsStackOfEngine(t *testing.T) {
	if goruntime.GOARCH != "amd64" && goruntime.GOARCH != "arm64" {
		t.Skip("the engine has no compiler for this processor")
	}
	var point experimental.Snapshot
	f := onEngine(t, wazero.NewRuntimeConfigCompiler(), func(ctx context.Context, _ api.Module, _ []uint64) {
		point = experimental.GetSnapshotter(ctx).Snapshot()
	})
	small := callStackOf(f).size()
	if small == 0 {
		t.Fatal("a function has no call stack")
	}
	const depth = 100_000
	if _, err := f.Call(experimental.WithSnapshotter(context.Background()), depth); err != nil {
		t.Fatal(err)
	}
	if got := callStackOf(f).size(); got < small+16*depth {
		t.Errorf("a call stack of %d bytes has %d bytes after %d nested calls", small, got, depth)
	}
	if got := callStackOf(point).size(); got < 16*depth {
		t.Errorf("a snapshot of %d nested calls has a call stack of %d bytes", depth, got)
	}
}

func TestCallStackOfOtherTypesIsNil(t *testing.T) {
	interpreted := onEngine(t, wazero.NewRuntimeConfigInterpreter(), func(context.Context, api.Module, []uint64) {})
	for name, owner := range map[string]any{
		"the interpreter":    interpreted,
		"nothing":            nil,
		"a pointer to none":  (*Instance)(nil),
		"another structure":  &Instance{},
		"a number":           1,
		"a pointer to one":   new(int),
		"a stack of numbers": &struct{ stack []uint64 }{make([]uint64, 1)},
		"a stack of another": &struct{ stack string }{"stack"},
	} {
		if got := callStackOf(owner).bytes(); got != nil {
			t.Errorf("%s: a call stack of %d bytes", name, len(got))
		}
	}
}
