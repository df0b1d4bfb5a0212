package bash

import (
	"context"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/shell/command"
	"mvdan.cc/sh/v3/interp"
)

// mapfile reads lines into an array.
func mapfile(ctx context.Context, hc interp.HandlerContext, args []string) error {
	r := reading{delimiter: "\n", count: -1, raw: true, descriptor: "0"}
	trim, skip := false, 0
	names, err := options(args[1:], "t", "dnsu", func(letter byte, value string) (err error) {
		switch letter {
		case 't':
			trim = true
		case 's':
			skip, err = number(value)
		default:
			return r.shared(letter, value)
		}
		return err
	})
	if err != nil {
		return misuse(hc, args[0], "%v", err)
	}
	name := strings.Join(names, " ")
	if name == "" {
		name = "MAPFILE"
	}
	if !isVariable(name) {
		return fail(hc, args[0], "`%s': not a valid identifier", name)
	}
	in, err := input(ctx, hc, r.descriptor)
	if err != nil {
		return fail(hc, args[0], "%v", err)
	}
	var lines []string
	maximum := r.count
	r.count = -1
	source := newReader(in, maximum <= 0)
	defer source.close()
	for maximum <= 0 || len(lines) < maximum {
		line, complete, err := r.line(ctx, source)
		if err != nil {
			return fail(hc, args[0], "%s", command.Message(err))
		}
		if !complete && line == "" {
			break
		}
		if complete && !trim {
			line += r.delimiter
		}
		if skip > 0 {
			skip--
		} else {
			lines = append(lines, line)
		}
		if !complete {
			break
		}
	}
	return assign(ctx, hc, assignment{name: name, values: lines, array: true})
}
