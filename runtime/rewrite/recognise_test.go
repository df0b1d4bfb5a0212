package rewrite

import (
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
)

func TestOriginOfModules(t *testing.T) {
	tests := map[string]string{
		"wasi_snapshot_preview1/fd_write":  "",
		"env/launch":                       "",
		"env/emscripten_resize_heap":       "an Emscripten module for JavaScript",
		"env/invoke_ii":                    "an Emscripten module for JavaScript",
		"a/b":                              "an Emscripten module for JavaScript, with shortened names",
		"gojs/runtime.wasmExit":            "a Go program for JavaScript",
		"wbg/__wbindgen_throw":             "a wasm-bindgen module for JavaScript",
		"env/abort":                        "an AssemblyScript module for JavaScript",
		"wasi_unstable/fd_write":           "a program for an old version of WASI",
		"wasi:cli/stdout@0.2.0/get-stdout": "the core module of a component",
	}
	for name, want := range tests {
		at := strings.LastIndex(name, "/")
		m := wasmtest.Module{Types: []wasmtest.FuncType{{}}, Imports: []wasmtest.Import{{Module: name[:at], Name: name[at+1:]}}}
		report, err := Inspect(m.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if got := report.Origin(); got.Name != want || (got.Fix == "") != (want == "") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
