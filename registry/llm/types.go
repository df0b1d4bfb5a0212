package llm

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// typesNamed reads the keyword "type"; without one it is any type.
func typesNamed(v any) jsontype.Set {
	var set jsontype.Set
	switch v := v.(type) {
	case nil:
		return jsontype.Any
	case []any:
		for _, one := range v {
			set |= jsontype.Named(textOf(one))
		}
	default:
		set = jsontype.Named(textOf(v))
	}
	return set
}

// typeOf returns the type of a value.
func typeOf(v any) jsontype.Set {
	switch kindOf(v) {
	case "null":
		return jsontype.Null
	case "boolean":
		return jsontype.Boolean
	case "string":
		return jsontype.String
	case "array":
		return jsontype.Array
	case "object":
		return jsontype.Object
	}
	if n := number(v); n != math.Trunc(n) {
		return jsontype.Fraction
	}
	return jsontype.Integer
}

// number returns the value of a JSON number, about; 0 for anything else.
func number(v any) float64 {
	raw, ok := v.(json.RawMessage)
	if !ok {
		return 0
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return 0
	}
	return n
}

// same reports whether two JSON values are equal.
func same(a, b any) bool { return canonical(a) == canonical(b) }

// canonical returns a text that is the same for equal scalars however they are written.
func canonical(v any) string {
	if kindOf(v) == "number" {
		return strconv.FormatFloat(number(v), 'g', -1, 64)
	}
	raw, err := encode(v)
	if err != nil {
		return ""
	}
	return string(raw)
}
