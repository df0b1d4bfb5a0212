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

// pages are the texts of pages by the names of their files.
type pages map[string]string

// write makes the pages of a folder these, and takes out of it those that are none any more.
func (p pages) write(folder string, stdout io.Writer) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	names, err := p.differing(folder)
	if err != nil {
		return err
	}
	for _, name := range names {
		path, done := filepath.Join(folder, name), "wrote"
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

// compare reports every page that is not what it would be written as.
func (p pages) compare(folder string, stdout io.Writer) error {
	names, err := p.differing(folder)
	if err != nil {
		return err
	}
	for _, name := range names {
		fmt.Fprintf(stdout, "differs: %s\n", filepath.ToSlash(filepath.Join(folder, name)))
	}
	if len(names) > 0 {
		return errors.New("the pages are not those of the built-in tools; run make guests")
	}
	return nil
}

// differing lists the pages that are not in the folder as they are here, and those in the folder
// that belong to no tool.
func (p pages) differing(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
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
		if there, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(there) != text {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}
