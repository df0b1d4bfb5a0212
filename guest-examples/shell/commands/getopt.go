package commands

import (
	"errors"
	"fmt"
	"strings"
)

var getopt = spec{
	name: "getopt", synopsis: "[-o SHORT] [-l LONG,...] [-n NAME] [-- WORD...]",
	options: "+ a,alternative l,longoptions: n,name: o,options: q,quiet Q,quiet-output s,shell: T,test u,unquoted", usage: 2,
	note: "It is for scripts with eval set -- \"$(getopt ...)\".",
	run:  runGetopt,
}

func runGetopt(p *process, o options, words []string) int {
	if o.has("T") {
		return 4 // the sign of this form of getopt
	}
	if shell := o.value("s", "sh"); shell != "sh" && shell != "bash" {
		p.errorf("unknown shell '%s'; it is sh or bash", shell)
		return 2
	}
	g := optionReader{p: p, name: o.value("n", "getopt"), quiet: o.has("q"), plain: o.has("u"), single: o.has("a")}
	short := o.value("o", "")
	if !o.has("o") {
		if len(words) == 0 {
			p.errorf("missing optstring argument")
			return 2
		}
		short, words = words[0], words[1:]
		if p.env.Args[1][0] != '-' { // the form without options neither quotes nor has long options
			g.plain = true
		}
	}
	if short != "" && (short[0] == '+' || short[0] == '-') {
		g.order, short = short[0], short[1:]
	}
	g.short = short
	for _, list := range o.values("l") {
		for long := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' }) {
			g.long = append(g.long, long)
		}
	}
	g.read(words)
	if !o.has("Q") {
		p.print(g.line() + "\n")
	}
	return p.status
}

// optionReader parses words as getopt_long does.
type optionReader struct {
	p                    *process
	name                 string
	quiet, plain, single bool
	order                byte // + ends the options at the first operand, - keeps operands in place
	short                string
	long                 []string
	out, operands        []string
}

func (g *optionReader) fail(format string, args ...any) {
	g.p.status = 1
	if !g.quiet {
		g.p.flush()
		fmt.Fprintf(g.p.env.Stderr, "%s: %s\n", g.name, fmt.Sprintf(format, args...))
	}
}

func (g *optionReader) read(words []string) {
	for len(words) > 0 && !g.p.stopped() {
		word := words[0]
		words = words[1:]
		long := strings.HasPrefix(word, "--")
		switch {
		case word == "--":
			g.operands = append(g.operands, words...)
			return
		case long, g.single && len(word) > 2 && word[0] == '-' && g.isLong(word[1:]):
			words = g.readLong(strings.TrimPrefix(strings.TrimPrefix(word, "-"), "-"), words)
		case len(word) > 1 && word[0] == '-':
			words = g.readShort(word[1:], words)
		case g.order == '+':
			g.operands = append(append(g.operands, word), words...)
			return
		case g.order == '-':
			g.out = append(g.out, g.quote(word))
		default:
			g.operands = append(g.operands, word)
		}
	}
}

// isLong reports whether a word with one dash is a long option, for -a.
func (g *optionReader) isLong(word string) bool {
	_, err := g.find(word)
	return err == nil
}

// find returns the long option that a word names in full or by an unambiguous prefix.
func (g *optionReader) find(word string) (string, error) {
	name, _, _ := strings.Cut(word, "=")
	var found []string
	for _, long := range g.long {
		switch plain := strings.TrimRight(long, ":"); {
		case plain == name:
			return long, nil
		case strings.HasPrefix(plain, name):
			found = append(found, long)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("unrecognized option '--%s'", name)
	case 1:
		return found[0], nil
	}
	possible := ""
	for _, long := range found {
		possible += " '--" + strings.TrimRight(long, ":") + "'"
	}
	return "", errors.New("option '--" + name + "' is ambiguous; possibilities:" + possible)
}

func (g *optionReader) readLong(word string, words []string) []string {
	long, err := g.find(word)
	if err != nil {
		g.fail("%v", err)
		return words
	}
	name, kind := strings.TrimRight(long, ":"), strings.Count(long, ":")
	_, value, attached := strings.Cut(word, "=")
	switch {
	case attached && kind == 0:
		g.fail("option '--%s' doesn't allow an argument", name)
		return words
	case !attached && kind == 1:
		if len(words) == 0 {
			g.fail("option '--%s' requires an argument", name)
			return words
		}
		value, words = words[0], words[1:]
	}
	g.out = append(g.out, "--"+name)
	if kind > 0 {
		g.out = append(g.out, g.quote(value))
	}
	return words
}

func (g *optionReader) readShort(letters string, words []string) []string {
	for i := range len(letters) {
		at := strings.IndexByte(g.short, letters[i])
		if at < 0 || letters[i] == ':' {
			g.fail("invalid option -- '%c'", letters[i])
			continue
		}
		kind := countBytes(g.short[at+1:], ":")
		if kind == 0 {
			g.out = append(g.out, "-"+letters[i:i+1])
			continue
		}
		value := letters[i+1:]
		if value == "" && kind == 1 {
			if len(words) == 0 {
				g.fail("option requires an argument -- '%c'", letters[i])
				return words
			}
			value, words = words[0], words[1:]
		}
		g.out = append(g.out, "-"+letters[i:i+1], g.quote(value))
		return words
	}
	return words
}

// line returns the options, and the operands after --.
func (g *optionReader) line() string {
	words := append(g.out, "--")
	for _, operand := range g.operands {
		words = append(words, g.quote(operand))
	}
	return " " + strings.Join(words, " ")
}

// quote quotes a word for the shell.
func (g *optionReader) quote(word string) string {
	if g.plain {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
