package rewrite

import (
	"context"
	"encoding/binary"
	"math"
	"runtime"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

const selectOp = 0x1b

// brokenSelect is a function that returns the second of the two values at the start of the memory.
// The compiler of wazero 1.12 on amd64 gets its select wrong. After the first call, the engine must
// reload both values. It loads the second value into register xmm0. But the second call needs the
// first value in xmm0, so the engine overwrites the register. It forgets that the register
// contained the result of the select.
func brokenSelect(typ byte) wasmtest.Module {
	load, store, add := byte(0x2b), byte(0x39), byte(0xa0)
	if typ == wasmtest.F32 {
		load, store, add = 0x2a, 0x38, 0x92
	}
	value := func(at byte) []byte { return []byte{wasmtest.I32Const, at, load, 0, 0} }
	return wasmtest.Module{
		Types: []wasmtest.FuncType{{Results: []byte{typ}}, {}, {Params: []byte{typ}}},
		Funcs: []wasmtest.Func{
			{Locals: []byte{typ, typ, typ}, Body: wasmtest.Code(
				value(0), []byte{localSet, 0}, value(8), []byte{localSet, 1},
				wasmtest.CallFunc(1),
				[]byte{wasmtest.LocalGet, 0, wasmtest.LocalGet, 1, wasmtest.I32Const, 32, wasmtest.I32Load, 0, 0, selectOp, localSet, 2},
				[]byte{wasmtest.LocalGet, 0}, wasmtest.CallFunc(2),
				[]byte{wasmtest.LocalGet, 2},
			)},
			// This function leaves other values in the registers.
			{Type: 1, Body: wasmtest.Code([]byte{wasmtest.I32Const, 24}, value(16), value(16), []byte{add}, []byte{store, 0, 0})},
			{Type: 2},
		},
		Memory:  []uint32{1, 1},
		Data:    []wasmtest.Data{{Bytes: threeFloats(typ)}},
		Exports: []wasmtest.Export{{Name: "run"}},
	}
}

// threeFloats are the values 1, 2 and 3 at addresses 0, 8 and 16.
func threeFloats(typ byte) []byte {
	data := make([]byte, 24)
	for i := range 3 {
		if typ == wasmtest.F32 {
			binary.LittleEndian.PutUint32(data[8*i:], math.Float32bits(float32(i+1)))
		} else {
			binary.LittleEndian.PutUint64(data[8*i:], math.Float64bits(float64(i+1)))
		}
	}
	return data
}

func runOn(t *testing.T, config wazero.RuntimeConfig, wasm []byte) uint64 {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, config)
	defer func() { _ = r.Close(ctx) }()
	m, err := r.Instantiate(ctx, wasm)
	if err != nil {
		t.Fatal(err)
	}
	results, err := m.ExportedFunction("run").Call(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return results[0]
}

func TestSplitSelectsAreRight(t *testing.T) {
	for name, typ := range map[string]byte{"f32": wasmtest.F32, "f64": wasmtest.F64} {
		t.Run(name, func(t *testing.T) {
			wasm := brokenSelect(typ).Bytes()
			want := math.Float64bits(2)
			if typ == wasmtest.F32 {
				want = uint64(math.Float32bits(2))
			}
			if got := runOn(t, wazero.NewRuntimeConfigInterpreter(), wasm); got != want {
				t.Fatalf("the test is wrong: the interpreter returns %x, want %x", got, want)
			}
			for _, o := range []Options{{SplitSelects: true}} {
				out, _, err := Rewrite(wasm, o)
				if err != nil {
					t.Fatal(err)
				}
				if got := runOn(t, wazero.NewRuntimeConfig(), out); got != want {
					t.Errorf("%+v: got %x, want %x", o, got, want)
				}
			}
			if runtime.GOARCH != "amd64" || !wazeroCompiles() {
				return
			}
			out, _, err := Rewrite(wasm, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := runOn(t, wazero.NewRuntimeConfig(), out); got == want {
				t.Error("the engine is right without help now: SplitSelects can go")
			}
		})
	}
}

// wazeroCompiles reports whether the engine has a compiler for this system.
func wazeroCompiles() bool {
	switch runtime.GOOS {
	case "linux", "darwin", "windows", "freebsd", "netbsd":
		return true
	}
	return false
}
