package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWriteAndCompare(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "docs", "tools")
	p := pages{"README.md": "index\n", "read.md": "page\n"}
	if err := p.compare(dir, io.Discard); err == nil {
		t.Error("missing pages are reported as current")
	}
	if err := p.write(dir, io.Discard); err != nil {
		t.Fatal(err)
	}
	if err := p.compare(dir, io.Discard); err != nil {
		t.Errorf("pages that were just written: %v", err)
	}
	for name, text := range map[string]string{"gone.md": "of a tool that is gone", "read.md": "changed by hand", "image.svg": "kept"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var output strings.Builder
	if err := p.compare(dir, &output); err == nil || !strings.Contains(err.Error(), "make guests") {
		t.Errorf("pages that differ: %v", err)
	}
	for _, name := range []string{"gone.md", "read.md"} {
		if !strings.Contains(output.String(), "/"+name+"\n") {
			t.Errorf("%s is not reported:\n%s", name, &output)
		}
	}
	if err := p.write(dir, io.Discard); err != nil {
		t.Fatal(err)
	}
	if err := p.compare(dir, io.Discard); err != nil {
		t.Errorf("pages that were written again: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "image.svg")); err != nil {
		t.Errorf("a file that is not a page: %v", err)
	}
}

// Every built-in tool has a page.
func TestMakePages(t *testing.T) {
	dir := t.TempDir()
	if err := makePages(dir, false, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"README.md", "grep.md", "calculator.md"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if err := makePages(dir, true, io.Discard); err != nil {
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
