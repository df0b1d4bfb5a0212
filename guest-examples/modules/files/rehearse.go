package main

import (
	"io"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
	"github.com/wasmtool/wasmtool/guest-examples/tools/edit"
	"github.com/wasmtool/wasmtool/guest-examples/tools/glob"
	"github.com/wasmtool/wasmtool/guest-examples/tools/grep"
	"github.com/wasmtool/wasmtool/guest-examples/tools/read"
)

// rehearse does what most calls of a tool do, and discards the result. The host saves the memory of
// a module when the module first reads its input, and begins each call with that memory. Lazily
// built tables and the first growth of the heap are therefore paid for once and not in each call.
// rehearse uses sample files, because the host's files are not available yet. An error means that
// the sample does not suit the tool.
func rehearse(tool string) error {
	sample := workspace.Sample{"a.txt": strings.Repeat("some text in a line\n", 40)}
	switch tool {
	case "read":
		return read.Run(sample, read.Args{FilePath: "a.txt"}, io.Discard)
	case "grep":
		return grep.Run(sample, grep.Args{Pattern: "text"}, io.Discard)
	case "glob":
		return glob.Run(sample, glob.Args{Pattern: "**/*.txt"}, io.Discard)
	case "edit", "multi_edit":
		edits := []edit.Edit{{OldString: "line\nthe end", NewString: "line\nanother"}}
		return edit.Rehearse([]byte(sample["a.txt"]+"the end\n"), edits, io.Discard)
	}
	return nil
}
