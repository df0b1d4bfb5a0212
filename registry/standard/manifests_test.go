package standard_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func TestManifests(t *testing.T) {
	const manifest = "manifest = 1\nname = \"a\"\nversion = \"1.0.0\"\ndescription = \"A.\"\nmodule.path = \"a.wasm\"\n" +
		"[[examples]]\ntitle = \"Nothing\"\noutput = \"\"\n"
	module := wasmtest.Module{Types: []wasmtest.FuncType{{}}, Exports: []wasmtest.Export{{Name: "_start"}}, Funcs: []wasmtest.Func{{}}}
	good, bad := t.TempDir(), t.TempDir()
	putTool(t, good, "a.wasm", manifest, module.Bytes())
	putTool(t, bad, "a.wasm", strings.Replace(manifest, "output", "otput", 1), module.Bytes())
	var told error
	sources := standard.Sources{NoBuiltins: true, Directories: []string{good, bad}, OnLoadError: func(err error) { told = err }}
	found, err := standard.Manifests(standard.Options{Sources: sources})
	if err != nil || len(found) != 1 || found[0].Name != "a" || found[0].Examples[0].Title != "Nothing" || !strings.HasSuffix(found[0].Source, "/tool.toml") {
		t.Errorf("got %+v, %v", found, err)
	}
	if tool.CodeOf(told) != tool.CodeInvalidManifest || !strings.Contains(told.Error(), `did you mean "output"?`) {
		t.Errorf("told %v", told)
	}
	single := standard.Options{Sources: standard.Sources{NoBuiltins: true, Tool: bad}}
	if _, err := standard.Manifests(single); tool.CodeOf(err) != tool.CodeInvalidManifest {
		t.Errorf("a single tool: %v", err)
	}
}

// A program learns from the definition of a tool whether its structured result is only details.
func TestDefinitionSaysDetails(t *testing.T) {
	const manifest = "manifest = 1\nname = %q\nversion = \"1.0.0\"\ndescription = \"A.\"\nmodule.path = \"a.wasm\"\nmodule.output = %q\n[result]\ntype = \"object\"\n"
	module := wasmtest.Module{Types: []wasmtest.FuncType{{}}, Exports: []wasmtest.Export{{Name: "_start"}}, Funcs: []wasmtest.Func{{}}}
	dir := t.TempDir()
	want := map[string]bool{"json": false, "result": false, "details": true}
	for output := range want {
		putTool(t, filepath.Join(dir, output), "a.wasm", fmt.Sprintf(manifest, output, output), module.Bytes())
	}
	listed := openTools(t, dir).Tools().List(catalogue.Filter{})
	for _, info := range listed {
		if info.Details != want[info.Name] || string(info.Result) != `{"type":"object"}` {
			t.Errorf("%s: got %v and the schema %s", info.Name, info.Details, info.Result)
		}
	}
	if len(listed) != len(want) {
		t.Errorf("got %d tools", len(listed))
	}
}

// The codes that an example may name are exactly the codes that exist.
func TestErrorCodesOfExamples(t *testing.T) {
	var codes []string
	for _, code := range tool.Codes() {
		codes = append(codes, string(code))
	}
	if got := manifests.ErrorCodes(); !slices.Equal(got, codes) {
		t.Errorf("got %q, want %q", got, codes)
	}
}

// Every client can list the built-in tools: their schemas need no change for strict clients.
func TestBuiltinsSuitStrictClients(t *testing.T) {
	found, err := standard.Manifests(standard.Options{})
	if err != nil || len(found) == 0 {
		t.Fatalf("got %d tools, %v", len(found), err)
	}
	for _, m := range found {
		for _, schema := range []*jsonschema.Schema{m.Parameters, m.Result} {
			if schema == nil {
				continue
			}
			if listable, _ := jsonschema.Listable(schema.JSON()); string(listable) != string(schema.JSON()) {
				t.Errorf("%s: an array has no schema for its items: %s", m.Name, schema.JSON())
			}
		}
	}
}
