package rewrite

import (
	"bytes"
	"context"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// bulkModule exports two functions. run applies a bulk operation to its three arguments. constant
// fills one and a half pieces from address 1 with the value 7.
func bulkModule(op ...byte) []byte {
	get := []byte{wasmtest.LocalGet, 0, wasmtest.LocalGet, 1, wasmtest.LocalGet, 2}
	return wasmtest.Module{
		Types: []wasmtest.FuncType{{Params: []byte{wasmtest.I32, wasmtest.I32, wasmtest.I32}}, {}},
		Funcs: []wasmtest.Func{
			{Body: wasmtest.Code(get, op)},
			{Type: 1, Body: wasmtest.Code(wasmtest.Const(1), wasmtest.Const(7), wasmtest.Const(piece*3/2), []byte{misc, 11, 0})},
		},
		Memory:  []uint32{80, 80},
		Exports: []wasmtest.Export{{Name: "run"}, {Name: "constant", Index: 1}, {Name: "memory", Kind: 2}},
	}.Bytes()
}

// bulkOn instantiates a module with a pattern in its memory.
func bulkOn(t *testing.T, wasm []byte, f *refiller) api.Module {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	t.Cleanup(func() { _ = r.Close(ctx) })
	f.install(t, r)
	m, err := r.Instantiate(ctx, wasm)
	if err != nil {
		t.Fatal(err)
	}
	view, _ := m.Memory().Read(0, m.Memory().Size())
	for i := range view {
		view[i] = byte(i ^ i>>8 ^ i>>16)
	}
	return m
}

func TestLongBulkOperationsAreDoneInPieces(t *testing.T) {
	const size = 80 << 16
	fill, copying := []byte{misc, 11, 0}, []byte{misc, 10, 0, 0}
	tests := map[string]struct {
		op      []byte
		args    []uint64 // destination, value or source, length
		refills int      // minimum number of refills
	}{
		"fill nothing":           {fill, []uint64{9, 5, 0}, 0},
		"fill one piece":         {fill, []uint64{9, 5, piece}, 0},
		"fill a bit more":        {fill, []uint64{9, 5, piece + 1}, 1},
		"fill it all":            {fill, []uint64{0, 0x1ff, size}, 4},
		"fill beyond":            {fill, []uint64{1, 5, size}, 0},
		"fill far beyond":        {fill, []uint64{0xffff_fff0, 5, 0xffff_ffff}, 0},
		"copy up, overlapping":   {copying, []uint64{1000, 7, 3*piece + 77}, 3},
		"copy down, overlapping": {copying, []uint64{7, 1000, 3*piece + 77}, 3},
		"copy by a piece up":     {copying, []uint64{piece, 0, 4*piece - 1}, 3},
		"copy by a piece down":   {copying, []uint64{0, piece, 4 * piece}, 3},
		"copy onto itself":       {copying, []uint64{3, 3, 2*piece + 2}, 2},
		"copy apart":             {copying, []uint64{0, 5 * piece / 2, 2 * piece}, 1},
		"copy to beyond":         {copying, []uint64{piece + 1, 0, 4 * piece}, 0},
		"copy from beyond":       {copying, []uint64{0, piece + 1, 4 * piece}, 0},
		"copy small":             {copying, []uint64{10, 0, 100}, 0},
	}
	for name, test := range tests {
		wasm := bulkModule(test.op...)
		out, _, err := Rewrite(wasm, Options{Meter: true})
		if err != nil {
			t.Fatal(err)
		}
		// Fuel never runs out.
		f := &refiller{slice: 1 << 40, budget: 1 << 60}
		before, after := bulkOn(t, wasm, &refiller{}), bulkOn(t, out, f)
		_, wantErr := before.ExportedFunction("run").Call(context.Background(), test.args...)
		_, gotErr := after.ExportedFunction("run").Call(context.Background(), test.args...)
		if (wantErr == nil) != (gotErr == nil) || wantErr != nil && firstLine(wantErr) != firstLine(gotErr) {
			t.Errorf("%s: %v before, %v after", name, wantErr, gotErr)
		}
		want, _ := before.Memory().Read(0, size)
		got, _ := after.Memory().Read(0, size)
		if !bytes.Equal(want, got) {
			t.Errorf("%s: the memory differs", name)
		}
		// The charge for the whole length may cause one more refill, before the first piece.
		if f.calls < test.refills || f.calls > test.refills+1 {
			t.Errorf("%s: %d refills, want %d and perhaps the first", name, f.calls, test.refills)
		}
	}
}

func TestLongConstantLengthsAreDoneInPieces(t *testing.T) {
	out, _, err := Rewrite(bulkModule(misc, 11, 0), Options{Meter: true})
	if err != nil {
		t.Fatal(err)
	}
	f := &refiller{slice: 1 << 40, budget: 1 << 60}
	m := bulkOn(t, out, f)
	if _, err := m.ExportedFunction("constant").Call(context.Background()); err != nil {
		t.Fatal(err)
	}
	got, _ := m.Memory().Read(1, piece*3/2)
	if !bytes.Equal(got, bytes.Repeat([]byte{7}, piece*3/2)) || f.calls != 2 {
		t.Errorf("%d refills, want one for the fuel and one for the piece", f.calls)
	}
}
