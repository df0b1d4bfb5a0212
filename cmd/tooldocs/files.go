package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// pages maps the file names of pages to their content.
type pages map[string]string

// write writes the pages to a directory and removes pages that no longer belong to a tool.
func (p pages) write(dir string, stdout io.Writer) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	names, err := p.differing(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		path, done := filepath.Join(dir, name), "wrote"
		if text, wanted := p[name]; wanted {
			err = os.WriteFile(path, []byte(text), 0o666)
		} else {
			err, done = os.Remove(path), "removed"
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%s %s\n", done, filepath.ToSlash(path))
	}
	return nil
}

// compare prints the name of every page whose file differs from the generated page.
func (p pages) compare(dir string, stdout io.Writer) error {
	names, err := p.differing(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		fmt.Fprintf(stdout, "differs: %s\n", filepath.ToSlash(filepath.Join(dir, name)))
	}
	if len(names) > 0 {
		return errors.New("the pages in docs/tools do not match the built-in tools; run make guests")
	}
	return nil
}

// differing returns the names of pages that are missing in the directory or differ from their file.
// It also returns the files that belong to no tool.
func (p pages) differing(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if _, known := p[entry.Name()]; !known && strings.HasSuffix(entry.Name(), ".md") {
			names = append(names, entry.Name())
		}
	}
	for name, text := range p {
		if current, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(current) != text {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}
