// Command wasmtool runs tools that are WASM modules inside a sandbox.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/cli"
	"github.com/wasmtool/wasmtool/runtime"
)

func main() {
	// SelfCompiler must come first: in a child process that compiles modules, it does not return.
	// It also turns the garbage collector off there.
	compiler := runtime.SelfCompiler()
	collectGarbageLater()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal stops the tool. A second signal has its default effect: the process exits at
	// once.
	context.AfterFunc(ctx, stop)
	os.Exit(cli.Main(ctx, os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, compiler))
}

// noGarbage is how long the start of the program collects no garbage. It ends before short commands
// have made much, and collecting it took a fifth of their time.
const noGarbage = 100 * time.Millisecond

func collectGarbageLater() {
	if os.Getenv("GOGC") != "" {
		return
	}
	percent := debug.SetGCPercent(-1)
	time.AfterFunc(noGarbage, func() { debug.SetGCPercent(percent) })
}
