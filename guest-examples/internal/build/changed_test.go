package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/guest-examples/internal/testprogram"
)

const (
	original   = "zero\none\ntwo\nthree\nfour\nfive\n"
	firstPatch = `The line "one" becomes two lines.

--- a/lib/a.go
+++ b/lib/a.go
@@ -1,3 +1,4 @@
 zero
-one
+ONE
+one and a half
 two
`
	secondPatch = `This hunk has moved by a line.

--- a/lib/a.go
+++ b/lib/a.go
@@ -3,3 +3,3 @@
 two
-three
+THREE
 four
`
)

// patched applies the patches to a directory with the file lib/a.go and returns its new content.
func patched(t *testing.T, patches map[string]string) (string, error) {
	t.Helper()
	testprogram.Path(t, "git")
	dir, from := t.TempDir(), t.TempDir()
	put(t, filepath.Join(dir, "lib", "a.go"), original)
	for name, patch := range patches {
		put(t, filepath.Join(from, name), patch)
	}
	if err := applyAll(t.Context(), from, dir); err != nil {
		return "", err
	}
	content, err := os.ReadFile(filepath.Join(dir, "lib", "a.go"))
	if err != nil {
		t.Fatal(err)
	}
	return string(content), nil
}

func TestApplyAll_inOrderOfNames(t *testing.T) {
	got, err := patched(t, map[string]string{"02-b.patch": secondPatch, "01-a.patch": firstPatch})
	if err != nil {
		t.Fatal(err)
	}
	if want := "zero\nONE\none and a half\ntwo\nTHREE\nfour\nfive\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A new version of a library may lack the lines that a patch expects.
func TestApplyAll_namesTheHunkThatDoesNotApply(t *testing.T) {
	hunk := func(lines string) string { return "--- a/lib/a.go\n+++ b/lib/a.go\n" + lines }
	for name, test := range map[string]struct {
		patch string
		want  []string
	}{
		"other line":     {hunk("@@ -2,3 +2,3 @@\n one\n-three\n+3\n three\n"), []string{"01-a.patch", "patch failed: lib/a.go:2"}},
		"other space":    {hunk("@@ -2,3 +2,3 @@\n one \n-two\n+2\n three\n"), []string{"01-a.patch", "patch failed: lib/a.go:2"}},
		"second hunk":    {hunk("@@ -1,2 +1,2 @@\n-zero\n+0\n one\n@@ -4,2 +4,2 @@\n three\n-5\n+five\n"), []string{"01-a.patch", "patch failed: lib/a.go:4"}},
		"no such file":   {strings.ReplaceAll(firstPatch, "a.go", "b.go"), []string{"01-a.patch", "lib/b.go"}},
		"no hunk":        {"words\n", []string{"01-a.patch", "No valid patches"}},
		"applied before": {strings.Replace(firstPatch, "-one\n", "-ONE\n", 1), []string{"01-a.patch", "patch failed: lib/a.go:1"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := patched(t, map[string]string{"01-a.patch": test.patch})
			for _, want := range test.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want an error with %q", err, want)
				}
			}
		})
	}
	if _, err := patched(t, nil); err == nil || !strings.Contains(err.Error(), "has no patches") {
		t.Errorf("without patches: got %v, want an error", err)
	}
}

// Each patch says what it changes and which test shows the change.
func TestPatchesHaveHeaders(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("patches", "*", "*.patch"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no patches: %v", err)
	}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		header, _, ok := strings.Cut(string(content), "\ndiff --git ")
		if !ok || !strings.Contains(header, "\n\nTest: ") {
			t.Errorf("%s: before the first diff, say what the library does wrong, what is right, and \"Test: \" with the test that shows it", name)
		}
	}
}

func TestTest_reportsFailure(t *testing.T) {
	root := filepath.Join("..", "..")
	if err := test(t.Context(), root, []string{"./no/such/package"}, io.Discard, io.Discard); err == nil {
		t.Error("testing a package that does not exist succeeds")
	}
}
