package shellcommand

import (
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/lazyregexp"
	"mvdan.cc/sh/v3/syntax"
)

// assigner is a shell command that changes nothing except the variables that its arguments name.
type assigner struct {
	// flags are its options. valued are the options whose value is the rest of the word or the next
	// word; naming are the valued options that name a variable. Any other option needs approval.
	flags, valued, naming string
	// The first `skip` operands do not name variables; the next operands do. names is the max
	// number of operands that name variables; -1 means all.
	skip, names int
}

// assigners are all shell commands that only set variables, except declare, let and commands that
// need approval anyway.
var assigners = map[string]assigner{
	"read":      {flags: "ers", valued: "adiNnptu", naming: "a", names: -1},
	"wait":      {flags: "fn", valued: "p", naming: "p"},
	"mapfile":   {flags: "t", valued: "dnOsu", names: -1},
	"readarray": {flags: "t", valued: "dnOsu", names: -1},
	"printf":    {valued: "v", naming: "v"},
	"getopts":   {skip: 1, names: 1},
	"unset":     {flags: "v", names: -1},
}

// classify classifies a call of an assigner. All options come before the first operand.
func (a assigner) classify(name string, args []word) verdict {
	for ; len(args) > 0; args = args[1:] {
		w := args[0]
		switch {
		case w.text == "--" && w.fixed:
			return a.classifyOperands(name, args[1:])
		case !w.option || w.text == "-" && w.fixed || isJob(w):
			return a.classifyOperands(name, args)
		case !w.fixed:
			return ask(mayBeOption)
		}
		known, letter, value := wrapper{flags: a.flags, valued: a.valued}.letters(w.text[1:])
		if !known {
			return ask("has the unknown option " + shown(w.text))
		}
		given := fixedWord(value)
		if letter != 0 && value == "" && len(args) > 1 {
			args = args[1:]
			given = args[0]
		}
		if letter != 0 && strings.ContainsRune(a.naming, letter) {
			if why := given.assigned(); why != "" {
				return ask(why)
			}
		}
	}
	return allow("only reads")
}

func (a assigner) classifyOperands(name string, operands []word) verdict {
	for i, w := range operands {
		names := a.names < 0 || i >= a.skip && i < a.skip+a.names
		if name == "printf" {
			names = i > 0 && writesCount(operands[0])
		}
		switch {
		case names && w.assigned() != "":
			return ask(w.assigned())
		case w.several && i < a.skip+a.names:
			return ask("names variables that are only known when it runs")
		case w.fixed && looksLikeCommand(w.text):
			return ask("contains text that may be run as a command")
		}
	}
	return allow("only reads")
}

// isJob reports whether a word is $!, which is a number.
func isJob(w word) bool { return w.text == "$!" || w.text == "${!}" }

// count matches a directive of printf that sets a variable to the number of bytes written.
var count = lazyregexp.New(`%[^%A-Za-z]*[hlLqjzt]*n`)

// writesCount reports whether a format of printf sets or may set variables.
func writesCount(format word) bool {
	return !format.fixed || count.MatchString(strings.ReplaceAll(format.text, "%%", ""))
}

// assigned returns the reason why w needs approval if it names a variable or an element to set; ""
// means that w needs no approval.
func (w word) assigned() string {
	name, index, _ := strings.Cut(w.text, "[")
	switch {
	case !w.fixed:
		return "names variables that are only known when it runs"
	case looksLikeCommand(w.text):
		return "contains text that may be run as a command"
	case steers(name), computes(index):
		return steersWhy
	}
	return ""
}

// variableName matches the name of a variable in arithmetic.
var variableName = lazyregexp.New(`[A-Za-z_][A-Za-z0-9_]*`)

// assigning matches what follows a variable that arithmetic sets, or may set. It does not parse an
// index or find its end.
var assigning = lazyregexp.New(`^\s*(\[|\+\+|--|([-+*/%&|^]|<<|>>)?=([^=]|$))`)

// computes reports whether a text, if evaluated as arithmetic, sets a variable that decides what
// runs.
func computes(text string) bool {
	return slices.ContainsFunc(variableName.Regexp().FindAllStringIndex(text, -1), func(at []int) bool {
		before := strings.TrimRight(text[:at[0]], " \t\n")
		return steers(text[at[0]:at[1]]) &&
			(assigning.MatchString(text[at[1]:]) || strings.HasSuffix(before, "++") || strings.HasSuffix(before, "--"))
	})
}

// computed requires approval for a text such as x='PATH=1'. If the script later evaluates x as
// arithmetic, as in $((x)), it sets a variable that decides what runs.
func (t *tree) computed(file *syntax.File) {
	arithmetic := false
	var kept []*syntax.Word // values of variables, and arguments of functions
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause, *syntax.CStyleLoop:
			arithmetic = true
		case *syntax.ParamExp:
			arithmetic = arithmetic || n.Slice != nil || n.Index != nil
		case *syntax.BinaryTest:
			arithmetic = arithmetic || comparesNumbers(n)
		case *syntax.DeclClause: // the options of the clause may include -i
			arithmetic = arithmetic || slices.ContainsFunc(n.Args, func(a *syntax.Assign) bool { return a.Name == nil })
		case *syntax.Assign:
			arithmetic = arithmetic || n.Index != nil
			if n.Value != nil {
				kept = append(kept, n.Value)
			}
		case *syntax.ArrayElem:
			if n.Value != nil {
				kept = append(kept, n.Value)
			}
		case *syntax.WordIter:
			kept = append(kept, n.Items...)
		case *syntax.CallExpr:
			if len(n.Args) > 0 && (n.Args[0].Lit() == "set" || t.functions[n.Args[0].Lit()] > 0) {
				kept = append(kept, n.Args[1:]...)
			}
		}
		return true
	})
	for _, w := range kept {
		if arithmetic && computes(t.read(w).text) {
			t.c.add(t.source(w), ask(steersWhy))
		}
	}
}
