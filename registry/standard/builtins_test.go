package standard_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/registry/builtins"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/executor/code"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// New registers all built-in tools, or none with NoBuiltins. They can be counted and removed: a
// tool still works after all other tools of its module are removed.
func TestBuiltinsAreRegisteredAndRemovable(t *testing.T) {
	manifests, err := fs.Glob(builtins.FS(), "*/tool.toml")
	if err != nil || len(manifests) < 25 {
		t.Fatalf("%d manifests, %v", len(manifests), err)
	}
	// code has no manifest of its own.
	for want, none := range map[int]bool{0: true, len(manifests) + 1: false} {
		tools, err := standard.New(standard.Options{Sources: standard.Sources{NoBuiltins: none}, StateDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = tools.Close() })
		if got := tools.Tools().Stats().Total; got != want {
			t.Errorf("%d tools are registered, want %d", got, want)
		}
		for _, info := range tools.Tools().List(catalogue.Filter{}) {
			if !slices.Contains(manifests, info.Name+"/tool.toml") && info.Name != code.Name {
				t.Errorf("%s is not a built-in tool", info.Name)
			}
			if info.Name == "calculator" {
				continue
			}
			if removed, err := tools.Tools().Unregister(info.Name); !removed || err != nil {
				t.Errorf("%s: %v, %v", info.Name, removed, err)
			}
		}
		if none {
			continue
		}
		if result, err := execute(t, tools, "calculator", `{"expression":"6*7"}`); err != nil || result.Text() != "42\n" {
			t.Errorf("got %q, %v", result.Text(), err)
		}
		_, err = execute(t, tools, "datetime", `{}`)
		if tool.CodeOf(err) != tool.CodeNotFound {
			t.Errorf("a removed tool: %v", err)
		}
	}
}

// A program that calls one built-in tool loads only that tool. A name that is not the name of a
// built-in tool loads all, so that aliases and suggestions of other names work.
func TestOnlyCalledBuiltinIsLoaded(t *testing.T) {
	for called, only := range map[string]bool{"calculator": true, "bash": true, "exec": false, "code": false, "calculatr": false, "../calculator": false, "": false} {
		tools, err := standard.New(standard.Options{Sources: standard.Sources{CalledBuiltin: called}, StateDir: t.TempDir(), NoCache: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = tools.Close() })
		if tools.Tools().Has("datetime") == only {
			t.Errorf("%q: another tool is registered: %v", called, !only)
		}
		if only && !tools.Tools().Has(called) {
			t.Errorf("%s is not registered", called)
		}
	}
}

// A registry that only reads tools and calls them writes nothing: neither definitions, nor results,
// nor a history.
func TestCallsLeaveNoFiles(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	module := wasmtest.Module{Types: []wasmtest.FuncType{{}}, Exports: []wasmtest.Export{{Name: "_start"}}, Funcs: []wasmtest.Func{{}}}
	const manifest = "manifest = 1\nname = \"own\"\nversion = \"1.0.0\"\ndescription = \"Does nothing.\"\nmodule.path = \"own.wasm\"\n"
	putTool(t, filepath.Join(dir, "own"), "own.wasm", manifest, module.Bytes())
	tools, err := standard.New(standard.Options{Sources: standard.Sources{NoBuiltins: true, Directories: []string{dir}}, StateDir: state, NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := execute(t, tools, "own", `{}`); err != nil {
			t.Fatal(err)
		}
	}
	if err := tools.Close(); err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, root := range []string{dir, state} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				left = append(left, filepath.Base(path))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "own", "tool.toml")); err != nil || string(text) != manifest || !slices.Equal(left, []string{"own.wasm", "tool.toml"}) {
		t.Errorf("the files are %q, and the manifest is %q, %v", left, text, err)
	}
}
