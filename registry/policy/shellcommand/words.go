package shellcommand

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word is a word of a command, as far as it is known before anything runs.
type word struct {
	// text is the word without quotes; for an unknown part, its source.
	text string
	// fixed says that the shell turns the word into the string in the field text and nothing more.
	fixed bool
	// option says that the word begins or may begin with a dash. It is also true if the word may
	// expand to several words and one of them begins with a dash.
	option bool
	// several says that the word may expand to several words.
	several bool
}

// fixedWord returns a word whose text is known.
func fixedWord(text string) word {
	return word{text: text, fixed: true, option: strings.HasPrefix(text, "-")}
}

// unknownWord returns a word of which nothing is known.
func unknownWord() word { return word{text: "…", option: true, several: true} }

// read returns what is known of a word before the script runs.
func (t *tree) read(w *syntax.Word) word {
	r := wordReader{t: t, out: word{fixed: true}}
	for _, part := range w.Parts {
		r.part(part, false)
	}
	r.out.text = r.text.String()
	r.out.option = r.out.several || r.openStart || strings.HasPrefix(r.out.text, "-")
	return r.out
}

type wordReader struct {
	t         *tree
	text      strings.Builder
	out       word
	openStart bool // the beginning of the word is unknown
}

// unknown records a part that is known only at run time.
func (r *wordReader) unknown(n syntax.Node, splits bool) {
	r.out.fixed = false
	r.openStart = r.openStart || r.text.Len() == 0
	r.out.several = r.out.several || splits
	r.text.WriteString(r.t.source(n))
}

func (r *wordReader) part(part syntax.WordPart, quoted bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		if quoted {
			r.text.WriteString(unquoteDouble(p.Value))
		} else {
			r.bare(p.Value)
		}
	case *syntax.SglQuoted:
		if !p.Dollar {
			r.text.WriteString(p.Value)
			return
		}
		text, ok := unquoteDollar(p.Value)
		r.out.fixed = r.out.fixed && ok
		r.openStart = r.openStart || !ok && r.text.Len() == 0
		r.text.WriteString(text)
	case *syntax.DblQuoted:
		for _, inner := range p.Parts {
			r.part(inner, true)
		}
	case *syntax.ParamExp:
		r.unknown(p, !quoted || several(p))
	case *syntax.CmdSubst:
		r.unknown(p, !quoted)
	case *syntax.ArithmExp:
		r.unknown(p, false)
	case *syntax.ProcSubst: // expands to a path below /dev/fd
		r.out.fixed = false
		r.text.WriteString("/dev/fd/…")
	default: // extended globs, braces, and nodes of later versions of the parser
		r.unknown(p, false)
	}
}

// several reports whether an expansion gives several words even in double quotes.
func several(p *syntax.ParamExp) bool {
	if p.Param != nil && p.Param.Value == "@" || p.Names != 0 || p.Excl {
		return true
	}
	if w, ok := p.Index.(*syntax.Word); ok {
		return w.Lit() == "@"
	}
	return false
}

// bare reads text without quotes: backslashes, and characters that expand to other words.
func (r *wordReader) bare(text string) {
	for i := 0; i < len(text); i++ {
		switch b := text[i]; b {
		case '\\':
			if i++; i < len(text) && text[i] != '\n' {
				r.text.WriteByte(text[i])
			}
			continue
		case '*', '?', '[', '{': // expands to file names, or to a list of words
			if text == "[" || strings.HasPrefix(text[i:], "{}") {
				break
			}
			r.out.fixed = false
			r.openStart = r.openStart || r.text.Len() == 0
		case '~':
			if r.text.Len() == 0 { // a home directory, whose path begins with a slash
				r.out.fixed = false
			}
		}
		r.text.WriteByte(text[i])
	}
}

// unquoteDouble resolves backslashes as within double quotes.
func unquoteDouble(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte("$`\"\\\n", text[i+1]) >= 0 {
			if i++; text[i] == '\n' {
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// unquoteDollar resolves the content of $'...'. It returns false for an unknown escape.
func unquoteDollar(text string) (string, bool) {
	const plain, means = `abeEfnrtv\'"?`, "\a\b\x1b\x1b\f\n\r\t\v\\'\"?"
	hexDigits := map[byte]int{'x': 2, 'u': 4, 'U': 8} // the maximum number of digits
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		if at := strings.IndexByte(plain, text[i]); at >= 0 {
			b.WriteByte(means[at])
			continue
		}
		kind := text[i]
		at, base, most := i+1, 16, hexDigits[kind]
		if most == 0 {
			at, base, most = i, 8, 3
		}
		value, digits := number(text[at:], base, most)
		if digits == 0 || value == 0 { // an unknown escape, or the end of the word
			return text, false
		}
		if most == 4 || most == 8 {
			b.WriteRune(rune(value))
		} else {
			b.WriteByte(byte(value))
		}
		i = at + digits - 1
	}
	return b.String(), true
}

// number reads up to `most` digits of a number in base 8 or 16. It returns the value and the number
// of digits that it read.
func number(text string, base, most int) (value, digits int) {
	for digits < min(most, len(text)) {
		d, err := strconv.ParseUint(text[digits:digits+1], base, 8)
		if err != nil {
			break
		}
		value, digits = value*base+int(d), digits+1
	}
	return value, digits
}

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
