package shellcommand

import (
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
