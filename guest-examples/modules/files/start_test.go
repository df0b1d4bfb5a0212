package main

import (
	"maps"
	"testing"

	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	applypatch "github.com/wasmtool/wasmtool/guest-examples/tools/apply_patch"
	"github.com/wasmtool/wasmtool/guest-examples/tools/edit"
	"github.com/wasmtool/wasmtool/guest-examples/tools/glob"
	"github.com/wasmtool/wasmtool/guest-examples/tools/grep"
	"github.com/wasmtool/wasmtool/guest-examples/tools/list"
	multiedit "github.com/wasmtool/wasmtool/guest-examples/tools/multi_edit"
	"github.com/wasmtool/wasmtool/guest-examples/tools/read"
	"github.com/wasmtool/wasmtool/guest-examples/tools/write"
)

// A person who watches a call sees what it does. Odd names are quoted, as in the output.
func TestStart(t *testing.T) {
	for _, test := range []struct {
		args     toolabi.Announcer
		title    string
		metadata map[string]any
	}{
		{glob.Args{Pattern: "**/*.go"}, "Searching: **/*.go", map[string]any{"pattern": "**/*.go", "searchPath": ".", "count": 0}},
		{grep.Args{Pattern: "a\nb", Path: "src"}, `Searching: "a\nb"`, map[string]any{"pattern": "a\nb", "searchPath": "src", "count": 0}},
		{list.Args{}, "Listing .", map[string]any{"path": "."}},
		{read.Args{FilePath: "a.txt"}, "Reading a.txt", map[string]any{"path": "a.txt"}},
		{write.Args{FilePath: "a\x1b"}, `Writing "a\x1b"`, map[string]any{"path": "a\x1b"}},
		{edit.Args{FilePath: "a.txt"}, "Editing a.txt", map[string]any{"path": "a.txt"}},
		{multiedit.Args{FilePath: "a.txt"}, "Editing a.txt", map[string]any{"path": "a.txt"}},
		{applypatch.Args{}, "Applying a patch", nil},
	} {
		if title, metadata := test.args.Announce(); title != test.title || !maps.Equal(metadata, test.metadata) {
			t.Errorf("%T: got %q and %v, want %q and %v", test.args, title, metadata, test.title, test.metadata)
		}
	}
}
