package questiontext

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// Shorten returns a string on one line and safe to print. If it has more than limit bytes, only its
// beginning, its end and its length are shown.
func Shorten(text string, limit int) string {
	head, tail := ends(text, limit)
	if tail == "" {
		return plaintext.Visible(head)
	}
	return fmt.Sprintf("%s … %s (%d bytes in all)", plaintext.Visible(head), plaintext.Visible(tail), len(text))
}

// Quote is like Shorten, but quotes the string and escapes special characters.
func Quote(text string, limit int) string {
	head, tail := ends(text, limit)
	quoted := func(s string) string { return plaintext.Visible(strconv.Quote(s)) }
	if tail == "" {
		return quoted(head)
	}
	return fmt.Sprintf("%s … %s (%d bytes in all)", quoted(head), quoted(tail), len(text))
}

// ends returns the beginning and the end of a string that has more than limit bytes. Two thirds of
// limit are for the beginning. For a shorter string, tail is "".
func ends(text string, limit int) (head, tail string) {
	if len(text) <= limit {
		return text, ""
	}
	head = strings.ToValidUTF8(text[:limit*2/3], "")
	tail = strings.ToValidUTF8(text[len(text)-limit/3:], "")
	return head, tail
}
