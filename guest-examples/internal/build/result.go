package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// write writes the changed files below root, and removes artefacts that no longer belong to the
// build.
func write(files []file, root string, stdout io.Writer) error {
	for _, f := range files {
		name := filepath.Join(root, filepath.FromSlash(f.path))
		if same(name, f.content) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, f.content, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(stdout, "wrote %s (%d bytes)\n", f.path, len(f.content))
	}
	stale, err := leftOver(files, root)
	if err != nil {
		return err
	}
	for _, path := range stale {
		if err := os.Remove(filepath.Join(root, path)); err != nil {
			return err
		}
		fmt.Fprintf(stdout, "removed %s\n", path)
	}
	return nil
}

// compare compares the files below root with a new build by this version of Go. It skips
// uncompressed modules, which are not in the repository.
func compare(files []file, root, goVersion string, stdout io.Writer) error {
	differing, err := leftOver(files, root)
	if err != nil {
		return err
	}
	for _, f := range files {
		if strings.HasSuffix(f.path, ".wasm") {
			continue
		}
		if !same(filepath.Join(root, filepath.FromSlash(f.path)), f.content) {
			differing = append(differing, f.path)
		}
	}
	if len(differing) == 0 {
		fmt.Fprintln(stdout, "the built-in tools are up to date")
		return nil
	}
	slices.Sort(differing)
	text := "these files differ from a build of the sources:\n  " + strings.Join(differing, "\n  ")
	if was := recordedVersion(root); was != "" && was != goVersion {
		text += fmt.Sprintf("\nthey were built with %s, but this is %s, and another version of Go can change the modules;"+
			"\nset GOTOOLCHAIN=%s to compare, or rebuild them with this version", was, goVersion, was)
	}
	return errors.New(text + "\nto rebuild them run \"go run ./internal/build\" in guest-examples, then commit the result")
}

// same reports whether the file has this content. It compares packed files by the content inside,
// since another version of Go may compress differently.
func same(name string, content []byte) bool {
	have, err := os.ReadFile(name)
	if err != nil {
		return false
	}
	if bytes.Equal(have, content) || !strings.HasSuffix(name, ".gz") {
		return bytes.Equal(have, content)
	}
	inside, err := unpack(have)
	if err != nil {
		return false
	}
	want, err := unpack(content)
	return err == nil && bytes.Equal(inside, want)
}

// unpack returns the content of a packed file; the file is trusted.
func unpack(packed []byte) ([]byte, error) {
	const limit = 64 << 20
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, limit))
}

// leftOver lists the artefacts below root that are not among files.
func leftOver(files []file, root string) ([]string, error) {
	belongs := map[string]bool{}
	for _, f := range files {
		belongs[f.path] = true
	}
	var stale []string
	directory := filepath.Join(root, filepath.FromSlash(artefacts))
	err := filepath.WalkDir(directory, func(name string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && name == directory {
			return nil // nothing is built yet
		}
		if err != nil || entry.IsDir() {
			return err
		}
		below, err := filepath.Rel(root, name)
		if path := filepath.ToSlash(below); err == nil && !belongs[path] {
			stale = append(stale, path)
		}
		return err
	})
	return stale, err
}

// recordedVersion returns the version of Go that built the artefacts below root, or "" if it is
// not recorded.
func recordedVersion(root string) string {
	record, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(artefacts), recordName))
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(record), "\n")
	version, _ := strings.CutPrefix(line, "built with ")
	return version
}
