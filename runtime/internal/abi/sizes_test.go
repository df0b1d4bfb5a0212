package abi

import (
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero/api"
)

// notSizes lists parameters of host functions, by index, that are neither sizes nor pointers to
// sized data: descriptors, response handles, levels, values, and offsets at which the host reads
// nothing.
var notSizes = map[string]map[string][]int{
	V1: {"http_close": {0}, "http_head": {0}, "http_read": {0}, "log": {0}},
	ExtismHost: {
		"free": {0}, "length": {0}, "length_unsafe": {0}, "output_set": {0},
		"input_load_u64": {0}, "input_load_u8": {0}, "load_u64": {0}, "load_u8": {0},
		"store_u64": {0, 1}, "store_u8": {0, 1},
	},
}

// Every host function with a count or length is in the table of sizes, with a price or marked as
// free.
func TestEverySizeIsListed(t *testing.T) {
	wasi, err := wasiFunctions()
	if err != nil {
		t.Fatal(err)
	}
	for name, def := range wasi {
		sizes := hostSizes[WASI][name]
		for at, parameter := range def.ParamNames() {
			isSize := parameter == "len" || parameter == "size" || parameter == "nsubscriptions" ||
				strings.HasSuffix(parameter, "_len") && !strings.HasSuffix(name, "_sizes_get")
			if found := slices.ContainsFunc(sizes, func(s size) bool { return s.at == at }); found != isSize {
				t.Errorf("%s: parameter %d, %s, is in the table: %v, want %v", name, at, parameter, found, isSize)
			}
		}
	}
	known, err := HostFunctions()
	if err != nil {
		t.Fatal(err)
	}
	for full, signature := range known {
		module, name, _ := strings.Cut(full, ".")
		if module == WASI {
			continue
		}
		params, _, _ := strings.Cut(strings.TrimPrefix(signature, "("), ")")
		for at, kind := range strings.Split(params, ", ") {
			isSize := func(at int) bool {
				return slices.ContainsFunc(hostSizes[module][name], func(s size) bool { return s.at == at })
			}
			isPointer := module == V1 && isSize(at+1)
			if kind != "" && kind != "f64" && !isSize(at) && !isPointer && !slices.Contains(notSizes[module][name], at) {
				t.Errorf("%s: parameter %d is not in the table of sizes", full, at)
			}
		}
	}
	for module, functions := range hostSizes {
		for name := range functions {
			if _, ok := known[module+"."+name]; !ok {
				t.Errorf("%s.%s is in the table but does not exist", module, name)
			}
		}
	}
}

// Each WASI function of the engine is a Go function that still works after the runtime that
// provided it is closed.
func TestEngineHasGoFunctionsForWASI(t *testing.T) {
	functions, err := wasiFunctions()
	if err != nil {
		t.Fatal(err)
	}
	for name, def := range functions {
		if _, ok := def.GoFunction().(api.GoModuleFunction); !ok {
			t.Errorf("%s is not a Go function", name)
		}
	}
}
