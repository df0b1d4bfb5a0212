// Command files is the module of the built-in tools that read and write the
// workspace. Its first argument names the tool: read, list, grep, glob,
// write, edit, multi_edit, apply_patch, hash or diff.
package main

import (
	"io"
	"io/fs"
	"os"
	"runtime/debug"

	applypatch "github.com/wasmtool/wasmtool/guest-examples/apply_patch"
	"github.com/wasmtool/wasmtool/guest-examples/diff"
	"github.com/wasmtool/wasmtool/guest-examples/edit"
	"github.com/wasmtool/wasmtool/guest-examples/glob"
	"github.com/wasmtool/wasmtool/guest-examples/grep"
	"github.com/wasmtool/wasmtool/guest-examples/hash"
	"github.com/wasmtool/wasmtool/guest-examples/internal/guest"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
	"github.com/wasmtool/wasmtool/guest-examples/list"
	multiedit "github.com/wasmtool/wasmtool/guest-examples/multi_edit"
	"github.com/wasmtool/wasmtool/guest-examples/read"
	"github.com/wasmtool/wasmtool/guest-examples/write"
)

func main() {
	tools := map[string]guest.Tool{
		"read":        reading(read.Run),
		"list":        searching(list.Run),
		"grep":        searching(grep.Run),
		"glob":        searching(glob.Run),
		"diff":        reading(diff.Run),
		"hash":        reading(hash.Run),
		"write":       writing(write.Run),
		"edit":        writing(edit.Run),
		"apply_patch": writing(applypatch.Run),
		"multi_edit":  writing(multiedit.Run),
	}
	if len(os.Args) == 2 {
		_ = rehearse(os.Args[1]) // a call does without
	}
	os.Exit(guest.Main(tools, os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// reading returns the tool that gives run the workspace to read in and the
// decoded arguments.
func reading[Args any](run func(fs.FS, Args, io.Writer) error) guest.Tool {
	return tool(workspace.Open, run)
}

// searching is reading for what goes through thousands of files. It leaves garbage of
// each and keeps next to nothing, so that the collector, which marks the whole heap each
// time, need not come by as often.
func searching[Args any](run func(fs.FS, Args, io.Writer) error) guest.Tool {
	const garbagePercent = 400
	tool := reading(run)
	return func(input []byte, out io.Writer) error {
		debug.SetGCPercent(garbagePercent)
		return tool(input, out)
	}
}

// writing is reading with the workspace to write in.
func writing[Args any](run func(workspace.Dir, Args, io.Writer) error) guest.Tool {
	return tool(func() workspace.Dir { return workspace.OpenDir(workspace.Mount) }, run)
}

func tool[Workspace, Args any](open func() Workspace, run func(Workspace, Args, io.Writer) error) guest.Tool {
	// What decoding has to learn of the type it learns before the host saves the module.
	_ = guest.Decode([]byte(`{"":0}`), new(Args))
	return func(input []byte, out io.Writer) error {
		var args Args
		if err := guest.Decode(input, &args); err != nil {
			return err
		}
		return run(open(), args, out)
	}
}
