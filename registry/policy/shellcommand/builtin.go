package shellcommand

import (
	"slices"
	"strings"
)

// judgeTest judges a test, which changes nothing, but runs what looks like a command in the
// index of a variable: [ -v 'a[$(id)]' ].
func judgeTest(args []word) judgement {
	named := slices.ContainsFunc(args, func(w word) bool { return w.fixed && w.text == "-v" })
	for _, w := range args {
		switch {
		case w.fixed && (looksLikeCommand(w.text) || computes(w.text)):
			return ask("holds text that may be run as a command")
		case !w.fixed && named:
			return ask("names variables that are only known when it runs")
		}
	}
	return allow("only reads")
}

// judgeLet judges arithmetic that is given as texts.
func judgeLet(args []word) judgement {
	for _, w := range args {
		switch {
		case !w.fixed:
			return ask("computes what is only known when it runs")
		case looksLikeCommand(w.text):
			return ask("holds text that may be run as a command")
		case computes(w.text):
			return ask(steersWhy)
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
