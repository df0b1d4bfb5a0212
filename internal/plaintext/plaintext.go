// Package plaintext makes untrusted text safe to show to a person: nothing in it can act on a
// terminal, be invisible, or be mistaken for the text around it. The text comes from guests, models
// and authors of tools.
package plaintext

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Printable escapes the findings of Check for Lines.
func Printable(s string) string { return Replace(s, Lines, escape) }

// OneLine is like Printable with the form Line: a title, or text that must not look like
// several lines.
func OneLine(s string) string { return Replace(s, Line, escape) }

// Visible is like Printable with the form Word. It is also for messages, in which the only
// white space is the plain space.
func Visible(s string) string { return Replace(s, Word, escape) }

// Strip removes the findings of Check.
func Strip(s string, form Form) string {
	return Replace(s, form, func(Finding) string { return "" })
}

// escape returns the Go escape of a character. A byte that is not UTF-8 becomes U+FFFD.
func escape(f Finding) string {
	if f.Class == &notUTF8 {
		return string(utf8.RuneError)
	}
	return strings.Trim(strconv.QuoteRuneToASCII(f.Rune), "'")
}

// Short cuts a string after maxBytes and marks the cut with "...". It removes invalid UTF-8 from a
// string that it cuts, so that no character is cut in half.
func Short(s string, maxBytes int) string {
	if len(s) <= maxBytes {
		return s
	}
	return strings.ToValidUTF8(s[:maxBytes], "") + "..."
}

// Excerpt cuts a string after maxRunes characters and marks the cut with an ellipsis.
func Excerpt(s string, maxRunes int) string {
	count := 0
	for i := range s {
		if count == maxRunes {
			return s[:i] + "…"
		}
		count++
	}
	return s
}

// Cut is like Short, and appends the full length to a string that it cuts.
func Cut(s string, maxBytes int) string {
	if len(s) <= maxBytes {
		return s
	}
	return fmt.Sprintf("%s (%d bytes in all)", Short(s, maxBytes), len(s))
}

// Sentence capitalizes the first letter of a string, which must be ASCII.
func Sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
