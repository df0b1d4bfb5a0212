package bash

import (
	"context"
	"fmt"
	"regexp"

	"github.com/wasmtool/wasmtool/guest-examples/shell/printf"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// variable matches a target of printf -v and read: a variable name or an element of an array.
var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\[[A-Za-z0-9_]+\])?$`)

// isVariable reports whether a name names a variable or an element. Most names need no regular
// expression.
func isVariable(name string) bool { return syntax.ValidName(name) || variable.MatchString(name) }

// printfBuiltin writes formatted arguments, or stores them in a variable.
func printfBuiltin(ctx context.Context, hc interp.HandlerContext, args []string) error {
	rest, target := args[1:], ""
	if len(rest) > 1 && rest[0] == "-v" {
		target, rest = rest[1], rest[2:]
		if !isVariable(target) {
			return misuse(hc, "printf", "`%s': not a valid identifier", target)
		}
	}
	if len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return misuse(hc, "printf", "usage: printf [-v var] format [arguments]")
	}
	text, problems, err := printf.Format(rest[0], rest[1:], maxOutput)
	for _, problem := range problems {
		fmt.Fprintf(hc.Stderr, "bash: printf: %s\n", problem)
	}
	if err != nil {
		fmt.Fprintf(hc.Stderr, "bash: printf: %v\n", err)
	}
	var failed error
	if err != nil || len(problems) > 0 {
		failed = interp.ExitStatus(1)
	}
	if target != "" {
		if err := assign(ctx, hc, assignment{name: target, values: []string{text}}); err != nil {
			return err
		}
		return failed
	}
	if err := write(ctx, hc, text); err != nil {
		return err
	}
	return failed
}
