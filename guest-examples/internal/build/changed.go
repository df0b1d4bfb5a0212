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

// Some libraries can't be compiled to what a tool needs as they are. Copies of them
// are changed and built in their place; the repository holds none, so that nobody has
// to compare one with new versions.
var changes = []change{
	{"mvdan.cc/sh/v3", "sh", useGoPipes},
}

// change is what is done to the copy of a module: the copy lies in a folder named
// name, and apply fails when it does not find what it is to change.
type change struct {
	module, name string
	apply        func(dir string) error
}

// tree is where to build, and with which go.mod.
type tree struct{ dir, modfile string }

// withChanges returns a tree with the same sources as the one at root in which the
// changed copies are used. It lies in temp, and consists of links but for the copies:
// only relative names get into a module, so that equal sources give equal bytes.
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

// copy copies the version of the module that root asks for, and changes it.
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
		return fmt.Errorf("%s %s: %w; see how this version does it, and change internal/build/changed.go", c.module, module.Version, err)
	}
	return nil
}

// pipeTags are the lines by which mvdan.cc/sh selects its pipes: what stands there, and
// what is to, and in which file, as _js in the name of one is a tag, too.
var pipeTags = []struct{ file, line, want, to string }{
	{"interp/stdin_js.go", "//go:build js\n", "//go:build js || wasip1\n", "interp/stdin_pipe.go"},
	{"interp/stdin_os.go", "//go:build !js\n", "//go:build !js && !wasip1\n", "interp/stdin_os.go"},
}

// useGoPipes has the interpreter of shell scripts use the pipes of Go, which it does
// where its target is JavaScript. WebAssembly modules have none of the system either,
// and build tags can't be set from outside.
func useGoPipes(dir string) error {
	for _, tag := range pipeTags {
		content, err := take(dir, tag.file)
		if err != nil {
			return err
		}
		if bytes.Count(content, []byte(tag.line)) != 1 {
			return fmt.Errorf("%s has no single line %q", tag.file, tag.line)
		}
		content = bytes.Replace(content, []byte(tag.line), []byte(tag.want), 1)
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(tag.to)), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// take reads a file and removes it: files of the module cache are read-only, and so are
// their copies.
func take(dir, file string) ([]byte, error) {
	name := filepath.Join(dir, filepath.FromSlash(file))
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, errors.New(file + " is not there")
	}
	return content, os.Remove(name)
}
