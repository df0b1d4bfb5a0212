package rewrite

import (
	"bytes"
	"context"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// memoryOf instantiates a module and returns its memory, or nil on failure.
func memoryOf(t *testing.T, wasm []byte) []byte {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer r.Close(ctx)
	mod, err := r.Instantiate(ctx, wasm)
	if err != nil {
		return nil
	}
	memory, _ := mod.Memory().Read(0, mod.Memory().Size())
	return bytes.Clone(memory)
}

func TestMergingDataDoesNotChangeMemory(t *testing.T) {
	data := func(at int32, text string) wasmtest.Data { return wasmtest.Data{Offset: at, Bytes: []byte(text)} }
	tests := []struct {
		name     string
		data     []wasmtest.Data
		segments int // number of segments after rewriting
	}{
		{"none", nil, 0},
		{"one", []wasmtest.Data{data(3, "a")}, 1},
		{"side by side", []wasmtest.Data{data(0, "ab"), data(2, "cd"), data(4, "e")}, 1},
		{"a small gap", []wasmtest.Data{data(0, "ab"), data(2+maxDataGap, "cd")}, 1},
		{"a gap too large", []wasmtest.Data{data(0, "ab"), data(3+maxDataGap, "cd")}, 2},
		{"not in order", []wasmtest.Data{data(1000, "ef"), data(0, "ab"), data(10, "cd")}, 2},
		{"a gap that another fills", []wasmtest.Data{data(0, "ab"), data(100, "ef"), data(50, "cd")}, 1},
		{"overlapping: the order counts", []wasmtest.Data{data(0, "abcd"), data(2, "XY")}, 2},
		{"overlapping the other way", []wasmtest.Data{data(2, "XY"), data(0, "abcd")}, 2},
		{"the same place twice", []wasmtest.Data{data(5, "a"), data(5, "b")}, 2},
		{"empty ones", []wasmtest.Data{data(0, ""), data(0, "ab"), data(2, "")}, 1},
		{"up to the end of memory", []wasmtest.Data{data(65530, "abc"), data(65533, "def")}, 1},
		{"beyond the end of memory", []wasmtest.Data{data(65530, "abc"), data(65533, "defg")}, 1},
		{"at 4 GiB", []wasmtest.Data{data(0, "abc"), data(-1, "d")}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := wasmtest.Module{Memory: []uint32{1}, Data: tt.data, Exports: []wasmtest.Export{{Name: "memory", Kind: 2}}}
			in := m.Bytes()
			out, _, err := Rewrite(in, Options{})
			if err != nil {
				t.Fatal(err)
			}
			read, readErr := read(out)
			if readErr != nil {
				t.Fatal(readErr)
			}
			if got := len(read.data); got != tt.segments {
				t.Errorf("%d segments, want %d", got, tt.segments)
			}
			if before, after := memoryOf(t, in), memoryOf(t, out); !bytes.Equal(before, after) || (before == nil) != (after == nil) {
				t.Error("the memory differs")
			}
		})
	}
}

// Data segments are not merged if code refers to segments by index.
func TestDataThatCodeRefersToIsKept(t *testing.T) {
	const dataDrop = 0x09
	m := wasmtest.Module{
		Types: []wasmtest.FuncType{{}}, Memory: []uint32{1},
		Funcs:     []wasmtest.Func{{Body: []byte{0xfc, dataDrop, 1}}},
		Data:      []wasmtest.Data{{Offset: 0, Bytes: []byte("a")}, {Offset: 1, Bytes: []byte("b")}},
		DataCount: true,
		Exports:   []wasmtest.Export{{Name: "memory", Kind: 2}},
	}
	for _, keep := range []bool{true, false} {
		want := 2
		if !keep {
			m.Funcs[0].Body, want = nil, 1
		}
		out, _, err := Rewrite(m.Bytes(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		read, readErr := read(out)
		if readErr != nil {
			t.Fatal(readErr)
		}
		if len(read.data) != want || read.dataCount != int64(want) {
			t.Errorf("named: %v: %d segments, announced %d, want %d", keep, len(read.data), read.dataCount, want)
		}
		if memoryOf(t, out) == nil {
			t.Error("the result does not run")
		}
	}
}
