// Command files is the module of the built-in tools that read and write the workspace. Its first
// argument names the tool: read, list, grep, glob, write, edit, multi_edit, apply_patch, hash or
// diff.
package main

import (
	"io"
	"io/fs"
	"os"
	"runtime/debug"

	"github.com/wasmtool/wasmtool/guest"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
	applypatch "github.com/wasmtool/wasmtool/guest-examples/tools/apply_patch"
	"github.com/wasmtool/wasmtool/guest-examples/tools/diff"
	"github.com/wasmtool/wasmtool/guest-examples/tools/edit"
	"github.com/wasmtool/wasmtool/guest-examples/tools/glob"
	"github.com/wasmtool/wasmtool/guest-examples/tools/grep"
	"github.com/wasmtool/wasmtool/guest-examples/tools/hash"
	"github.com/wasmtool/wasmtool/guest-examples/tools/list"
	multiedit "github.com/wasmtool/wasmtool/guest-examples/tools/multi_edit"
	"github.com/wasmtool/wasmtool/guest-examples/tools/read"
	"github.com/wasmtool/wasmtool/guest-examples/tools/write"
)

func main() {
	all := tools(workspace.OpenDir(workspace.Mount))
	if len(os.Args) == 2 {
		_ = rehearse(os.Args[1]) // ignore an error: a call also works without the rehearsal
	}
	toolabi.Run(all)
}

// tools returns the tools by name. Their workspace is dir.
func tools(dir workspace.Dir) map[string]toolabi.Tool {
	return map[string]toolabi.Tool{
		"read":        reading(dir, read.Run),
		"list":        searching(dir, list.Run),
		"grep":        searching(dir, grep.Run),
		"glob":        searching(dir, glob.Run),
		"diff":        reading(dir, diff.Run),
		"hash":        reading(dir, hash.Run),
		"write":       tool(dir, write.Run),
		"edit":        tool(dir, edit.Run),
		"apply_patch": tool(dir, applypatch.Run),
		"multi_edit":  tool(dir, multiedit.Run),
	}
}

// tool returns a tool that calls the function run with the files of the call and the decoded
// arguments.
func tool[Args toolabi.Announcer](dir workspace.Dir, run func(workspace.Dir, Args, io.Writer) error) toolabi.Tool {
	decode := toolabi.Decoder[Args]()
	return func(input []byte, out io.Writer) error {
		args, err := decode(input)
		if err != nil {
			return err
		}
		toolabi.ReportStart(args)
		files, err := dir.At(guest.CurrentCall())
		if err != nil {
			return err
		}
		return run(files, args, out)
	}
}

// reading is like tool, for tools that only read.
func reading[Args toolabi.Announcer](dir workspace.Dir, run func(fs.FS, Args, io.Writer) error) toolabi.Tool {
	return tool(dir, func(files workspace.Dir, args Args, out io.Writer) error { return run(files, args, out) })
}

// searching is like reading, for tools that go through thousands of files. Such tools keep little
// memory in use, so searching makes the garbage collector run less often.
func searching[Args toolabi.Announcer](dir workspace.Dir, run func(fs.FS, Args, io.Writer) error) toolabi.Tool {
	const garbagePercent = 400
	search := reading(dir, run)
	return func(input []byte, out io.Writer) error {
		debug.SetGCPercent(garbagePercent)
		return search(input, out)
	}
}
