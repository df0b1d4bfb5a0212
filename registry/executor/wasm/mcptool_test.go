package wasm

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// echoPlugin returns a plug-in whose functions write their input.
func echoPlugin() wasmtest.Module {
	l := byte(wasmtest.I64)
	imp := func(name string, typ uint32) wasmtest.Import {
		return wasmtest.Import{Module: "extism:host/env", Name: name, Type: typ}
	}
	return wasmtest.Module{
		Types:   []wasmtest.FuncType{{Results: []byte{l}}, {Params: []byte{l, l}}, {Results: []byte{wasmtest.I32}}},
		Imports: []wasmtest.Import{imp("input_offset", 0), imp("input_length", 0), imp("output_set", 1)},
		Funcs:   []wasmtest.Func{{Type: 2, Body: wasmtest.Code(wasmtest.CallFunc(0), wasmtest.CallFunc(1), wasmtest.CallFunc(2), wasmtest.Const(0))}},
		Memory:  []uint32{1},
		Exports: []wasmtest.Export{{Name: "call", Index: 3}, {Name: "call_tool", Index: 3}, {Name: "memory", Kind: 2}},
	}
}

// A plug-in with its own tools gets its input in one of two forms. The plug-in here echoes the
// input, which is parsed as an empty result.
func TestMCPToolInputAndResult(t *testing.T) {
	for entry, want := range map[string]string{
		"call":      `{"method":"tools/call","params":{"name":"greet me","arguments":{"n":9007199254740993}}}`,
		"call_tool": `{"request":{"name":"greet me","arguments":{"n":9007199254740993}},"context":{"id":1,"_meta":{}}}`,
	} {
		e := newExecutor(t, runtime.Options{}, files.Options{}, echoPlugin(), "module.abi = \"extism\"\nmodule.mcp_tool = \"greet me\"\nmodule.entry = \""+entry+"\"\n")
		arguments := json.RawMessage(`{"n":9007199254740993}`)
		if got, err := mcpInput(e.o.Manifest.Module, arguments); err != nil || string(got) != want {
			t.Errorf("%s gets %s, %v", entry, got, err)
		}
		result, err := e.Execute(context.Background(), tool.Invocation{Arguments: arguments, Grant: capability.Grant{}, Text: func(string) (string, bool) { return "", false }})
		if err != nil || len(result.Content) != 0 {
			t.Errorf("%s gives %v, %v", entry, result.Content, err)
		}
	}
}
