package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// The interpreter of mvdan.cc/sh has two variants of its pipes: of the operating
// system, which WebAssembly modules have not, and of Go, which it uses where its
// target is JavaScript. The shell needs the second one. As build tags can't say
// that from outside, a copy of the module is changed and built in its place; the
// repository holds none.
const pipesModule = "mvdan.cc/sh/v3"

// pipeTags are the lines that select a variant: what stands there, and what is to,
// and in which file, as _js in the name of one is a tag, too.
var pipeTags = []struct{ file, line, want, to string }{
	{"interp/stdin_js.go", "//go:build js\n", "//go:build js || wasip1\n", "interp/stdin_pipe.go"},
	{"interp/stdin_os.go", "//go:build !js\n", "//go:build !js && !wasip1\n", "interp/stdin_os.go"},
}

// tree is where to build, and with which go.mod.
type tree struct{ dir, modfile string }

// withPipes returns a tree with the same sources as the one at root in which
// pipesModule is the changed copy. It lies in temp, and consists of links but for
// the copy: only relative names get into a module, so that equal sources give equal
// bytes.
func withPipes(ctx context.Context, root, temp string) (tree, error) {
	text, err := goCommand(ctx, root, "mod", "download", "-json", pipesModule)
	if err != nil {
		return tree{}, err
	}
	var module struct{ Dir, Version string }
	if err := json.Unmarshal([]byte(text), &module); err != nil {
		return tree{}, fmt.Errorf("go mod download: %w", err)
	}
	if err := copyWithPipes(module.Dir, filepath.Join(temp, "sh")); err != nil {
		return tree{}, fmt.Errorf("%s %s: %w", pipesModule, module.Version, err)
	}
	absolute, err := filepath.Abs(root)
	if err != nil {
		return tree{}, err
	}
	for link, target := range map[string]string{"guest-examples": absolute, "guest": filepath.Join(absolute, "..", "guest")} {
		if err := os.Symlink(target, filepath.Join(temp, link)); err != nil {
			return tree{}, err
		}
	}
	t := tree{dir: filepath.Join(temp, "guest-examples"), modfile: filepath.Join(temp, "pipes.mod")}
	for from, to := range map[string]string{"go.mod": t.modfile, "go.sum": filepath.Join(temp, "pipes.sum")} {
		content, err := os.ReadFile(filepath.Join(root, from))
		if err != nil {
			return tree{}, err
		}
		if from == "go.mod" {
			content = fmt.Appendf(content, "\nreplace %s => ../sh\n", pipesModule)
		}
		if err := os.WriteFile(to, content, 0o644); err != nil {
			return tree{}, err
		}
	}
	return t, nil
}

// copyWithPipes copies the module at dir and changes its tags.
func copyWithPipes(dir, to string) error {
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		return err
	}
	for _, tag := range pipeTags {
		name := filepath.Join(to, filepath.FromSlash(tag.file))
		content, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("%s is not there; see how this version selects its pipes, and change internal/build/withpipes.go", tag.file)
		}
		if bytes.Count(content, []byte(tag.line)) != 1 {
			return fmt.Errorf("%s has no single line %q; see how this version selects its pipes, and change internal/build/withpipes.go", tag.file, tag.line)
		}
		content = bytes.Replace(content, []byte(tag.line), []byte(tag.want), 1)
		// Files of the module cache are read-only, and so are their copies.
		if err := os.Remove(name); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, filepath.FromSlash(tag.to)), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
