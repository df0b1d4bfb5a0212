package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/guest"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
)

// Every tool finds relative paths in the working directory of the call.
func TestWorkingDirectory(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "src"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"a.json": `{"found": 1}`, "a.md": "# found\n"} {
		if err := os.WriteFile(filepath.Join(root, "src", name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dir, err := workspace.OpenDir(root).At(guest.Call{WorkingDirectory: "/workspace/src"})
	if err != nil {
		t.Fatal(err)
	}
	for tool, arguments := range map[string]string{
		"convert":  `{"from": "json", "to": "yaml", "file_path": "a.json"}`,
		"markdown": `{"operation": "toc", "file_path": "a.md"}`,
	} {
		var out bytes.Buffer
		if err := tools(dir)[tool]([]byte(arguments), &out); err != nil || !strings.Contains(out.String(), "found") {
			t.Errorf("%s: got %s, %v", tool, out.String(), err)
		}
	}
}
