// Package plain makes untrusted text safe to show to a model and on a terminal. A model reads
// characters that people can't see; a terminal executes control characters.
package plain

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns text as valid UTF-8 with line feeds as line ends. It removes control characters,
// characters that reorder a line, and invisible characters; the result removed is their number.
func Text(text string) (clean string, removed int) {
	if isPlain(text) {
		return text, 0
	}
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n")
	clean = strings.Map(func(r rune) rune {
		switch {
		case r == '\r' || r == '\u2028' || r == '\u2029' || r == '\u0085':
			return '\n'
		case hidden(r):
			removed++
			return -1
		}
		return r
	}, text)
	return clean, removed
}

// Line is [Text] on one line, with single spaces, cut to limit characters.
func Line(text string, limit int) string {
	clean, _ := Text(text)
	clean = strings.Join(strings.Fields(clean), " ")
	if utf8.RuneCountInString(clean) <= limit {
		return clean
	}
	return strings.TrimSpace(string([]rune(clean)[:limit-1])) + "…"
}

// isPlain reports whether a text needs no change, which is the usual case. It copies nothing.
func isPlain(text string) bool {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c >= utf8.RuneSelf || c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// hidden reports whether r controls a terminal, reorders other characters, or carries words that
// only a model reads. Joiners are allowed, because scripts and emoji need them.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
		return true
	case r == '\u200b' || r == '\u2060' || r == '\ufeff' || r >= '\u2061' && r <= '\u2064':
		return true // zero width
	}
	return r >= 0xE0000 && r <= 0xE01EF // tags and variation selectors
}
