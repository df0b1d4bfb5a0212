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

func TestUseGoPipes(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "interp", "stdin_js.go"), goPipes)
	put(t, filepath.Join(dir, "interp", "stdin_os.go"), systemPipes)
	if err := useGoPipes(dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"interp/stdin_pipe.go": "// A comment.\n\n//go:build js || wasip1\n\npackage interp\n",
		"interp/stdin_os.go":   "//go:build !js && !wasip1\n\npackage interp\n",
	} {
		if got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))); err != nil || string(got) != want {
			t.Errorf("%s: got %q, %v; want %q", name, got, err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "interp", "stdin_js.go")); err == nil {
		t.Error("the file whose name selects JavaScript still exists")
	}
}

// A new version of a library may lack the lines that a change expects.
func TestChanges_refuseUnknownSources(t *testing.T) {
	for name, test := range map[string]struct {
		apply func(string) error
		files map[string]string
		want  string
	}{
		"no variant":   {useGoPipes, map[string]string{"interp/stdin_js.go": goPipes}, "interp/stdin_os.go is not there"},
		"other tag":    {useGoPipes, map[string]string{"interp/stdin_js.go": "//go:build js && wasm\n"}, "does not have exactly one line"},
		"tagged twice": {useGoPipes, map[string]string{"interp/stdin_js.go": goPipes + goPipes}, "does not have exactly one line"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, content := range test.files {
				put(t, filepath.Join(dir, filepath.FromSlash(file)), content)
			}
			if err := test.apply(dir); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}
