package commands

import "github.com/wasmtool/wasmtool/guest-examples/internal/command"

// all returns the commands, sorted by name.
func all() []spec {
	return []spec{cat, cp, cut, date, echo, egrep, falsehood, fgrep, find, grep, head, ls, mkdir, mv, rm, rmdir, sed, sortSpec, tail, tee, touch, tr, truth, uniq, wc, xargs}
}

// Table returns the commands by name, in a map of the caller's own.
func Table() map[string]command.Func {
	table := map[string]command.Func{}
	for _, s := range all() {
		table[s.name] = s.command()
	}
	return table
}
