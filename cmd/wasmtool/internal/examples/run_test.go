package examples

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/wasmtest"
	"github.com/wasmtool/wasmtool/registry/runtimes"
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

// Examples use the interpreters of the caller, although their state is separate.
func TestExamplesUseTheInterpreters(t *testing.T) {
	o := nothing(t, "[[examples]]\ntitle = \"Nothing\"\noutput = \"\"\n")
	dir := o.Sources.Directories[0]
	module, err := os.ReadFile(filepath.Join(dir, "nothing.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := os.ReadFile(filepath.Join(dir, "tool.toml"))
	if err != nil {
		t.Fatal(err)
	}
	manifest = bytes.Replace(manifest, []byte(`module.path = "nothing.wasm"`), []byte(`module.runtime = "demo"`), 1)
	if err := os.WriteFile(filepath.Join(dir, "tool.toml"), manifest, 0o600); err != nil {
		t.Fatal(err)
	}
	release := runtimes.Release{Name: "demo", Version: "1.0.0", SHA256: fmt.Sprintf("%x", sha256.Sum256(module)), Size: len(module)}
	added := t.TempDir()
	if err := runtimes.NewStore(added, []runtimes.Release{release}).Add("demo", bytes.NewReader(module)); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ dir, revoked, want string }{
		"added":   {dir: added},
		"missing": {dir: t.TempDir(), want: "run 'wasmtool runtime add demo'"},
		"revoked": {dir: added, revoked: "it is unsafe", want: "the runtime demo 1.0.0 is revoked: it is unsafe; upgrade wasmtool"},
	} {
		release.Revoked = tt.revoked
		o.Sources.Runtimes = runtimes.NewStore(tt.dir, []runtimes.Release{release})
		report, err := Run(t.Context(), Options{Tools: o})
		if err != nil || len(report.Outcomes) != 1 || (report.Outcomes[0].Status == Passed) != (tt.want == "") ||
			!strings.Contains(strings.Join(report.Outcomes[0].Mismatches, "\n"), tt.want) {
			t.Errorf("%s: got %+v, %v; want %q", name, report, err, tt.want)
		}
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
