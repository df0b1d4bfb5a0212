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

// project is a dependency of this module, so that its sources are there.
const project = "github.com/spf13/pflag"

// moduleFolder is where the go command keeps the sources of a module.
func moduleFolder(t *testing.T, module string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	folder := strings.TrimSpace(string(out))
	if err != nil || folder == "" {
		t.Fatalf("the sources of %s are not here, 'go mod download' gets them: %v", module, err)
	}
	return folder
}

// entry is a file or folder; a folder has no text.
type entry struct {
	mode fs.FileMode
	text string
}

// tree has the entries of a folder by their paths in it, with slashes.
type tree map[string]entry

// snapshot reads a folder, all of it.
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

// merged has the paths of both.
func merged(a, b tree) tree {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// firstDifference shows where two texts part.
func firstDifference(got, want string) string {
	g, w := strings.SplitAfter(got, "\n"), strings.SplitAfter(want, "\n")
	for n := range min(len(g), len(w)) {
		if g[n] != w[n] {
			return fmt.Sprintf("line %d is %q, want %q", n+1, g[n], w[n])
		}
	}
	return fmt.Sprintf("there are %d lines, want %d", len(g), len(w))
}
