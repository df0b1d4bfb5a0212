// Command shell is the module of the built-in tool bash: a shell whose commands are
// all inside of it.
package main

import (
	"context"
	"net/http"
	"os"

	"github.com/wasmtool/wasmtool/guest"
	"github.com/wasmtool/wasmtool/guest-examples/internal/workspace"
	"github.com/wasmtool/wasmtool/guest-examples/shell/bash"
	"github.com/wasmtool/wasmtool/guest-examples/shell/commands"
	"github.com/wasmtool/wasmtool/guest/guesthttp"
)

func main() {
	host := bash.Host{
		Commands:  commands.Table(network()),
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

// network is what sends requests, and nil when the operator did not switch it on.
func network() http.RoundTripper {
	if guest.CurrentCall().Settings["network"] != "on" {
		return nil
	}
	return guesthttp.Transport{}
}
