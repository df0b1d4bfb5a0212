// Command files is the module of the built-in tools that read and write the workspace. Its first
// argument names the tool: read, list, grep, glob, write, edit, multi_edit, apply_patch, hash or
// diff.
package main

import (
	"io"
	"io/fs"
	"os"
	"runtime/debug"

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
	all := tools(workspace.Open(), workspace.OpenDir(workspace.Mount))
	if len(os.Args) == 2 {
		_ = rehearse(os.Args[1]) // ignore an error: a call also works without the rehearsal
	}
	toolabi.Run(all)
}

// tools returns the tools by name. They read files in tree and write files in dir.
func tools(tree fs.FS, dir workspace.Dir) map[string]toolabi.Tool {
	return map[string]toolabi.Tool{
		"read":        tool(tree, read.Run),
		"list":        searching(tree, list.Run),
		"grep":        searching(tree, grep.Run),
		"glob":        searching(tree, glob.Run),
		"diff":        tool(tree, diff.Run),
		"hash":        tool(tree, hash.Run),
		"write":       tool(dir, write.Run),
		"edit":        tool(dir, edit.Run),
		"apply_patch": tool(dir, applypatch.Run),
		"multi_edit":  tool(dir, multiedit.Run),
	}
}

// tool returns a tool that calls the function run with the parameter in and the decoded arguments.
// The parameter in is the workspace: a file system to read, or a directory to write.
func tool[Workspace any, Args toolabi.Starter](in Workspace, run func(Workspace, Args, io.Writer) error) toolabi.Tool {
	decode := toolabi.Decoder[Args]()
	return func(input []byte, out io.Writer) error {
		args, err := decode(input)
		if err != nil {
			return err
		}
		toolabi.ReportStart(args)
		return run(in, args, out)
	}
}

// searching is like tool, for tools that go through thousands of files. Such tools keep little
// memory in use, so searching makes the garbage collector run less often.
func searching[Args toolabi.Starter](tree fs.FS, run func(fs.FS, Args, io.Writer) error) toolabi.Tool {
	const garbagePercent = 400
	search := tool(tree, run)
	return func(input []byte, out io.Writer) error {
		debug.SetGCPercent(garbagePercent)
		return search(input, out)
	}
}
