package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// changes are made to libraries that do not work unchanged in a tool. The build compiles changed
// copies of them. The repository holds no copies, so that no one has to compare them with new
// versions.
var changes = []change{
	{"mvdan.cc/sh/v3", "sh", useGoPipes},
}

// change is a change to a copy of a module. The copy is in a directory called name. apply returns
// an error if it does not find what it should change.
type change struct {
	module, name string
	apply        func(dir string) error
}

// tree is the directory of a build and its go.mod file.
type tree struct{ dir, modfile string }

// withChanges returns a tree in temp with the sources of root, in which changed copies replace some
// modules. Everything except the copies is a link. The compiled modules contain only relative file
// names, so equal sources give equal bytes.
func withChanges(ctx context.Context, root, temp string) (tree, error) {
	absolute, err := filepath.Abs(root)
	if err != nil {
		return tree{}, err
	}
	for link, target := range map[string]string{"guest-examples": absolute, "guest": filepath.Join(absolute, "..", "guest")} {
		if err := os.Symlink(target, filepath.Join(temp, link)); err != nil {
			return tree{}, err
		}
	}
	modfile, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return tree{}, err
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return tree{}, err
	}
	for _, c := range changes {
		if err := c.copy(ctx, root, filepath.Join(temp, c.name)); err != nil {
			return tree{}, err
		}
		modfile = fmt.Appendf(modfile, "\nreplace %s => ../%s\n", c.module, c.name)
	}
	t := tree{dir: filepath.Join(temp, "guest-examples"), modfile: filepath.Join(temp, "changed.mod")}
	if err := os.WriteFile(t.modfile, modfile, 0o644); err != nil {
		return tree{}, err
	}
	return t, os.WriteFile(filepath.Join(temp, "changed.sum"), sums, 0o644)
}

// copy copies the module, in the version that root requires, to the directory to, and changes it.
func (c change) copy(ctx context.Context, root, to string) error {
	text, err := goCommand(ctx, root, "mod", "download", "-json", c.module)
	if err != nil {
		return err
	}
	var module struct{ Dir, Version string }
	if err := json.Unmarshal([]byte(text), &module); err != nil {
		return fmt.Errorf("go mod download: %w", err)
	}
	if err := os.CopyFS(to, os.DirFS(module.Dir)); err != nil {
		return err
	}
	if err := c.apply(to); err != nil {
		return fmt.Errorf("%s %s: %w; adapt internal/build/changed.go to this version", c.module, module.Version, err)
	}
	return nil
}

// pipeTags replace the build constraints with which mvdan.cc/sh selects its pipes. The files are
// also renamed, because _js in a file name is another constraint.
var pipeTags = []struct{ file, line, want, to string }{
	{"interp/stdin_js.go", "//go:build js\n", "//go:build js || wasip1\n", "interp/stdin_pipe.go"},
	{"interp/stdin_os.go", "//go:build !js\n", "//go:build !js && !wasip1\n", "interp/stdin_os.go"},
}

// useGoPipes makes the shell interpreter use pipes in Go, as it does for JavaScript. WebAssembly
// modules have no system pipes either, and the build tags can't be set from outside.
func useGoPipes(dir string) error {
	for _, tag := range pipeTags {
		content, err := take(dir, tag.file)
		if err != nil {
			return err
		}
		if bytes.Count(content, []byte(tag.line)) != 1 {
			return fmt.Errorf("%s does not have exactly one line %q", tag.file, tag.line)
		}
		content = bytes.Replace(content, []byte(tag.line), []byte(tag.want), 1)
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(tag.to)), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// take reads a file and removes it so that it can be written anew: files of the module cache, and
// their copies, are read-only.
func take(dir, file string) ([]byte, error) {
	name := filepath.Join(dir, filepath.FromSlash(file))
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, errors.New(file + " is not there")
	}
	return content, os.Remove(name)
}
