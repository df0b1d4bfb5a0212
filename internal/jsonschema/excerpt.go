package jsonschema

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// cut shortens s to maxExcerpt characters and marks the cut.
func cut(s string) string {
	count := 0
	for i := range s {
		if count == maxExcerpt {
			return s[:i] + "…"
		}
		count++
	}
	return s
}

// quoteName quotes a name for a message; what does not print is escaped.
func quoteName(name string) string {
	return strconv.Quote(cut(name))
}

// excerpt returns the beginning of the JSON text of v.
func (v *value) excerpt() string {
	// A character takes at most four bytes, so cut never sees the raw end.
	const enough = 4 * (maxExcerpt + 1)
	return printable(cut(string(v.appendJSON(nil, enough))))
}

// describe names the type of v and shows its beginning.
func (v *value) describe() string {
	if v.kind == kindNull {
		return "null"
	}
	return v.kind.String() + " " + v.excerpt()
}

// printable escapes characters that a terminal or a reader could take for
// something else: controls, direction marks, invisible tags.
func printable(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "\\u{%04x}", r)
		}
	}
	return b.String()
}
