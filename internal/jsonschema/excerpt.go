package jsonschema

import (
	"strconv"

	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// cut shortens s to maxExcerpt characters and marks the cut.
func cut(s string) string { return plaintext.Excerpt(s, maxExcerpt) }

// quoteName quotes a name for a message; what does not print is escaped.
func quoteName(name string) string {
	return strconv.Quote(cut(name))
}

// excerpt returns the beginning of the JSON text of v.
func (v *value) excerpt() string {
	// A character takes at most four bytes, so cut never sees the raw end.
	const enough = 4 * (maxExcerpt + 1)
	return plaintext.Visible(cut(string(v.appendJSON(nil, enough))))
}

// describe names the type of v and shows its beginning.
func (v *value) describe() string {
	if v.kind == kindNull {
		return "null"
	}
	return v.kind.String() + " " + v.excerpt()
}
