package shellcommand

import (
	"slices"
	"strings"
)

// classifyTest classifies the commands test and [. A test changes nothing, but it runs a command
// substitution in the index of a variable: [ -v 'a[$(id)]' ].
func classifyTest(args []word) verdict {
	named := slices.ContainsFunc(args, func(w word) bool { return w.fixed && w.text == "-v" })
	for _, w := range args {
		switch {
		case w.fixed && (looksLikeCommand(w.text) || computes(w.text)):
			return ask("contains text that may be run as a command")
		case !w.fixed && named:
			return ask("names variables that are only known when it runs")
		}
	}
	return allow("only reads")
}

// classifyLet classifies the command let, whose arguments are arithmetic.
func classifyLet(args []word) verdict {
	for _, w := range args {
		switch {
		case !w.fixed:
			return ask("computes a value that is only known when it runs")
		case looksLikeCommand(w.text):
			return ask("contains text that may be run as a command")
		case computes(w.text):
			return ask(steersWhy)
		}
	}
	return allow("only reads")
}

// classifySet classifies the command set, which changes options of the shell.
func classifySet(args []word) verdict {
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
