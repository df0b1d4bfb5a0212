package bash

import (
	"context"

	"github.com/wasmtool/wasmtool/guest-examples/shell/printf"
	"mvdan.cc/sh/v3/interp"
)

// echo implements the shell builtin "echo". Unlike the interpreter's own echo, it accepts combined
// options such as -ne.
func echo(ctx context.Context, hc interp.HandlerContext, args []string) error {
	return write(ctx, hc, printf.Echo(args[1:]))
}
