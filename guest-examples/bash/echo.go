package bash

import (
	"context"
	"strings"

	"mvdan.cc/sh/v3/interp"
)

// echo writes its arguments. Unlike the interpreter's it knows options in one word,
// such as -ne.
func echo(ctx context.Context, hc interp.HandlerContext, args []string) error {
	newline, escaped := true, false
	args = args[1:]
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
		for _, letter := range args[0][1:] {
			switch letter {
			case 'n':
				newline = false
			case 'e':
				escaped = true
			case 'E':
				escaped = false
			}
		}
		args = args[1:]
	}
	text := strings.Join(args, " ")
	if escaped {
		var stop bool
		if text, stop = unescape(text, true); stop {
			newline = false
		}
	}
	if newline {
		text += "\n"
	}
	return write(ctx, hc, text)
}
