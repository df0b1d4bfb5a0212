package wasm

import (
	"strconv"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// describer returns a reactor with a function describe, which writes text. If body is given, the
// function runs body instead.
func describer(text string, body ...[]byte) wasmtest.Module {
	const write = 0
	i32 := []byte{wasmtest.I32}
	describe := wasmtest.Code(append(body,
		wasmtest.Const(1024), wasmtest.Const(int32(len(text))), wasmtest.CallFunc(write), []byte{wasmtest.Drop}, wasmtest.Const(0))...)
	return wasmtest.Module{
		Types:   []wasmtest.FuncType{{Params: []byte{wasmtest.I32, wasmtest.I32}, Results: i32}, {Results: i32}},
		Imports: []wasmtest.Import{{Module: "wasmtool_v1", Name: "output_write"}},
		Funcs:   []wasmtest.Func{{Type: 1, Body: wasmtest.Const(0)}, {Type: 1, Body: describe}},
		Memory:  []uint32{4},
		Exports: []wasmtest.Export{{Name: "call", Index: 1}, {Name: "describe", Index: 2}, {Name: "memory", Kind: 2}},
		Data:    []wasmtest.Data{{Offset: 1024, Bytes: []byte(text)}},
	}
}

// The description that a module writes is checked like a manifest, and its run is limited.
func TestDescriptionIsCheckedAndLimited(t *testing.T) {
	const schema = `{"type":"object","properties":{"a":{"type":"string"}}}`
	for _, tt := range []struct {
		name, text  string
		body        []byte
		keys        string
		code        tool.Code
		says        string
		description string
		parameters  string
	}{
		{name: "both", text: `{"description":"All of it.\n1","parameters":` + schema + `}`, description: "All of it.\n1", parameters: schema},
		{name: "a description", text: `{"description":"Only."}`, description: "Only."},
		{name: "nothing", text: `{}`},
		{name: "no output", code: tool.CodeBadGuest, says: "one JSON object"},
		{name: "null", text: `null`, code: tool.CodeBadGuest, says: "one JSON object"},
		{name: "two objects", text: `{}{}`, code: tool.CodeBadGuest, says: "one JSON object"},
		{name: "other keys", text: `{"permissions":[]}`, code: tool.CodeBadGuest, says: "one JSON object"},
		{name: "an empty description", text: `{"description":" "}`, code: tool.CodeBadGuest, says: "description"},
		{name: "a long description", text: `{"description":"` + strings.Repeat("x", 60<<10) + `"}`, code: tool.CodeBadGuest, says: "the limit is 4096"},
		{name: "an invalid schema", text: `{"parameters":{"type":"sideways"}}`, code: tool.CodeBadGuest, says: "parameters"},
		{name: "a schema of a string", text: `{"parameters":{"type":"string"}}`, code: tool.CodeBadGuest, says: "parameters"},
		{name: "without a parameter of the manifest", text: `{"parameters":` + schema + `}`, keys: "module.stdin = \"{b}\"\nparameters = {type = \"object\", properties = {b = {type = \"string\"}}}\n", code: tool.CodeBadGuest, says: `"b"`},
		{name: "too much output", text: strings.Repeat(" ", DescribeOutput+1), code: tool.CodeResourceExhausted, says: strconv.Itoa(DescribeOutput)},
		{name: "endless", body: forever(), code: tool.CodeResourceExhausted, says: strconv.Itoa(100_000), keys: "limits.fuel = 100_000\n"},
		{name: "no such function", keys: "describe.entry = \"other\"\n", code: tool.CodeInvalidModule, says: "other"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			keys := tt.keys
			if !strings.Contains(keys, "describe.") {
				keys = "describe.entry = \"describe\"\n" + keys
			}
			d := Describing{newExecutor(t, runtime.Options{}, files.Options{}, describer(tt.text, tt.body), keys)}
			got, err := d.Describe(t.Context(), capability.Grant{})
			if tool.CodeOf(err) != tt.code || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v, want the code %q and %q", err, tt.code, tt.says)
			}
			if got.Description != tt.description || string(got.Parameters) != tt.parameters {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// Keys of [describe] that do not fit the form of the module make the manifest invalid.
func TestDescribeKeysMustFitTheModule(t *testing.T) {
	for keys, module := range map[string]wasmtest.Module{
		"describe.args = [\"describe\"]\n": describer(""),
		"describe.entry = \"describe\"\n":  command(),
	} {
		e := newExecutor(t, runtime.Options{}, files.Options{}, module, keys)
		if err := e.Prepare(t.Context()); tool.CodeOf(err) != tool.CodeInvalidManifest || !strings.Contains(err.Error(), strings.Fields(keys)[0]) {
			t.Errorf("%s: %v", keys, err)
		}
	}
}
