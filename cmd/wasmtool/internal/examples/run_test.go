package examples

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// nothing returns options for one tool that does nothing. Its manifest contains the given examples.
func nothing(t *testing.T, examples string) standard.Options {
	t.Helper()
	dir := t.TempDir()
	module := wasmtest.Module{
		Types: []wasmtest.FuncType{{}}, Funcs: []wasmtest.Func{{}},
		Memory: []uint32{1, 16}, Exports: []wasmtest.Export{{Name: "_start"}, {Name: "memory", Kind: 2}},
	}
	manifest := "manifest = 1\nname = \"nothing\"\nversion = \"1.0.0\"\ndescription = \"Does nothing.\"\nmodule.path = \"nothing.wasm\"\n" +
		"permissions.fs = [{ mount = \"workspace\", mode = \"write\" }]\n" + examples
	for name, data := range map[string][]byte{"tool.toml": []byte(manifest), "nothing.wasm": module.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return standard.Options{Sources: standard.Sources{NoBuiltins: true, Directories: []string{dir}}, NoCache: true}
}

// An example cannot access the caller's files, and leaves no files behind.
func TestExamplesAreIsolated(t *testing.T) {
	temp, workspace := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	if err := os.WriteFile(filepath.Join(workspace, "mine.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o := Options{Tools: nothing(t, `
[[examples]]
title = "Only its own files"
files = { "a/b.txt" = "x" }
output = ""
after = { "a/b.txt" = "x" }
gone = ["mine.txt"]
[[examples]]
title = "No files of the previous example"
gone = ["a"]
`)}
	o.Tools.Workspace = workspace
	report, err := Run(t.Context(), o)
	if err != nil || report.Failures() > 0 || len(report.Outcomes) != 2 {
		t.Errorf("got %+v, %v", report, err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("leftovers: %v, %v", left, err)
	}
}

// A cancelled example is not reported as failed.
func TestRunStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	report, err := Run(ctx, Options{Tools: nothing(t, "[[examples]]\ntitle = \"Nothing\"\noutput = \"\"\n")})
	if tool.CodeOf(err) != tool.CodeCancelled || len(report.Outcomes) > 0 {
		t.Errorf("got %+v, %v", report, err)
	}
}

func TestRunNames(t *testing.T) {
	o := Options{Tools: nothing(t, ""), Names: []string{"nothing"}}
	if report, err := Run(t.Context(), o); err != nil || len(report.Without) != 1 || len(report.Outcomes) > 0 {
		t.Errorf("a tool without examples: %+v, %v", report, err)
	}
	o.Names = []string{"nothin"}
	if _, err := Run(t.Context(), o); tool.CodeOf(err) != tool.CodeNotFound {
		t.Errorf("an unknown name: %v", err)
	}
}
