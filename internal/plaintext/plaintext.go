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
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
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

// Cut shortens a text for a person to a number of bytes, and says so.
func Cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return fmt.Sprintf("%s... (%d bytes in all)", strings.ToValidUTF8(s[:most], ""), len(s))
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
// scripts and emoji need.
func Hides(r rune) bool {
	const zeroWidthNonJoiner, zeroWidthJoiner = 0x200c, 0x200d
	return unicode.Is(unicode.Cf, r) && r != zeroWidthNonJoiner && r != zeroWidthJoiner
}
