package wasm

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/fstest"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// newExecutor returns the executor of a module, with keys added to its manifest.
func newExecutor(t *testing.T, o runtime.Options, fsys files.Options, module wasmtest.Module, keys string) *Executor {
	t.Helper()
	manifest := "manifest = 1\nname = \"demo\"\nversion = \"1.0.0\"\ndescription = \"A demo.\"\nmodule.path = \"demo.wasm\"\n" + keys
	m, wasm, err := manifests.Load(manifests.EmbeddedDirectory(fstest.MapFS{
		"tool.toml": {Data: []byte(manifest)}, "demo.wasm": {Data: module.Bytes()},
	}), "tool.toml")
	if err != nil {
		t.Fatal(err)
	}
	r := runtime.New(o)
	e := New(Options{Runtime: r, Manifest: m, Read: func() ([]byte, error) { return wasm, nil }, Source: "tool.toml", Files: fsys})
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// execute runs a tool and returns the text of its result.
func execute(t *testing.T, e *Executor, arguments string, grant capability.Grant) (string, error) {
	t.Helper()
	// If a limit does not end the guest, the test fails instead of hanging.
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	result, err := e.Execute(ctx, tool.Invocation{
		Arguments: json.RawMessage(arguments), Grant: grant,
		Text: func(string) (string, bool) { return "", false },
	})
	if err != nil {
		return "", err
	}
	if len(result.Content) != 1 {
		return "", fmt.Errorf("got %d content blocks", len(result.Content))
	}
	return result.Content[0].Text, nil
}

// Opcodes that package wasmtest does not name.
const (
	ifOp      = 0x04
	i32Load8U = 0x2d
	i32Store8 = 0x3a
	i32Eq     = 0x46
	localTee  = 0x22
)

// command returns a command that runs body.
func command(body ...[]byte) wasmtest.Module {
	return wasmtest.Module{
		Types:   []wasmtest.FuncType{{}},
		Funcs:   []wasmtest.Func{{Body: wasmtest.Code(body...)}},
		Memory:  []uint32{1},
		Exports: []wasmtest.Export{{Name: "_start"}, {Name: "memory", Kind: 2}},
	}
}

func forever(body ...[]byte) []byte {
	return wasmtest.Code([]byte{wasmtest.Loop, wasmtest.Empty}, wasmtest.Code(body...), []byte{wasmtest.Br, 0, wasmtest.End})
}

// grower returns a command that grows its memory by 2 MiB and traps if that fails.
func grower() wasmtest.Module {
	return command(
		wasmtest.Const(32), []byte{wasmtest.MemoryGrow, 0},
		wasmtest.Const(-1), []byte{i32Eq, ifOp, wasmtest.Empty, wasmtest.Unreachable, wasmtest.End},
	)
}

// opener returns a command that opens the first mount repeatedly, and traps if that fails.
func opener() wasmtest.Module {
	i32, i64 := byte(wasmtest.I32), byte(wasmtest.I64)
	const mount, path = 4, 0 // descriptor 3 is the root
	m := command(forever(
		wasmtest.Const(mount), wasmtest.Const(0), wasmtest.Const(path), wasmtest.Const(1), wasmtest.Const(0),
		[]byte{wasmtest.I64Const, 0, wasmtest.I64Const, 0}, wasmtest.Const(0), wasmtest.Const(64), wasmtest.CallFunc(0),
		[]byte{ifOp, wasmtest.Empty, wasmtest.Unreachable, wasmtest.End},
	))
	m.Types = append(m.Types, wasmtest.FuncType{Params: []byte{i32, i32, i32, i32, i32, i64, i64, i32, i32}, Results: []byte{i32}})
	m.Imports = []wasmtest.Import{{Module: "wasi_snapshot_preview1", Name: "path_open", Type: 1}}
	m.Exports[0].Index = 1
	m.Data = []wasmtest.Data{{Offset: path, Bytes: []byte(".")}}
	return m
}

// rememberer returns a reactor that writes a digit, the number of its calls so far, and then the
// input of the previous call.
func rememberer() wasmtest.Module {
	i32 := []byte{wasmtest.I32}
	two := []byte{wasmtest.I32, wasmtest.I32}
	const digit, size, input, limit = 0, 8, 1024, 1024
	const read, write, drop = 0, 1, wasmtest.Drop
	return wasmtest.Module{
		Types: []wasmtest.FuncType{{Params: two, Results: i32}, {Results: i32}},
		Imports: []wasmtest.Import{
			{Module: "wasmtool_v1", Name: "input_read"}, {Module: "wasmtool_v1", Name: "output_write"},
		},
		Funcs: []wasmtest.Func{{Type: 1, Body: wasmtest.Code(
			wasmtest.Const(digit), wasmtest.Const(digit), []byte{i32Load8U, 0, 0}, wasmtest.Const(1), []byte{wasmtest.I32Add, i32Store8, 0, 0},
			wasmtest.Const(digit), wasmtest.Const(1), wasmtest.CallFunc(write), []byte{drop},
			wasmtest.Const(input), wasmtest.Const(size), []byte{wasmtest.I32Load, 2, 0}, wasmtest.CallFunc(write), []byte{drop},
			wasmtest.Const(size), wasmtest.Const(input), wasmtest.Const(limit), wasmtest.CallFunc(read), []byte{wasmtest.I32Store, 2, 0},
			wasmtest.Const(0),
		)}},
		Memory:  []uint32{1},
		Exports: []wasmtest.Export{{Name: "call", Index: 2}, {Name: "memory", Kind: 2}},
		Data:    []wasmtest.Data{{Offset: digit, Bytes: []byte("0")}},
	}
}

// plugin returns an Extism plug-in that writes the value of the configuration key in its input.
func plugin() wasmtest.Module {
	i64 := byte(wasmtest.I64)
	const configGet, inputOffset, length, outputSet = 0, 1, 2, 3
	imp := func(name string, typ uint32) wasmtest.Import {
		return wasmtest.Import{Module: "extism:host/env", Name: name, Type: typ}
	}
	return wasmtest.Module{
		Types: []wasmtest.FuncType{
			{Results: []byte{wasmtest.I32}}, {Params: []byte{i64}, Results: []byte{i64}}, {Results: []byte{i64}}, {Params: []byte{i64, i64}},
		},
		Imports: []wasmtest.Import{imp("config_get", 1), imp("input_offset", 2), imp("length", 1), imp("output_set", 3)},
		Funcs: []wasmtest.Func{{Locals: []byte{i64}, Body: wasmtest.Code(
			wasmtest.CallFunc(inputOffset), wasmtest.CallFunc(configGet), []byte{localTee, 0, wasmtest.LocalGet, 0}, wasmtest.CallFunc(length), wasmtest.CallFunc(outputSet),
			wasmtest.Const(0),
		)}},
		Memory:  []uint32{1},
		Exports: []wasmtest.Export{{Name: "call", Index: 4}, {Name: "memory", Kind: 2}},
	}
}
