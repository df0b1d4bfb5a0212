package wasm

import (
	"context"
	goruntime "runtime"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/files"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

const warmParameters = "parameters.type = \"object\"\nparameters.properties.n = { type = \"integer\", default = 7 }\n"

// Each call of a tool with a warm-up starts from the state that the warm-up left.
func TestCallsStartFromTheWarmState(t *testing.T) {
	for _, tt := range []struct{ name, keys, want string }{
		{"none", "", "1"},
		{"defaults apply", "module.warm = {}\n", `2{"n":7}`},
		{"arguments", "module.warm = { n = 0x10 }\n", `2{"n":16}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := newExecutor(t, runtime.Options{}, files.Options{}, rememberer(), tt.keys+warmParameters)
			want := tt.want
			if goruntime.GOOS != "linux" {
				want = "1" // without memory reset there is no warm-up
			}
			// The first calls use new instances, and later calls use reset instances.
			for call := range 5 {
				got, err := execute(t, e, `{"n":3}`, capability.Grant{})
				if err != nil || got != want {
					t.Fatalf("call %d gives %q, %v, want %q", call, got, err, want)
				}
			}
		})
	}
}

func TestManifestNamesTheEntry(t *testing.T) {
	writes := func(ptr int32) wasmtest.Func {
		return wasmtest.Func{Type: 1, Body: wasmtest.Code(wasmtest.Const(ptr), wasmtest.Const(1), wasmtest.CallFunc(0), []byte{wasmtest.Drop}, wasmtest.Const(0))}
	}
	i32 := []byte{wasmtest.I32}
	module := wasmtest.Module{
		Types:   []wasmtest.FuncType{{Params: []byte{wasmtest.I32, wasmtest.I32}, Results: i32}, {Results: i32}},
		Imports: []wasmtest.Import{{Module: "wasmtool_v1", Name: "output_write"}},
		Funcs:   []wasmtest.Func{writes(0), writes(1)},
		Memory:  []uint32{1},
		Exports: []wasmtest.Export{{Name: "call", Index: 1}, {Name: "other", Index: 2}, {Name: "memory", Kind: 2}},
		Data:    []wasmtest.Data{{Bytes: []byte("co")}},
	}
	for keys, want := range map[string]string{"": "c", `module.entry = "call"`: "c", `module.entry = "other"`: "o"} {
		if got, err := execute(t, newExecutor(t, runtime.Options{}, files.Options{}, module, keys), `{}`, capability.Grant{}); err != nil || got != want {
			t.Errorf("%s gives %q, %v, want %q", keys, got, err, want)
		}
	}
}

// A key that does not fit the module is reported like an error of the manifest, with its position.
func TestKeysMustFitTheFormOfTheModule(t *testing.T) {
	for _, tt := range []struct {
		name, keys string
		module     wasmtest.Module
		want       string
	}{
		{"a warm-up of a command", "module.warm = {}", command(), "tool.toml:6:15: module.warm: only a reactor may have this key, and the module is a command; remove the key"},
		{"a command line of a reactor", `module.args = ["x"]`, rememberer(), "tool.toml:6:15: module.args: only a command may have this key, and the module is a reactor; remove the key"},
		{"a configuration of a command", `module.config = { a = "b" }`, command(), "tool.toml:6:17: module.config: only an Extism plug-in may have this key, and the module is a command; remove the key"},
		{"a command line of a plug-in", `module.args = ["x"]`, plugin(), "tool.toml:6:15: module.args: only a command may have this key, and the module is an Extism plug-in; remove the key"},
		{"a warm-up of a plug-in", "module.warm = {}", plugin(), "tool.toml:6:15: module.warm: only a reactor may have this key, and the module is an Extism plug-in; remove the key"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := newExecutor(t, runtime.Options{}, files.Options{}, tt.module, tt.keys).Prepare(context.Background())
			if tool.CodeOf(err) != tool.CodeInvalidManifest || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}
