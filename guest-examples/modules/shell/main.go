// Command shell is the module of the built-in tool bash, a shell that contains all its commands.
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
		MaxHeap:   64 << 20, // of the 256 MiB in the manifest
		Report: func(last string) {
			// Ignore an error: if the host's rate limit refuses an update, the shell sends the
			// output again later.
			_ = guest.Partial(last)
		},
	}
	guest.Run(func(ctx context.Context, args bash.Args) (guest.Result, error) {
		dir, err := workspace.OpenDir(workspace.Mount).At(guest.CurrentCall())
		if err != nil {
			return guest.Result{}, err
		}
		host.WorkingDirectory = dir.Base()
		return bash.Run(ctx, host, args)
	})
}

// network returns the transport for requests, or nil if the operator did not enable the network.
func network() http.RoundTripper {
	if guest.CurrentCall().Settings["network"] != "on" {
		return nil
	}
	return guesthttp.Transport{}
}
