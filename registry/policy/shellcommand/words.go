package shellcommand

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word is a word of a command, as far as it is known before anything runs.
type word struct {
	// text is the word without its quotes; of what is not known, its source.
	text string
	// fixed tells that it is this text and one word.
	fixed bool
	// option tells that it begins with a dash, or may, or may become several words one of
	// which does.
	option bool
	// several tells that it may become several words.
	several bool
}

// fixedWord is a word whose text is known.
func fixedWord(text string) word {
	return word{text: text, fixed: true, option: strings.HasPrefix(text, "-")}
}

// unknownWord is a word of which nothing is known.
func unknownWord() word { return word{text: "…", option: true, several: true} }

// read is a word as far as it is known.
func (t *tree) read(w *syntax.Word) word {
	r := wordReader{t: t, out: word{fixed: true}}
	for _, part := range w.Parts {
		r.part(part, false)
	}
	r.out.text = r.text.String()
	first := strings.HasPrefix(r.out.text, "-")
	r.out.several = r.splits
	r.out.option = r.splits || r.openStart || first
	return r.out
}

func (t *tree) readAll(list []*syntax.Word) []word {
	words := make([]word, len(list))
	for i, w := range list {
		words[i] = t.read(w)
	}
	return words
}

type wordReader struct {
	t         *tree
	text      strings.Builder
	out       word
	splits    bool // it may become several words, of which only the first begins as it does
	openStart bool // nothing is known of how it begins
}

// unknown notes a piece that is known when it runs.
func (r *wordReader) unknown(n syntax.Node, splits bool) {
	r.out.fixed = false
	r.openStart = r.openStart || r.text.Len() == 0
	r.splits = r.splits || splits
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
	case *syntax.ProcSubst: // a path below /dev/fd
		r.out.fixed = false
		r.text.WriteString("/dev/fd/…")
	default: // extended globs, braces, and what later versions of the parser have
		r.unknown(p, false)
	}
}

// several reports whether an expansion gives several words in double quotes, too.
func several(p *syntax.ParamExp) bool {
	if p.Param != nil && p.Param.Value == "@" || p.Names != 0 || p.Excl {
		return true
	}
	if w, ok := p.Index.(*syntax.Word); ok {
		return w.Lit() == "@"
	}
	return false
}

// bare reads a text without quotes: backslashes, and what makes other words of it.
func (r *wordReader) bare(text string) {
	for i := 0; i < len(text); i++ {
		switch b := text[i]; b {
		case '\\':
			if i++; i < len(text) && text[i] != '\n' {
				r.text.WriteByte(text[i])
			}
			continue
		case '*', '?', '[', '{': // names of files, or lists
			if text == "[" || strings.HasPrefix(text[i:], "{}") {
				break
			}
			r.out.fixed = false
			r.openStart = r.openStart || r.text.Len() == 0
		case '~':
			if r.text.Len() == 0 { // some home folder: an absolute path
				r.out.fixed = false
			}
		}
		r.text.WriteByte(text[i])
	}
}

// unquoteDouble resolves backslashes as between double quotes.
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

// unquoteDollar resolves what stands in $'...'. It is false for an escape that is not known.
func unquoteDollar(text string) (string, bool) {
	const plain, means = `abeEfnrtv\'"?`, "\a\b\x1b\x1b\f\n\r\t\v\\'\"?"
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
		at, base, most := i+1, 16, 2
		switch kind {
		case 'x':
		case 'u':
			most = 4
		case 'U':
			most = 8
		default:
			at, base, most = i, 8, 3
		}
		value, digits := number(text[at:], base, most)
		if digits == 0 || value == 0 { // an escape that is not known, or the end of the word
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

// number reads up to so many digits of a base of 8 or 16.
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
