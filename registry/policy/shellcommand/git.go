package shellcommand

import (
	"slices"
	"strings"
)

// gitReads are subcommands that only read, but for these options.
var gitReads = map[string]options{
	"status": {}, "rev-parse": {}, "ls-files": {}, "ls-tree": {}, "describe": {}, "merge-base": {}, "show-ref": {long: []string{"--exclude-existing"}},
	"for-each-ref": {}, "name-rev": {}, "count-objects": {}, "cherry": {}, "check-ignore": {}, "check-attr": {}, "var": {},
	"version": {}, "help": {long: []string{"--web", "--info", "--man"}, short: "wim"}, "rev-list": {}, "verify-commit": {}, "shortlog": gitDiffs, "log": gitDiffs, "diff": gitDiffs, "show": gitDiffs,
	"whatchanged": gitDiffs, "diff-tree": gitDiffs, "diff-index": gitDiffs, "diff-files": gitDiffs, "range-diff": gitDiffs, "blame": gitDiffs, "annotate": gitDiffs,
	"cat-file": {long: []string{"--textconv", "--filters"}}, "grep": {long: []string{"--open-files-in-pager", "--textconv", "--ext-grep"}, short: "O"},
}

// gitDiffs are the options of what shows differences: a file to write, and programs to run.
var gitDiffs = options{long: []string{"--output", "--ext-diff", "--textconv"}}

// gitLists are subcommands that read with some first words, or with no further word, and
// the options that they may have then.
var gitLists = map[string]struct {
	words   []string // the first words with which they read
	options []string // without a word, or with it
	values  bool     // further words may follow the options
	bare    bool     // they read without a word
	listing []string // options with which further words are patterns to list by
}{
	"branch": {
		bare: true, listing: []string{"--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"},
		options: []string{"--sort", "--format", "-a", "-r", "-v", "-vv", "-av", "-avv", "-ra", "-rv", "-i", "--all", "--remotes", "--verbose", "--show-current", "--no-color", "--color", "--ignore-case", "--no-column", "--column", "--no-abbrev"},
	},
	"tag": {
		bare: true, listing: []string{"-l", "--list", "-n", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"},
		options: []string{"--sort", "--format", "-i", "--ignore-case", "--no-column", "--column"},
	},
	"remote":    {bare: true, words: []string{"get-url"}, options: []string{"-v", "--verbose", "--all", "--push"}, values: true},
	"stash":     {words: []string{"list", "show"}, options: []string{"-p", "--stat", "--oneline", "--patch", "--name-only"}, values: true},
	"worktree":  {words: []string{"list"}, options: []string{"--porcelain", "-v"}},
	"submodule": {words: []string{"status"}, options: []string{"--recursive", "--cached"}, values: true},
	"notes":     {words: []string{"list", "show"}, values: true},
	"reflog":    {bare: true, words: []string{"show", "list", "exists"}, options: []string{"--oneline", "--all", "-n", "--date"}, values: true},
	"config":    {words: []string{"--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list"}, options: []string{"--show-origin", "--show-scope", "--name-only", "-z", "--local", "--global", "--system"}, values: true},
	"bisect":    {words: []string{"log"}},
}

// judgeGit judges a call of git.
func judgeGit(args []word) judgement {
	for len(args) > 0 && args[0].option {
		switch w := args[0]; {
		case !w.fixed:
			return ask("has an argument that is only known when it runs and may be an option")
		case w.text == "--no-pager", w.text == "-P", w.text == "--no-optional-locks", w.text == "--literal-pathspecs":
		case w.text == "--version", w.text == "--help", w.text == "-v", w.text == "-h":
			return allow("only reads")
		case w.text == "-C" && len(args) > 1 && !args[1].several:
			args = args[1:]
		default:
			return ask("has the option " + shown(w.text) + ", which can make git run programs")
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return allow("only reads")
	}
	sub, rest := args[0], args[1:]
	if !sub.fixed {
		return ask("runs a subcommand that is only known when it runs")
	}
	if o, ok := gitReads[sub.text]; ok {
		return o.judge(rest)
	}
	l, ok := gitLists[sub.text]
	if !ok {
		return ask("changes the repository, reaches the network, or runs a subcommand that is not known")
	}
	changes := ask("changes the repository with git " + sub.text)
	listing, word := l.bare, false
	for i, w := range rest {
		name, _, _ := strings.Cut(w.text, "=")
		switch {
		case !w.fixed && (w.option || !listing || l.listing != nil && !word):
			return changes
		case slices.Contains(l.words, name) && (i == 0 || !word):
			listing, word = true, true
		case slices.Contains(l.listing, name):
			listing, word = true, true
		case w.option && slices.Contains(l.options, name):
		case w.option && strings.HasPrefix(w.text, "-n") && strings.Trim(w.text[2:], "0123456789") == "" && sub.text != "config":
			word = word || sub.text == "tag"
		case w.option:
			return changes
		case word && (l.values || l.listing != nil):
		default:
			return changes
		}
	}
	if !listing {
		return changes
	}
	return allow("only reads")
}
