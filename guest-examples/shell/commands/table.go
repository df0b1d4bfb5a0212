package commands

import (
	"net/http"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/shell/command"
)

// all returns the specifications of all commands, sorted by name.
func all(transport http.RoundTripper) []spec {
	list := []spec{
		arch, awkSpec(&workingDirectory{}), base64Spec, basename, bracket, cat, chmod, cksum, cmpSpec, column, comm, cp, curlSpec(transport), cut, date, diff, dirname, du,
		echo, egrep, env, expand, exprSpec, factor, falsehood, fgrep, file, find, fold, getopt, grep, gunzip, gzipSpec, head, helpSpec(), hexdump, hostname, id, joinSpec, jq, ln, ls, mkdir, mktemp, mv,
		nl, nohup, nproc, od, paste, printenv, printfSpec, readlink, realpath, rev, rm, rmdir, sed, seq, shuf, sleep, sortSpec, split, stat, stringsSpec, sum, tac, tail, tarSpec, tee,
		testSpec, timeout, touch, tr, tree, truncate, truth, tsort, uname, unexpand, uniq, unzip, wc, whichSpec(), whoami, xargs, xxd, yes, zcat, zipSpec,
	}
	list = append(list, sums()...)
	slices.SortFunc(list, func(a, b spec) int { return strings.Compare(a.name, b.name) })
	return list
}

// Table returns a new map of the commands by name. The requests of curl go through transport; nil
// means no network. A program should have only one table, because awk changes the working directory
// of the process, and only the awk commands of one table coordinate this.
func Table(transport http.RoundTripper) map[string]command.Func {
	table := map[string]command.Func{}
	for _, s := range all(transport) {
		table[s.name] = s.command()
	}
	return table
}
