package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// patchesDir, relative to the directory guest-examples, has a directory of patches for each change.
const patchesDir = "internal/build/patches"

// changes lists the libraries that need changes before a tool can use them. The build compiles
// changed copies of these libraries. The repository contains only the patches: copies would have to
// be compared with each new version.
var changes = []change{
	{"github.com/benhoyt/goawk", "goawk"},
	{"github.com/itchyny/gojq", "gojq"},
	{"mvdan.cc/sh/v3", "sh"},
}

// change is a library that is changed by the patches in the directory called name.
type change struct{ module, name string }

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

// copy copies the module in the version that root requires, and changes the copy. The parameter to
// is the directory of the copy.
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
	if err := applyAll(ctx, filepath.Join(root, filepath.FromSlash(patchesDir), c.name), to); err != nil {
		return fmt.Errorf("%s %s: %w; adapt the patch to this version", c.module, module.Version, err)
	}
	return nil
}

// applyAll applies the patches in a directory to the tree at dir, in the order of their names.
func applyAll(ctx context.Context, patches, dir string) error {
	names, err := filepath.Glob(filepath.Join(patches, "*.patch"))
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("%s has no patches", patches)
	}
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		if err := applyPatch(ctx, name, dir); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(name), err)
		}
	}
	return nil
}

// applyPatch applies one patch. Its lines of context must match, but may have moved. The error
// names the file and the line of the hunk that does not match.
func applyPatch(ctx context.Context, name, dir string) error {
	name, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "git", "-c", "core.autocrlf=false", "-c", "apply.ignoreWhitespace=no", "apply", "--whitespace=nowarn", name)
	cmd.Dir = dir
	// A temporary directory may be inside a repository; git would then change the files of that
	// repository.
	ofGit := func(variable string) bool { return strings.HasPrefix(variable, "GIT_") }
	cmd.Env = append(slices.DeleteFunc(os.Environ(), ofGit), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "LC_ALL=C")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("git apply: %s", bytes.TrimSpace(stderr.Bytes()))
	}
	return err
}

// test runs go test with these arguments in the tree at root with the changed libraries.
func test(ctx context.Context, root string, args []string, stdout, stderr io.Writer) error {
	temp, err := os.MkdirTemp("", "wasmtool-test-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	changed, err := withChanges(ctx, root, temp)
	if err != nil {
		return err
	}
	// -trimpath makes the build cache independent of the name of the temporary directory.
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-modfile=" + changed.modfile, "-trimpath"}, args...)...)
	cmd.Dir = changed.dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "PWD="+changed.dir)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go test: %w", err)
	}
	return nil
}
