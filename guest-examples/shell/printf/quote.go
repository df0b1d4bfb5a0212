package printf

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quote quotes a text for the shell, as %q of printf does.
func quote(text string) string {
	if text == "" {
		return "''"
	}
	for _, r := range text {
		if r == utf8.RuneError || !unicode.IsPrint(r) && r != '\u200d' {
			return dollarQuote(text)
		}
	}
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		if strings.IndexByte(" \t'\"\\|&;()<>!{}*[]?^$`,", c) >= 0 || i == 0 && (c == '~' || c == '#') {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// dollarQuote quotes text in the form $'...', for text with unprintable bytes.
func dollarQuote(text string) string {
	var b strings.Builder
	b.WriteString("$'")
	for i := range len(text) {
		c := text[i]
		at := strings.LastIndexByte(escapes, c)
		switch {
		case c == '\'' || c == '\\':
			b.WriteString(`\` + string(c))
		case at > 0 && c < ' ':
			b.WriteString(`\` + escapes[at-1:at])
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + "'"
}
