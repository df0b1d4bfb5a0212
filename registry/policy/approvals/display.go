package approvals

import (
	"fmt"
	"strings"
	"unicode"
)

// printable writes what is not seen, or moves the cursor, as \u{...}: a name must
// neither act on a terminal nor pass for another.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsGraphic(r) && (r == ' ' || !unicode.IsSpace(r)) && r != unicode.ReplacementChar {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, `\u{%x}`, r)
	}
	return b.String()
}

// forDisplay returns the approval with texts that are safe to print.
func (a Approval) forDisplay() Approval {
	a.Tenant, a.Tool, a.Session = printable(a.Tenant), printable(a.Tool), printable(a.Session)
	a.Key.Digest = printable(a.Key.Digest)
	words := make([]string, len(a.Grant))
	for i, word := range a.Grant {
		words[i] = printable(word)
	}
	a.Grant = words
	return a
}
