package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/testlevel"
)

// This test edits a copy of an open-source project as a coding agent would, through the 'wasmtool
// serve' command. testdata/steps.yaml has at least forty steps. Afterwards, the workspace must be
// exactly the expected tree, with unchanged file modes. No other file may exist, inside or outside
// the workspace. Single tools have tests of their own.
func TestAgentWorksOnAProject(t *testing.T) {
	testlevel.Long(t, "it compiles the shell and most built-in tools, and uses them in ninety calls")
	t.Parallel()
	source := moduleDirectory(t, project)
	above := t.TempDir()
	workspace := filepath.Join(above, "pflag")
	if err := os.CopyFS(workspace, os.DirFS(source)); err != nil { // a writable copy
		t.Fatal(err)
	}
	before := snapshot(t, workspace)
	if err := os.WriteFile(filepath.Join(above, "token.txt"), []byte("not for agents\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	a := startAgent(t, workspace)
	for n, s := range readSteps(t, filepath.Join("testdata", "steps.yaml")) {
		text, err := a.do(t.Context(), s)
		if err != nil {
			t.Errorf("step %d, %s by %s: %v\nthe answer is\n%s", n+1, s.Do, s.Tool, err, text)
		}
		for _, never := range []string{above, source, "not for agents"} {
			if strings.Contains(text, never) {
				t.Errorf("step %d, %s by %s: the text has %s", n+1, s.Do, s.Tool, never)
			}
		}
	}
	if err := a.session.Close(); err != nil {
		t.Errorf("the command ended with %v", err)
	}

	want := expected(t, before)
	got := snapshot(t, workspace)
	for _, path := range slices.Sorted(maps.Keys(merged(want, got))) {
		w, wanted := want[path]
		g, found := got[path]
		switch {
		case !found:
			t.Errorf("%s does not exist", path)
		case !wanted:
			t.Errorf("%s is left over", path)
		case g.mode != w.mode:
			t.Errorf("%s has the mode %v, want %v", path, g.mode, w.mode)
		case g.text != w.text:
			t.Errorf("%s is not as expected:\n%s", path, firstDifference(g.text, w.text))
		}
	}
	entries, err := os.ReadDir(above)
	if err != nil || len(entries) != 2 {
		t.Errorf("the parent of the workspace has %v, %v; want the workspace and token.txt", entries, err)
	}
}
