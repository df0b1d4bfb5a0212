package shellcommand

import (
	"slices"
	"strings"
)

// mayBeOption is the reason why a command needs approval if an argument is only known when it runs.
const mayBeOption = "has an argument that is only known when it runs and may be an option"

// options are the options with which a command does more than read. A call with one of them needs
// approval. So does a call with a word that is known only at run time and may be an option.
type options struct {
	long  []string // with their dashes; a script may abbreviate them
	short string   // letters of short options
	// valued are letters after which the rest of the word is a value.
	valued string
	// operands is the maximum number of arguments that are not options. The command writes to any
	// further argument, or sets it. 0 means any number.
	operands int
	// none requires approval for every argument that is not an option. digits requires approval for
	// every argument that is a number.
	none, digits bool
}

// classify classifies a command with these arguments.
func (o options) classify(args []word) verdict {
	operands := 0
	for i, w := range args {
		switch {
		case w.fixed && w.text == "--":
			for _, rest := range args[i+1:] {
				operands += o.count(rest)
			}
			return o.classifyOperands(operands)
		case o.digits && (!w.fixed || strings.Trim(w.text, "0123456789.") == ""):
			return ask("may set the clock")
		case !w.option || w.text == "-":
			operands += o.count(w)
		case !w.fixed:
			return ask(mayBeOption)
		case o.has(w.text):
			return ask("has the option " + shown(w.text) + ", with which it does more than read")
		}
	}
	return o.classifyOperands(operands)
}

// count returns the number of operands that a word counts as. If the number of operands is limited,
// a word that is known only at run time counts as 2, because it may become several.
func (o options) count(w word) int {
	if !w.fixed && o.operands > 0 {
		return 2
	}
	return 1
}

func (o options) classifyOperands(operands int) verdict {
	if o.none && operands > 0 || o.operands > 0 && operands > o.operands {
		return ask("has an argument that it writes to")
	}
	return allow("only reads")
}

// has reports whether an option is one of o, or a group of short options that includes one of o.
func (o options) has(option string) bool {
	name, _, _ := strings.Cut(option, "=")
	if strings.HasPrefix(name, "--") {
		return slices.ContainsFunc(o.long, func(long string) bool { return strings.HasPrefix(long, name) })
	}
	letters := strings.TrimPrefix(option, "-")
	if value := strings.IndexAny(letters, o.valued); value >= 0 {
		letters = letters[:value]
	}
	return strings.ContainsAny(letters, o.short)
}
