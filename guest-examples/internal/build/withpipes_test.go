package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	goPipes     = "// A comment.\n\n//go:build js\n\npackage interp\n"
	systemPipes = "//go:build !js\n\npackage interp\n"
)

func TestCopyWithPipes(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "sh")
	put(t, filepath.Join(from, "interp", "stdin_js.go"), goPipes)
	put(t, filepath.Join(from, "interp", "stdin_os.go"), systemPipes)
	put(t, filepath.Join(from, "go.mod"), "module x\n")
	if err := copyWithPipes(from, to); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"interp/stdin_pipe.go": "// A comment.\n\n//go:build js || wasip1\n\npackage interp\n",
		"interp/stdin_os.go":   "//go:build !js && !wasip1\n\npackage interp\n",
		"go.mod":               "module x\n",
	} {
		if got, err := os.ReadFile(filepath.Join(to, filepath.FromSlash(name))); err != nil || string(got) != want {
			t.Errorf("%s: got %q, %v; want %q", name, got, err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(to, "interp", "stdin_js.go")); err == nil {
		t.Error("the file whose name selects JavaScript is still there")
	}
}

// A new version of the interpreter may select its pipes by other means.
func TestCopyWithPipes_refusesWhatItDoesNotKnow(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"no variant":   {"interp/stdin_js.go": goPipes},
		"other tag":    {"interp/stdin_js.go": "//go:build js || wasip2\n", "interp/stdin_os.go": systemPipes},
		"tagged twice": {"interp/stdin_js.go": goPipes, "interp/stdin_os.go": systemPipes + systemPipes},
	} {
		t.Run(name, func(t *testing.T) {
			from := t.TempDir()
			for file, content := range files {
				put(t, filepath.Join(from, filepath.FromSlash(file)), content)
			}
			err := copyWithPipes(from, filepath.Join(t.TempDir(), "sh"))
			if err == nil || !strings.Contains(err.Error(), "change internal/build/withpipes.go") {
				t.Errorf("got %v, want an error that says what to look at", err)
			}
		})
	}
}
