// Command wasmtool runs tools that are WASM modules inside a sandbox.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/cli"
	"github.com/wasmtool/wasmtool/runtime"
)

func main() {
	compiler := runtime.SelfCompiler() // first: this program is its own compiler
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal stops the tool; a second one ends the process the usual way.
	context.AfterFunc(ctx, stop)
	os.Exit(cli.Main(ctx, os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, compiler))
}
