package commands

import (
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/command"
)

// all returns the commands, sorted by name.
func all() []spec {
	list := []spec{
		arch, awkSpec(&workingFolder{}), base64Spec, basename, bracket, cat, chmod, cmpSpec, column, comm, cp, cut, date, diff, dirname,
		echo, egrep, env, expand, exprSpec, falsehood, fgrep, find, fold, grep, head, helpSpec(), hostname, id, jq, ln, ls, mkdir, mktemp, mv,
		nl, nohup, nproc, paste, printenv, printfSpec, readlink, realpath, rev, rm, rmdir, sed, seq, sleep, sortSpec, split, tac, tail, tee,
		testSpec, timeout, touch, tr, truth, uname, uniq, wc, whichSpec(), whoami, xargs, yes,
	}
	list = append(list, sums()...)
	slices.SortFunc(list, func(a, b spec) int { return strings.Compare(a.name, b.name) })
	return list
}

// Table returns the commands by name, in a map of the caller's own. Its awk
// changes the current folder of the program while it runs, so that a program
// should have one table.
func Table() map[string]command.Func {
	table := map[string]command.Func{}
	for _, s := range all() {
		table[s.name] = s.command()
	}
	return table
}
