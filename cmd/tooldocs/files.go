package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// pages are the texts of pages by the names of their files.
type pages map[string]string

// write puts the pages into a folder, and takes out of it those that are none any more.
func (p pages) write(folder string, stdout io.Writer) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	stale, err := p.stale(folder)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(p)) {
		path := filepath.Join(folder, name)
		if there, err := os.ReadFile(path); err == nil && string(there) == p[name] {
			continue
		}
		if err := os.WriteFile(path, []byte(p[name]), 0o666); err != nil {
			return err
		}
		fmt.Fprintf(stdout, "wrote %s\n", filepath.ToSlash(path))
	}
	for _, name := range stale {
		if err := os.Remove(filepath.Join(folder, name)); err != nil {
			return err
		}
		fmt.Fprintf(stdout, "removed %s\n", filepath.ToSlash(filepath.Join(folder, name)))
	}
	return nil
}

// compare reports every page that is not what it would be written as.
func (p pages) compare(folder string, stdout io.Writer) error {
	wrong, err := p.stale(folder)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for name, text := range p {
		if there, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(there) != text {
			wrong = append(wrong, name)
		}
	}
	slices.Sort(wrong)
	for _, name := range wrong {
		fmt.Fprintf(stdout, "differs: %s\n", filepath.ToSlash(filepath.Join(folder, name)))
	}
	if len(wrong) > 0 {
		return errors.New("the pages are not those of the built-in tools; run make guests")
	}
	return nil
}

// stale lists the pages in a folder that belong to no tool.
func (p pages) stale(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if _, known := p[entry.Name()]; !known && strings.HasSuffix(entry.Name(), ".md") {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}
