package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// project is the project that the agent works on. It is a dependency of this module, so its source
// is in the module cache.
const project = "github.com/spf13/pflag"

// moduleDirectory returns the directory in which the go command keeps the source of a module.
func moduleDirectory(t *testing.T, module string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	dir := strings.TrimSpace(string(out))
	if err != nil || dir == "" {
		t.Fatalf("the source of %s is not here; run 'go mod download': %v", module, err)
	}
	return dir
}

// entry is a file or directory. A directory has no text.
type entry struct {
	mode fs.FileMode
	text string
}

// tree maps the slash-separated paths in a directory to their entries.
type tree map[string]entry

// snapshot reads a whole directory tree.
func snapshot(t *testing.T, dir string) tree {
	t.Helper()
	got := tree{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		e := entry{mode: info.Mode()}
		if e.mode.IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			e.text = string(data)
		}
		rel, err := filepath.Rel(dir, path)
		got[filepath.ToSlash(rel)] = e
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// merged returns a tree with the entries of both trees.
func merged(a, b tree) tree {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// firstDifference describes the first line in which two texts differ.
func firstDifference(got, want string) string {
	g, w := strings.SplitAfter(got, "\n"), strings.SplitAfter(want, "\n")
	for n := range min(len(g), len(w)) {
		if g[n] != w[n] {
			return fmt.Sprintf("line %d is %q, want %q", n+1, g[n], w[n])
		}
	}
	return fmt.Sprintf("there are %d lines, want %d", len(g), len(w))
}
