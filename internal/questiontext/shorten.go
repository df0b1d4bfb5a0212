package questiontext

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// Shorten returns a text on one line and safe to print, of which at most so many bytes are
// shown: its beginning, its end, and how much lies between.
func Shorten(text string, most int) string {
	head, tail := ends(text, most)
	if tail == "" {
		return plaintext.Visible(head)
	}
	return fmt.Sprintf("%s … %s (%d bytes in all)", plaintext.Visible(head), plaintext.Visible(tail), len(text))
}

// Quote is Shorten for a value, in quotes, with what is no plain character as an escape.
func Quote(text string, most int) string {
	head, tail := ends(text, most)
	quoted := func(s string) string { return plaintext.Visible(strconv.Quote(s)) }
	if tail == "" {
		return quoted(head)
	}
	return fmt.Sprintf("%s … %s (%d bytes in all)", quoted(head), quoted(tail), len(text))
}

// ends cuts what is too long: two thirds of the room are for the beginning. A text that fits
// is all head.
func ends(text string, most int) (head, tail string) {
	if len(text) <= most {
		return text, ""
	}
	head = strings.ToValidUTF8(text[:most*2/3], "")
	tail = strings.ToValidUTF8(text[len(text)-most/3:], "")
	return head, tail
}
