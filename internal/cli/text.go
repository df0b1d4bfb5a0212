package cli

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// printable makes text of a guest or a model harmless to a terminal: control
// characters (but for newline and tab), and characters that reorder or hide text,
// are shown as escapes.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case unicode.IsControl(r) || hidesText(r):
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// escapeInJSON writes the control and hidden characters of a JSON text, which can only
// stand in its strings, as \u escapes. What is line and space of the text itself stays.
func escapeInJSON(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r == '\n' || (!unicode.IsControl(r) && !hidesText(r)) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, "\\u%04x", unit)
		}
	}
	return b.String()
}

// oneLine is printable for a name or a path, which must not look like more than one
// line or more than one column.
func oneLine(s string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(printable(s))
}

// cut shortens a text for a person to a number of bytes, and says so.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return fmt.Sprintf("%s... (%d bytes in all)", strings.ToValidUTF8(s[:most], ""), len(s))
}

// hidesText reports the format characters that can make a text look like another:
// bidirectional controls, tags, and other invisible ones, but for the joiners that
// scripts and emoji need.
func hidesText(r rune) bool {
	const zeroWidthNonJoiner, zeroWidthJoiner = 0x200c, 0x200d
	return unicode.Is(unicode.Cf, r) && r != zeroWidthNonJoiner && r != zeroWidthJoiner
}

// quote shows a word of the command line.
func quote(s string) string { return strconv.Quote(s) }

// indent moves all lines but the first to the right, so that they belong to it.
func indent(s string) string { return strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ") }

// firstSentence cuts a description down to what fits into a list.
func firstSentence(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if i := strings.Index(s, ". "); i >= 0 {
		s = s[:i+1]
	}
	const most = 72
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most-1]) + "…"
	}
	return s
}

// byteCount shows a size in the unit that a manifest would use.
func byteCount(n uint64) string {
	const kib, mib, gib = 1 << 10, 1 << 20, 1 << 30
	switch {
	case n >= gib:
		return fmt.Sprintf("%.1f GiB", float64(n)/gib)
	case n >= mib:
		return fmt.Sprintf("%.1f MiB", float64(n)/mib)
	case n >= kib:
		return fmt.Sprintf("%.1f KiB", float64(n)/kib)
	}
	return fmt.Sprintf("%d bytes", n)
}
