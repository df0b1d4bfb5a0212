// Package plaintext makes text that a guest, a model or an author wrote fit to be shown to
// a person: nothing in it can act on a terminal, hide, or pass for the text around it.
package plaintext

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Printable shows what Judge finds in Lines as escapes.
func Printable(s string) string { return Replace(s, Lines, escape) }

// OneLine is Printable for a Line: a title or a text that must not look like several lines.
func OneLine(s string) string { return Replace(s, Line, escape) }

// Visible is Printable for a Word, and for messages, which need no space but the plain one.
func Visible(s string) string { return Replace(s, Word, escape) }

// Strip leaves out what Judge finds.
func Strip(s string, form Form) string {
	return Replace(s, form, func(Finding) string { return "" })
}

// escape is the escape of Go for a character. A byte that is not UTF-8 becomes U+FFFD.
func escape(f Finding) string {
	if f.Class == &notUTF8 {
		return string(utf8.RuneError)
	}
	return strings.Trim(strconv.QuoteRuneToASCII(f.Rune), "'")
}

// Short cuts a text to a number of bytes, and characters that it holds in part or that
// are none; "..." marks the cut. A text that is no longer stays as it is.
func Short(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}

// Excerpt cuts a text to a number of characters and marks the cut with an ellipsis.
func Excerpt(s string, most int) string {
	count := 0
	for i := range s {
		if count == most {
			return s[:i] + "…"
		}
		count++
	}
	return s
}

// Cut shortens a text for a person to a number of bytes, and says so.
func Cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return fmt.Sprintf("%s (%d bytes in all)", Short(s, most), len(s))
}

// Sentence begins a text with a capital.
func Sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
