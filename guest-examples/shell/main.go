// Command shell is the module of the built-in tool bash: a shell whose commands are
// all inside of it.
package main

import (
	"context"
	"os"

	"github.com/wasmtool/wasmtool/guest"
	"github.com/wasmtool/wasmtool/guest-examples/bash"
	"github.com/wasmtool/wasmtool/guest-examples/internal/commands"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
)

func main() {
	host := bash.Host{
		Commands:  commands.Table(),
		Workspace: workspace.Mount,
		Temp:      "/tmp",
		Environ:   os.Environ(),
		Tell: func(last string) {
			_ = guest.Update("", map[string]any{"output": last}) // what is told too often is told later
		},
	}
	guest.Run(func(ctx context.Context, args bash.Args) (guest.Result, error) {
		return bash.Run(ctx, host, args)
	})
}
