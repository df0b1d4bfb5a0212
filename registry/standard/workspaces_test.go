package standard_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// All built-in tools with paths work in the working directory of the call, and in all workspaces.
func TestBuiltinsInWorkspaces(t *testing.T) {
	put := func(dir string, files map[string]string) {
		for name, text := range files {
			full := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	root, notes, drafts, data := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	for _, dir := range []string{filepath.Join(root, "src"), notes, drafts} {
		put(dir, map[string]string{"main.go": "found\n", "a.json": `{"found":1}`, "a.md": "# found\n"})
	}
	put(root, map[string]string{"main.go": "wrong\n", "a.json": "wrong", "a.md": "wrong"})
	put(data, map[string]string{"main.go": "of another tool"})
	auto := make(map[string]policy.ToolRule)
	for _, name := range []string{"bash", "write", "edit", "multi_edit", "apply_patch"} {
		auto[name] = policy.ToolRule{AutoExecute: true}
	}
	tools, err := standard.New(standard.Options{
		Policy: policy.Config{Tools: auto},
		Registry: registry.Options{Rules: registry.Rules{Grantable: capability.Grantable{Mounts: map[string]capability.Mount{
			"workspace": {Dir: root, Mode: capability.ModeWrite},
			"notes":     {Dir: notes, Mode: capability.ModeRead, Workspace: true},
			"drafts":    {Dir: drafts, Mode: capability.ModeWrite, Workspace: true},
			"data":      {Dir: data, Mode: capability.ModeWrite},
		}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tools.Close() })
	call := func(directory, name, arguments string) (string, error) {
		result, err := tools.Execute(t.Context(), tool.Call{Tool: name, Arguments: json.RawMessage(arguments), WorkingDirectory: directory})
		return result.Text(), err
	}
	// The working directory, and the value of DIR/ in the arguments.
	places := [][2]string{{"/workspace/src", ""}, {"/notes", ""}, {"/workspace", "/drafts/"}, {"/drafts", ""}, {"", "/notes/"}}
	for _, test := range []struct{ tool, arguments, want string }{
		{"read", `{"file_path":"DIR/main.go"}`, "found"},
		{"list", `{"path":"DIR/."}`, "main.go"},
		{"grep", `{"pattern":"fo+und","path":"DIR/main.go"}`, "main.go:1:found"},
		{"glob", `{"pattern":"DIR/*.go"}`, "main.go"},
		{"diff", `{"old_file":"DIR/main.go","new_file":"DIR/a.md"}`, "found"},
		{"hash", `{"algorithm":"crc32","file_path":"DIR/main.go"}`, ""},
		{"json", `{"operation":"format","file_path":"DIR/a.json"}`, "found"},
		{"convert", `{"from":"json","to":"yaml","file_path":"DIR/a.json"}`, "found"},
		{"markdown", `{"operation":"toc","file_path":"DIR/a.md"}`, "found"},
		{"bash", `{"command":"pwd; cat DIR/main.go"}`, "found"},
		{"write", `{"file_path":"DIR/new.go","content":"one\n"}`, "new.go"},
		{"edit", `{"file_path":"DIR/old.go","old_string":"one","new_string":"two"}`, "+two"},
		{"multi_edit", `{"file_path":"DIR/old.go","edits":[{"old_string":"one","new_string":"two"}]}`, "+two"},
		{"apply_patch", `{"patch":"*** Begin Patch\n*** Update File: DIR/old.go\n@@\n-one\n+two\n*** End Patch"}`, "updated "},
	} {
		// These tools have modules that take seconds to compile.
		if slices.Contains([]string{"json", "convert", "markdown", "bash"}, test.tool) && testlevel.Size(0, 1) == 0 {
			continue
		}
		for _, place := range places[:testlevel.Size(2, len(places))] {
			directory, prefix := place[0], place[1]
			for _, dir := range []string{filepath.Join(root, "src"), notes, drafts} {
				put(dir, map[string]string{"old.go": "one\n"})
			}
			text, err := call(directory, test.tool, strings.ReplaceAll(test.arguments, "DIR/", prefix))
			if writes := auto[test.tool].AutoExecute && test.tool != "bash"; writes && (prefix == "/notes/" || directory == "/notes") {
				if err == nil || test.tool == "write" && !strings.Contains(text, "the operator granted /notes only for reading") {
					t.Errorf("%s wrote to a workspace for reading: %s, %v", test.tool, text, err)
				}
				continue
			}
			if err != nil || !strings.Contains(text, test.want) || strings.Contains(text, "wrong") {
				t.Errorf("%s %s in %s: got %s, %v", test.tool, test.arguments, directory, text, err)
			}
			if test.tool == "bash" && directory != "" && !strings.HasPrefix(text, directory+"\n") {
				t.Errorf("pwd in %s: got %s", directory, text)
			}
		}
		if testlevel.Size(0, 1) == 0 && test.tool != "read" {
			continue
		}
		if text, err := call("/workspace/missing", test.tool, strings.ReplaceAll(test.arguments, "DIR/", "/drafts/")); err == nil || !strings.Contains(text, "working directory of the call") {
			t.Errorf("%s in a directory that does not exist: %s, %v", test.tool, text, err)
		}
	}
	for _, directory := range []string{"", "/workspace/src", "/data"} {
		if text, err := call(directory, "read", `{"file_path":"/data/main.go"}`); err == nil {
			t.Errorf("the mount of another tool was read: %s", text)
		}
	}
	// A search names one workspace, and the error about another path names all.
	if text, _ := call("", "grep", `{"pattern":"found"}`); strings.Contains(text, "/notes") || !strings.Contains(text, "src/main.go:1:found") {
		t.Errorf("got %s", text)
	}
	if text, err := call("", "read", `{"file_path":"/etc/passwd"}`); err == nil || !strings.Contains(text, "outside the workspaces /workspace, /drafts and /notes") {
		t.Errorf("got %s, %v", text, err)
	}
	if testlevel.Size(0, 1) == 0 {
		return
	}
	if text, err := call("", "bash", `{"command":"ls /; cat /data/main.go"}`); err == nil || strings.Contains(text, "data\n") || strings.Contains(text, "of another") {
		t.Errorf("bash sees the mount of another tool: %s, %v", text, err)
	}
}
