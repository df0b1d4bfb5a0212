package shellcommand

import (
	"slices"
	"strings"
)

// gitReads are subcommands that only read, except with these options.
var gitReads = map[string]options{
	"status": {}, "rev-parse": {}, "ls-files": {}, "ls-tree": {}, "describe": {}, "merge-base": {}, "show-ref": {long: []string{"--exclude-existing"}},
	"for-each-ref": {}, "name-rev": {}, "count-objects": {}, "cherry": {}, "check-ignore": {}, "check-attr": {}, "var": {},
	"version": {}, "help": {long: []string{"--web", "--info", "--man"}, short: "wim"}, "rev-list": {}, "verify-commit": {}, "shortlog": gitDiffs, "log": gitDiffs, "diff": gitDiffs, "show": gitDiffs,
	"whatchanged": gitDiffs, "diff-tree": gitDiffs, "diff-index": gitDiffs, "diff-files": gitDiffs, "range-diff": gitDiffs, "blame": gitDiffs, "annotate": gitDiffs,
	"cat-file": {long: []string{"--textconv", "--filters"}}, "grep": {long: []string{"--open-files-in-pager", "--textconv", "--ext-grep"}, short: "O"},
}

// gitDiffs are the options with which a subcommand that shows differences writes a file or runs
// programs.
var gitDiffs = options{long: []string{"--output", "--ext-diff", "--textconv"}}

// gitList describes when a git subcommand only reads: with certain first words, or without further
// words.
type gitList struct {
	words   []string // first words with which git only reads
	options []string // options that are allowed, with or without one of words
	values  bool     // further words may follow the options
	bare    bool     // without further words, git only reads
	listing []string // options after which further words are patterns
}

// gitCount is the entry in gitLists for -n with any digits, such as -n5.
const gitCount = "-n0"

var gitLists = map[string]gitList{
	"branch": {
		bare: true, values: true, listing: []string{"--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"},
		options: []string{gitCount, "--sort", "--format", "-a", "-r", "-v", "-vv", "-av", "-avv", "-ra", "-rv", "-i", "--all", "--remotes", "--verbose", "--show-current", "--no-color", "--color", "--ignore-case", "--no-column", "--column", "--no-abbrev"},
	},
	"tag": {
		bare: true, values: true, listing: []string{"-l", "--list", gitCount, "-n", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"},
		options: []string{"--sort", "--format", "-i", "--ignore-case", "--no-column", "--column"},
	},
	"remote":    {bare: true, words: []string{"get-url"}, options: []string{gitCount, "-v", "--verbose", "--all", "--push"}, values: true},
	"stash":     {words: []string{"list", "show"}, options: []string{gitCount, "-p", "--stat", "--oneline", "--patch", "--name-only"}, values: true},
	"worktree":  {words: []string{"list"}, options: []string{gitCount, "--porcelain", "-v"}},
	"submodule": {words: []string{"status"}, options: []string{gitCount, "--recursive", "--cached"}, values: true},
	"notes":     {words: []string{"list", "show"}, options: []string{gitCount}, values: true},
	"reflog":    {bare: true, words: []string{"show", "list", "exists"}, options: []string{gitCount, "--oneline", "--all", "-n", "--date"}, values: true},
	"config":    {words: []string{"--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list"}, options: []string{"--show-origin", "--show-scope", "--name-only", "-z", "--local", "--global", "--system"}, values: true},
	"bisect":    {words: []string{"log"}, options: []string{gitCount}},
}

// gitOptions are the options before a subcommand, with the number of words that follow each;
// printsOnly marks options with which git prints something and exits.
var gitOptions = map[string]int{
	"--no-pager": 0, "-P": 0, "--no-optional-locks": 0, "--literal-pathspecs": 0, "-C": 1,
	"--version": printsOnly, "--help": printsOnly, "-v": printsOnly, "-h": printsOnly,
}

const printsOnly = -1

// classifyGit classifies a call of git.
func classifyGit(args []word) verdict {
	for len(args) > 0 && args[0].option {
		w := args[0]
		follow, known := gitOptions[w.text]
		switch {
		case !w.fixed:
			return ask(mayBeOption)
		case !known, follow == 1 && (len(args) == 1 || args[1].several):
			return ask("has the option " + shown(w.text) + ", which can make git run programs")
		case follow == printsOnly:
			return allow("only reads")
		}
		args = args[1+follow:]
	}
	if len(args) == 0 {
		return allow("only reads")
	}
	name, rest := args[0].text, args[1:]
	if !args[0].fixed {
		return ask("runs a subcommand that is only known when it runs")
	}
	if o, ok := gitReads[name]; ok {
		return o.classify(rest)
	}
	l, ok := gitLists[name]
	switch {
	case !ok:
		return ask("changes the repository, reaches the network, or runs an unknown subcommand")
	case !l.reads(rest):
		return ask("changes the repository with git " + name)
	}
	return allow("only reads")
}

// reads reports whether the subcommand only reads with these arguments.
func (l gitList) reads(args []word) bool {
	listing, word := l.bare, false // whether git only lists; whether l names an argument
	for i, w := range args {
		name, _, _ := strings.Cut(w.text, "=")
		if digits, ok := strings.CutPrefix(w.text, "-n"); ok && strings.Trim(digits, "0123456789") == "" {
			name = gitCount
		}
		switch {
		case !w.fixed && (w.option || !listing || l.listing != nil && !word):
			return false
		case slices.Contains(l.words, name) && (i == 0 || !word), slices.Contains(l.listing, name):
			listing, word = true, true
		case w.option && slices.Contains(l.options, name):
		case w.option, !word, !l.values:
			return false
		}
	}
	return listing
}
