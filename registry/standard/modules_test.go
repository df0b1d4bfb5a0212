package standard_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func TestModules(t *testing.T) {
	modules, err := standard.Modules(standard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	digests := make(map[string]string)
	for _, m := range modules {
		if len(m.Digest) != 64 {
			t.Errorf("%s has the digest %q", m.Tool, m.Digest)
		}
		digests[m.Tool] = m.Digest
	}
	if digests["grep"] != digests["glob"] || digests["grep"] == digests["calculator"] {
		t.Errorf("built-in tools that share a module do not share a digest, or all do: %v", digests)
	}
}

func TestModules_missingModule(t *testing.T) {
	dir := t.TempDir()
	manifest := "manifest = 1\nname = \"a\"\nversion = \"1.0.0\"\ndescription = \"A.\"\nmodule.path = \"a.wasm\"\n"
	if err := os.WriteFile(filepath.Join(dir, "tool.toml"), []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	sources := standard.Sources{NoBuiltins: true, Directories: []string{dir}}
	if _, err := standard.Modules(standard.Options{Sources: sources}); tool.CodeOf(err) != tool.CodeInvalidManifest {
		t.Errorf("got %v", err)
	}
	good := t.TempDir()
	module := wasmtest.Module{Types: []wasmtest.FuncType{{}}, Exports: []wasmtest.Export{{Name: "_start"}}, Funcs: []wasmtest.Func{{}}}
	putTool(t, good, "b.wasm", strings.NewReplacer(`"a"`, `"b"`, "a.wasm", "b.wasm").Replace(manifest), module.Bytes())
	var told error
	sources.Directories, sources.OnLoadError = []string{dir, good}, func(err error) { told = err }
	modules, err := standard.Modules(standard.Options{Sources: sources})
	if err != nil || told == nil || len(modules) != 1 || modules[0].Tool != "b" {
		t.Errorf("got %v, %v; told %v", modules, err, told)
	}
}
