package llm

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// texts returns strings as a JSON array.
func texts(values []string) *jsontree.Value {
	return jsontree.NewArray(each.Of(values, jsontree.NewString)...)
}

// is reports whether a value is the boolean with this literal, "true" or "false".
func is(v *jsontree.Value, literal string) bool {
	return v != nil && v.Kind == jsontree.Boolean && v.Literal == literal
}

// typesNamed returns the types that the keyword "type" lists; nil means any type.
func typesNamed(v *jsontree.Value) jsontype.Set {
	if v == nil {
		return jsontype.Any
	}
	set := jsontype.Named(v.Text())
	for _, one := range v.List() {
		set |= jsontype.Named(one.Text())
	}
	return set
}

// number returns a JSON number as the nearest float64, or 0 for any other value and for nil.
func number(v *jsontree.Value) float64 {
	if v == nil {
		return 0
	}
	n, err := strconv.ParseFloat(v.Literal, 64)
	if err != nil {
		return 0
	}
	return n
}

// same reports whether two JSON values are equal.
func same(a, b *jsontree.Value) bool { return bytes.Equal(a.Key(), b.Key()) }

// lists reports whether the list contains v.
func lists(list []jsontree.Value, v *jsontree.Value) bool {
	return slices.ContainsFunc(list, func(one jsontree.Value) bool { return same(&one, v) })
}

// show returns a value as JSON for a message, cut to 80 characters.
func show(v *jsontree.Value) string {
	const maxRunes = 80
	text := string(v.JSON())
	if runes := []rune(text); len(runes) > maxRunes {
		return string(runes[:maxRunes]) + "..."
	}
	return text
}
