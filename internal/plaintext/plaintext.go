// Package plaintext makes text that a guest, a model or an author wrote fit to be shown to
// a person: nothing in it can act on a terminal, hide, or pass for the text around it.
package plaintext

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Printable shows control characters (but for newline and tab), and characters that
// reorder or hide text, as escapes.
func Printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case unicode.IsControl(r) || Hides(r):
			b.WriteString(escape(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// OneLine is Printable for a name or a path, which must not look like more than one
// line or more than one column.
func OneLine(s string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(Printable(s))
}

// Visible is OneLine for messages that need no other writing than plain words: whatever
// has no ink of its own, but for the plain space, is shown as an escape.
func Visible(s string) string {
	if strings.IndexFunc(s, Invisible) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if Invisible(r) {
			b.WriteString(escape(r))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Invisible reports what Visible shows as an escape.
func Invisible(r rune) bool { return !unicode.IsPrint(r) }

func escape(r rune) string { return strings.Trim(strconv.QuoteRuneToASCII(r), "'") }

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

// Hides reports the format characters that can make a text look like another:
// bidirectional controls, tags, and other invisible ones, but for the joiners that
// scripts and emoji need; and the separators that break a line.
func Hides(r rune) bool {
	const zeroWidthNonJoiner, zeroWidthJoiner = 0x200c, 0x200d
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) && r != zeroWidthNonJoiner && r != zeroWidthJoiner
}
