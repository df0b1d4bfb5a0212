package bash

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"mvdan.cc/sh/v3/interp"
)

// inputCommand is an internal builtin that stores its standard input in the inputKey of its
// context.
const inputCommand = "__input"

type inputKey struct{}

func storeInput(ctx context.Context, hc interp.HandlerContext, _ []string) error {
	if in, ok := ctx.Value(inputKey{}).(*io.Reader); ok {
		*in = hc.Stdin
	}
	return nil
}

// input returns the input of a descriptor, given its number. The interpreter gives builtins only
// the first three descriptors, so a redirection moves others to standard input.
func input(ctx context.Context, hc interp.HandlerContext, number string) (io.Reader, error) {
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 {
		return nil, fmt.Errorf("%s: invalid file descriptor specification", number)
	}
	in := hc.Stdin
	if n > 0 {
		if in, err = descriptor(ctx, hc, n); err != nil {
			return nil, err
		}
	}
	if in == nil {
		return nil, fmt.Errorf("read error: %d: Bad file descriptor", n)
	}
	return in, nil
}

func descriptor(ctx context.Context, hc interp.HandlerContext, n int) (in io.Reader, err error) {
	ctx = context.WithValue(ctx, inputKey{}, &in)
	if err := hc.Builtin(ctx, []string{"eval", fmt.Sprintf("%s 2>/dev/null <&%d", inputCommand, n)}); err != nil {
		return nil, fmt.Errorf("%d: invalid file descriptor: Bad file descriptor", n)
	}
	return in, nil
}
