package shellcommand

import (
	"slices"
	"strings"
)

// mayBeOption is why an argument is asked about that nothing is known of.
const mayBeOption = "has an argument that is only known when it runs and may be an option"

// options are the options of a command that make it do more than read. With any of these
// a word that may be an option is asked about.
type options struct {
	long  []string // with their dashes; any beginning of one may stand for it
	short string   // letters
	// valued are letters after which the rest of the word is a value.
	valued string
	// operands is how many arguments besides options it may have; what is further is
	// written to, or set. 0 means any number.
	operands int
	// none tells that it may have no arguments at all but options, and digits that none of
	// them may be a number.
	none, digits bool
}

// judge says what a command with these arguments comes to.
func (o options) judge(args []word) judgement {
	operands := 0
	for i, w := range args {
		switch {
		case w.fixed && w.text == "--":
			for _, rest := range args[i+1:] {
				operands += o.count(rest)
			}
			return o.judgeOperands(operands)
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
	return o.judgeOperands(operands)
}

// count is how many operands a word is taken for: one that is not known may be several.
func (o options) count(w word) int {
	if !w.fixed && o.operands > 0 {
		return 2
	}
	return 1
}

func (o options) judgeOperands(operands int) judgement {
	if o.none && operands > 0 || o.operands > 0 && operands > o.operands {
		return ask("has an argument that it writes to")
	}
	return allow("only reads")
}

// has reports whether an option is one of these, or holds one.
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
