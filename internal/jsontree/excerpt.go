package jsontree

import (
	"strconv"

	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// maxExcerpt limits the characters of a value or name that is quoted in a message.
const maxExcerpt = 60

// Cut shortens a string for a message to 60 characters and marks the cut.
func Cut(s string) string { return plaintext.Excerpt(s, maxExcerpt) }

// QuoteName quotes a name for a message and escapes characters that are not printable.
func QuoteName(name string) string {
	return strconv.Quote(Cut(name))
}

// Excerpt returns the beginning of the JSON text of v.
func (v *Value) Excerpt() string {
	// A character has at most four bytes, so Cut always removes the end, which may be incomplete.
	const enough = 4 * (maxExcerpt + 1)
	return plaintext.Visible(Cut(string(v.AppendJSON(nil, enough))))
}

// Describe names the type of v and shows its beginning.
func (v *Value) Describe() string {
	if v.Kind == Null {
		return "null"
	}
	return v.Kind.String() + " " + v.Excerpt()
}
