// Command files is the module of the built-in tools that read the workspace.
// Its first argument names the tool: read, grep or glob.
package main

import (
	"io"
	"io/fs"
	"os"

	"github.com/wasmtool/wasmtool/guest-examples/glob"
	"github.com/wasmtool/wasmtool/guest-examples/grep"
	"github.com/wasmtool/wasmtool/guest-examples/internal/guest"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
	"github.com/wasmtool/wasmtool/guest-examples/read"
)

func main() {
	tools := map[string]guest.Tool{
		"read": overWorkspace(read.Run),
		"grep": overWorkspace(grep.Run),
		"glob": overWorkspace(glob.Run),
	}
	os.Exit(guest.Main(tools, os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// overWorkspace returns the tool that gives run the workspace and the decoded
// arguments.
func overWorkspace[Args any](run func(fs.FS, Args, io.Writer) error) guest.Tool {
	return func(input []byte, out io.Writer) error {
		var args Args
		if err := guest.Decode(input, &args); err != nil {
			return err
		}
		return run(workspace.Open(), args, out)
	}
}
