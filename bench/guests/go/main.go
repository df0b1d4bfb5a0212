// Command go is the job as a program in Go, on the guest SDK: a WASI command, a
// reactor, or a program of the machine itself, as it is built.
package main

import (
	"context"

	"github.com/wasmtool/wasmtool/bench/guests/go/count"
	"github.com/wasmtool/wasmtool/guest"
)

func main() {
	guest.Run(func(_ context.Context, in count.Input) (count.Answer, error) { return count.Count(in) })
}
