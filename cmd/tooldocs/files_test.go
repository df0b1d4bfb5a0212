package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWriteAndCompare(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "docs", "tools")
	p := pages{"README.md": "index\n", "read.md": "page\n"}
	if err := p.compare(folder, io.Discard); err == nil {
		t.Error("pages that are not there are current")
	}
	if err := p.write(folder, io.Discard); err != nil {
		t.Fatal(err)
	}
	if err := p.compare(folder, io.Discard); err != nil {
		t.Errorf("pages that were just written: %v", err)
	}
	for name, text := range map[string]string{"gone.md": "of a tool that is gone", "read.md": "changed by hand", "image.svg": "kept"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var told strings.Builder
	if err := p.compare(folder, &told); err == nil || !strings.Contains(err.Error(), "make guests") {
		t.Errorf("pages that differ: %v", err)
	}
	for _, name := range []string{"gone.md", "read.md"} {
		if !strings.Contains(told.String(), "/"+name+"\n") {
			t.Errorf("%s is not named:\n%s", name, &told)
		}
	}
	if err := p.write(folder, io.Discard); err != nil {
		t.Fatal(err)
	}
	if err := p.compare(folder, io.Discard); err != nil {
		t.Errorf("pages that were written again: %v", err)
	}
	if _, err := os.Stat(filepath.Join(folder, "image.svg")); err != nil {
		t.Errorf("a file that is no page: %v", err)
	}
}

// The built-in tools all have a page.
func TestMakePages(t *testing.T) {
	folder := t.TempDir()
	if err := makePages(folder, false, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"README.md", "grep.md", "calculator.md"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Error(err)
		}
	}
	if err := makePages(folder, true, io.Discard); err != nil {
		t.Error(err)
	}
}

func TestCommandLine(t *testing.T) {
	for _, args := range [][]string{{"-chekc"}, {"more"}} {
		if got := run(args, io.Discard, io.Discard); got != 2 {
			t.Errorf("%q exits with %d, want 2", args, got)
		}
	}
}
