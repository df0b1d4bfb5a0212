// Command go does the job in Go with the guest SDK. It is built as a WASI command, as a reactor,
// and as a native program.
package main

import (
	"context"

	"github.com/wasmtool/wasmtool/bench/guests/go/count"
	"github.com/wasmtool/wasmtool/guest"
)

func main() {
	guest.Run(func(_ context.Context, in count.Input) (count.Answer, error) { return count.Count(in) })
}
