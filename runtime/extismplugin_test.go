package runtime

import (
	"slices"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

// extismImport is a function that test plug-ins import. Parameters and results are i64, except
// where a field says otherwise.
type extismImport struct {
	name            string
	params, results int
	narrowParam     bool // the last parameter is an i32
	narrowResult    bool
}

// extismImports lists all functions that plug-ins can import.
var extismImports = []extismImport{
	{name: "alloc", params: 1, results: 1},
	{name: "free", params: 1},
	{name: "length", params: 1, results: 1},
	{name: "length_unsafe", params: 1, results: 1},
	{name: "load_u8", params: 1, results: 1, narrowResult: true},
	{name: "load_u64", params: 1, results: 1},
	{name: "store_u8", params: 2, narrowParam: true},
	{name: "store_u64", params: 2},
	{name: "input_offset", results: 1},
	{name: "input_length", results: 1},
	{name: "input_load_u8", params: 1, results: 1, narrowResult: true},
	{name: "input_load_u64", params: 1, results: 1},
	{name: "output_set", params: 2},
	{name: "error_set", params: 1},
	{name: "config_get", params: 1, results: 1},
	{name: "var_get", params: 1, results: 1},
	{name: "var_set", params: 2},
	{name: "http_request", params: 2, results: 1},
	{name: "http_status_code", results: 1, narrowResult: true},
	{name: "http_headers", results: 1},
	{name: "log_info", params: 1},
	{name: "log_error", params: 1},
	{name: "get_log_level", results: 1, narrowResult: true},
}

// Locals of the functions of test plug-ins; both are i64.
const (
	localA = iota
	localB
)

// plugin returns an Extism plug-in that exports a function named "call". body is the code of the
// function, which leaves an i32 on the stack.
func plugin(body ...[]byte) wasmtest.Module {
	m := wasmtest.Module{
		Types:  []wasmtest.FuncType{{Results: []byte{wasmtest.I32}}, {}},
		Memory: []uint32{1},
	}
	for _, imp := range extismImports {
		t := wasmtest.FuncType{Params: slices.Repeat([]byte{wasmtest.I64}, imp.params), Results: slices.Repeat([]byte{wasmtest.I64}, imp.results)}
		if imp.narrowParam {
			t.Params[imp.params-1] = wasmtest.I32
		}
		if imp.narrowResult {
			t.Results[0] = wasmtest.I32
		}
		m.Imports = append(m.Imports, wasmtest.Import{Module: extismModule, Name: imp.name, Type: uint32(len(m.Types))})
		m.Types = append(m.Types, t)
	}
	addFunc(&m, "call", 0, body...)
	m.Exports = append(m.Exports, wasmtest.Export{Name: "memory", Kind: 2})
	return m
}

// addFunc adds an exported function to a plug-in. typ is 0 for a function that leaves an i32, and 1
// for one that leaves nothing.
func addFunc(m *wasmtest.Module, name string, typ uint32, body ...[]byte) {
	m.Exports = append(m.Exports, wasmtest.Export{Name: name, Index: uint32(len(m.Imports) + len(m.Funcs))})
	m.Funcs = append(m.Funcs, wasmtest.Func{Type: typ, Locals: []byte{wasmtest.I64, wasmtest.I64}, Body: wasmtest.Code(body...)})
}

// x returns code that calls an imported function. params is the code that leaves the parameters on
// the stack.
func x(name string, params ...[]byte) []byte {
	index := slices.IndexFunc(extismImports, func(imp extismImport) bool { return imp.name == name })
	return wasmtest.Code(wasmtest.Code(params...), wasmtest.CallFunc(uint32(index)))
}

func long(v int64) []byte { return wasmtest.S64([]byte{wasmtest.I64Const}, v) }

func take(local byte) []byte { return []byte{wasmtest.LocalGet, local} }

func put(local byte, value ...[]byte) []byte {
	return append(wasmtest.Code(value...), localSet, local)
}

func dropped(code ...[]byte) []byte { return append(wasmtest.Code(code...), wasmtest.Drop) }

const localSet = 0x21

// echoes is code that makes the input of the call its output.
var echoes = x("output_set", x("input_offset"), x("input_length"))

// copies is code that copies the input into a new block and leaves the offset of that block.
var copies = wasmtest.Code(
	put(localA, x("alloc", long(8))), x("store_u64", take(localA), x("load_u64", x("input_offset"))),
	put(localB, x("alloc", x("input_length"))), x("store_u64", take(localB), x("load_u64", take(localA))),
	x("free", take(localA)), take(localB),
)
