// Package placetest tests where the tools of a module look for files.
package placetest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/guest"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
)

// FindsRelativePaths checks that the tools of a module find relative paths in the working directory
// of the call. files are the files there, by name, and arguments the arguments of each tool. The
// output of each must contain "found".
func FindsRelativePaths(t *testing.T, tools func(workspace.Dir) map[string]toolabi.Tool, files, arguments map[string]string) {
	t.Helper()
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "src"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(root, "src", name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dir, err := workspace.OpenDir(root).At(guest.Call{WorkingDirectory: "/workspace/src"})
	if err != nil {
		t.Fatal(err)
	}
	for tool, text := range arguments {
		var out bytes.Buffer
		if err := tools(dir)[tool]([]byte(text), &out); err != nil || !strings.Contains(out.String(), "found") {
			t.Errorf("%s: got %s, %v", tool, out.String(), err)
		}
	}
}
