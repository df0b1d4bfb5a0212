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

// Every tool finds relative paths in the working directory of the call, and shows names that lead
// there.
func TestWorkingDirectory(t *testing.T) {
	patch := "*** Begin Patch\n*** Update File: main.go\n@@\n-two\n+2\n*** Add File: ../top/new.go\n+new\n*** End Patch\n"
	for _, test := range []struct{ tool, arguments, want, file, content string }{
		{tool: "read", arguments: `{"file_path": "main.go"}`, want: "one"},
		{tool: "read", arguments: `{"file_path": "../top/a.go"}`, want: "top"},
		{tool: "list", arguments: `{}`, want: "main.go"},
		{tool: "grep", arguments: `{"pattern": "one"}`, want: "main.go:1:one"},
		{tool: "glob", arguments: `{"pattern": "*.go"}`, want: "main.go"},
		{tool: "glob", arguments: `{"pattern": "../top/*.go"}`, want: "/workspace/top/a.go"},
		{tool: "diff", arguments: `{"old_file": "main.go", "new_file": "../top/a.go"}`, want: "--- main.go"},
		{tool: "hash", arguments: `{"algorithm": "sha256", "file_path": "main.go"}`, want: "c3f9c8c283a2b1f2f1896f27a01cbe3cddc0c9d93f752e4639035a0f5b36f6e8"},
		{tool: "write", arguments: `{"file_path": "new/b.go", "content": "b"}`, want: "created new/b.go", file: "src/new/b.go", content: "b"},
		{tool: "edit", arguments: `{"file_path": "main.go", "old_string": "two", "new_string": "2"}`, want: "--- main.go", file: "src/main.go", content: "one\n2\n"},
		{tool: "multi_edit", arguments: `{"file_path": "../top/a.go", "edits": [{"old_string": "top", "new_string": "t"}]}`, want: "/workspace/top/a.go", file: "top/a.go", content: "t\n"},
		{tool: "apply_patch", arguments: `{"patch": ` + quoted(patch) + `}`, want: "added /workspace/top/new.go", file: "src/main.go", content: "one\n2\n"},
	} {
		t.Run(test.tool, func(t *testing.T) {
			root := t.TempDir()
			for name, content := range map[string]string{"src/main.go": "one\ntwo\n", "top/a.go": "top\n", "main.go": "wrong\n"} {
				full := filepath.Join(root, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(full, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			dir, err := workspace.OpenDir(root).At(guest.Call{WorkingDirectory: "/workspace/src"})
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := tools(dir)[test.tool]([]byte(test.arguments), &out); err != nil || !strings.Contains(out.String(), test.want) || strings.Contains(out.String(), "wrong") {
				t.Errorf("got %s, %v; want %q", out.String(), err, test.want)
			}
			if test.file == "" {
				return
			}
			if got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(test.file))); err != nil || string(got) != test.content {
				t.Errorf("%s has %q, %v", test.file, got, err)
			}
		})
	}
}

func quoted(text string) string { return `"` + strings.ReplaceAll(text, "\n", `\n`) + `"` }
