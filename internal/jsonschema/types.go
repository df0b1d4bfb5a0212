package jsonschema

import (
	"encoding/json"
	"strings"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
)

// typeSet is a set of JSON types. Numbers are split into integers and others,
// so that intersecting sets gives what "integer" and "number" together admit.
type typeSet uint8

const (
	typeNull typeSet = 1 << iota
	typeBoolean
	typeInteger
	typeFraction
	typeString
	typeArray
	typeObject

	typeNumber = typeInteger | typeFraction
	allTypes   = typeNull | typeBoolean | typeNumber | typeString | typeArray | typeObject
)

// typeNames lists the types of JSON Schema in the order in which they are told.
var typeNames = [...]struct {
	name string
	set  typeSet
}{
	{"string", typeString},
	{"number", typeNumber},
	{"integer", typeInteger},
	{"boolean", typeBoolean},
	{"array", typeArray},
	{"object", typeObject},
	{"null", typeNull},
}

// typeNamed returns the set for a type name of JSON Schema, or none.
func typeNamed(name string) typeSet {
	for _, t := range typeNames {
		if t.name == name {
			return t.set
		}
	}
	return 0
}

// String names the types, joined with "or"; "any" for all and "nothing" for none.
func (s typeSet) String() string {
	switch s {
	case 0:
		return "nothing"
	case allTypes:
		return "any"
	}
	var names []string
	for _, t := range typeNames {
		if s&t.set != 0 && (s&t.set == t.set || t.set == typeNumber && s&typeInteger == 0) {
			names = append(names, t.name)
			s &^= t.set
		}
	}
	return strings.Join(names, " or ")
}

// types returns the set that holds just the type of the value.
func (v *value) types() typeSet {
	if v.kind == kindNumber {
		return numberType(v.literal)
	}
	return [...]typeSet{
		kindNull: typeNull, kindBoolean: typeBoolean, kindString: typeString,
		kindArray: typeArray, kindObject: typeObject,
	}[v.kind]
}

func numberType(literal string) typeSet {
	if isInteger(literal) {
		return typeInteger
	}
	return typeFraction
}

// typesOfTree is types for a value in the validator's form.
func typesOfTree(v any) typeSet {
	switch v := v.(type) {
	case nil:
		return typeNull
	case bool:
		return typeBoolean
	case json.Number:
		return numberType(v.String())
	case string:
		return typeString
	case []any:
		return typeArray
	default:
		return typeObject
	}
}

// typesNamed joins the sets of several names.
func typesNamed(names []string) typeSet {
	var set typeSet
	for _, name := range names {
		set |= typeNamed(name)
	}
	return set
}

// declaredTypes is what the "type" keyword of a compiled schema admits.
func declaredTypes(s *santhosh.Schema) typeSet {
	if s.Types == nil || s.Types.IsEmpty() {
		return allTypes
	}
	return typesNamed(s.Types.ToStrings())
}
