package shellcommand

import (
	"slices"
	"strings"
)

// evaluating are commands that change nothing, but run what looks like a command in some
// of their arguments, such as the index in [ -v 'a[$(id)]' ].
var evaluating = []string{"test", "[", "printf", "read", "unset", "let", "getopts"}

// judgeEvaluating judges a command of these.
func judgeEvaluating(name string, args []word) judgement {
	// Only these take any text as an argument; those of others are names of variables.
	texts := name == "test" || name == "[" || name == "printf"
	for i, w := range args {
		switch {
		case w.fixed && looksLikeCommand(w.text):
			return ask("holds text that may be run as a command")
		case w.fixed && (steers(w.text) || steers(strings.TrimPrefix(w.text, "-v"))):
			return ask(steersWhy)
		case name == "unset" && w.option:
			return ask("may forget a function")
		case w.fixed && w.text == "-v" && slices.ContainsFunc(args, func(o word) bool { return !o.fixed }),
			!w.fixed && (!texts || name == "printf" && i == 0 && w.option):
			return ask("names variables that are only known when it runs")
		}
	}
	return allow("only reads")
}

// judgeSet judges options of the shell.
func judgeSet(args []word) judgement {
	for i, w := range args {
		plain := w.fixed && (w.text == "--" || strings.Trim(w.text, "-+eux") == "" || strings.Trim(w.text, "-+euxo") == "" && i+1 < len(args) && args[i+1].fixed && args[i+1].text == "pipefail" ||
			w.text == "pipefail" && i > 0)
		if !plain {
			return ask("changes how the shell works")
		}
		if w.text == "--" {
			break
		}
	}
	return allow("only reads")
}
