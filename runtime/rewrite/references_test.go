package rewrite

import (
	"context"
	"errors"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// referring is a module with two functions that return 7 and 9. Its export "run" calls, through a
// reference, the function that its parameter selects. The export repeats the call as often as times
// specifies.
func referring(times int32) wasmtest.Module {
	choose := []byte{wasmtest.LocalGet, 0, ifOp, 0x70, 0xd2, 1, elseOp, 0xd2, 0, wasmtest.End}
	return wasmtest.Module{
		Types: []wasmtest.FuncType{{Results: []byte{wasmtest.I32}}, {Params: []byte{wasmtest.I32}, Results: []byte{wasmtest.I32}}},
		Funcs: []wasmtest.Func{
			{Body: wasmtest.Const(7)},
			{Body: wasmtest.Const(9)},
			{Type: 1, Locals: []byte{wasmtest.I32}, Body: wasmtest.Code(
				wasmtest.Const(times), []byte{localSet, 1, wasmtest.Loop, wasmtest.Empty},
				wasmtest.Const(0), choose, []byte{0x26, 0},
				[]byte{wasmtest.LocalGet, 1}, wasmtest.Const(1), []byte{i32Sub, localTee, 1, wasmtest.BrIf, 0, wasmtest.End},
				wasmtest.Const(0), []byte{callIndirect, 0, 0},
			)},
		},
		Tables:  [][]uint32{{1}},
		Exports: []wasmtest.Export{{Name: "seven", Index: 0}, {Name: "nine", Index: 1}, {Name: "run", Index: 2}},
	}
}

// A reference refers to the function that the module named, and creating it many times
// takes no memory of the host.
func TestReferencesAreCreatedOnce(t *testing.T) {
	const times = 1_000_000
	m := referring(times)
	module := runMetered(t, m.Bytes(), &refiller{slice: 1 << 40, budget: 1 << 60}).module
	run := module.ExportedFunction("run")
	for choice, want := range map[uint64]uint64{0: 7, 1: 9} {
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		got, err := run.Call(context.Background(), choice)
		goruntime.ReadMemStats(&after)
		if err != nil || got[0] != want {
			t.Errorf("choice %d gives %v, %v; want %d", choice, got, err, want)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > times {
			t.Errorf("%d references took %d bytes", times, took)
		}
	}
}

// A reference to an undeclared function is invalid before and after rewriting.
func TestUndeclaredReferenceIsRefused(t *testing.T) {
	m := referring(1)
	m.Exports = m.Exports[1:]
	_, _, err := Rewrite(m.Bytes(), everything)
	var fault *Error
	if !errors.As(err, &fault) || fault.Kind != Malformed || !strings.Contains(err.Error(), "function 0") {
		t.Errorf("got %v, want an error about function 0", err)
	}
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	defer func() { _ = r.Close(ctx) }()
	if _, err := r.CompileModule(ctx, m.Bytes()); err == nil {
		t.Error("the engine accepts the module")
	}
}
