package jsonschema

import (
	"encoding/json"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// types returns the set that holds just the type of the value.
func (v *value) types() jsontype.Set {
	if v.kind == kindNumber {
		return numberType(v.literal)
	}
	return [...]jsontype.Set{
		kindNull: jsontype.Null, kindBoolean: jsontype.Boolean, kindString: jsontype.String,
		kindArray: jsontype.Array, kindObject: jsontype.Object,
	}[v.kind]
}

func numberType(literal string) jsontype.Set {
	if isInteger(literal) {
		return jsontype.Integer
	}
	return jsontype.Fraction
}

// typesOfTree is types for a value in the validator's form.
func typesOfTree(v any) jsontype.Set {
	switch v := v.(type) {
	case nil:
		return jsontype.Null
	case bool:
		return jsontype.Boolean
	case json.Number:
		return numberType(v.String())
	case string:
		return jsontype.String
	case []any:
		return jsontype.Array
	default:
		return jsontype.Object
	}
}

// typesNamed joins the sets of several names.
func typesNamed(names []string) jsontype.Set {
	var set jsontype.Set
	for _, name := range names {
		set |= jsontype.Named(name)
	}
	return set
}

// declaredTypes is what the "type" keyword of a compiled schema admits.
func declaredTypes(s *santhosh.Schema) jsontype.Set {
	if s.Types == nil || s.Types.IsEmpty() {
		return jsontype.Any
	}
	return typesNamed(s.Types.ToStrings())
}
