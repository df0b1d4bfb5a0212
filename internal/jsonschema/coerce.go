package jsonschema

import (
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// coerce changes a value to the one type that its place admits, if the value
// has another type and the way back is exact; see the package comment.
func (w *walker) coerce(v *value, p *place, at *trail) {
	if p.types&v.types() != 0 {
		return
	}
	want := p.types &^ jsontype.Null
	switch v.kind {
	case kindString:
		w.coerceString(v, want, at)
	case kindNumber, kindBoolean:
		if want == jsontype.String {
			*v = value{kind: kindString, literal: `"` + v.literal + `"`}
		}
	}
}

func (w *walker) coerceString(v *value, want jsontype.Set, at *trail) {
	text := v.text()
	switch want {
	case jsontype.Boolean:
		if text == "true" || text == "false" {
			*v = value{kind: kindBoolean, literal: text}
		}
	case jsontype.Integer, jsontype.Fraction, jsontype.Number:
		if isPlainNumber(text, want != jsontype.Integer) {
			*v = value{kind: kindNumber, literal: text}
		}
	case jsontype.Object, jsontype.Array:
		w.coerceEncoded(v, text, want, at)
	}
}

// coerceEncoded reads a string that holds the JSON of an object or an array.
func (w *walker) coerceEncoded(v *value, text string, want jsontype.Set, at *trail) {
	// What is inside counts like what is around it.
	inner, fault := parse(text, bounds{
		bytes: MaxDocumentBytes, depth: MaxDepth - at.depth(), values: MaxValues - w.values,
	})
	if fault != nil || inner.types() != want {
		return
	}
	values, _ := inner.measure()
	w.values += values - 1
	*v = inner
}

// isPlainNumber reports whether text is the one usual way to write a number:
// digits, with a minus and (if fractions are allowed) a decimal point, without
// exponent, and no negative zero, which few readers keep.
func isPlainNumber(text string, fraction bool) bool {
	if strings.ContainsAny(text, "eE") || !fraction && strings.Contains(text, ".") {
		return false
	}
	if strings.HasPrefix(text, "-") && strings.Trim(text, "-0.") == "" {
		return false
	}
	v, fault := parse(text, bounds{bytes: MaxNumberBytes, depth: 1, values: 1})
	return fault == nil && v.kind == kindNumber && v.literal == text
}
