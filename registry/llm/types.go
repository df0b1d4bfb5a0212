package llm

import (
	"encoding/json"
	"math"
	"strconv"
)

// types is a set of JSON types. Numbers are split into integers and others, so that what
// "integer" and "number" both admit is what the sets have in common.
type types uint8

const (
	typeNull types = 1 << iota
	typeBoolean
	typeInteger
	typeFraction
	typeString
	typeArray
	typeObject

	typeNumber = typeInteger | typeFraction
	anyType    = typeNull | typeBoolean | typeNumber | typeString | typeArray | typeObject
)

// namedType is a type as JSON Schema names it.
type namedType struct {
	name string
	set  types
}

// namedTypes returns the types in the order in which they are written.
func namedTypes() [7]namedType {
	return [...]namedType{
		{"string", typeString},
		{"number", typeNumber},
		{"integer", typeInteger},
		{"boolean", typeBoolean},
		{"array", typeArray},
		{"object", typeObject},
		{"null", typeNull},
	}
}

// names returns the names of the types in t.
func (t types) names() []string {
	var names []string
	for _, named := range namedTypes() {
		// Numbers that are no integers have no name of their own.
		if t&named.set == named.set || named.set == typeNumber && t&typeFraction != 0 {
			names = append(names, named.name)
			t &^= named.set
		}
	}
	return names
}

// typesNamed reads the keyword "type"; without one it is any type.
func typesNamed(v any) types {
	var set types
	add := func(name string) {
		for _, named := range namedTypes() {
			if named.name == name {
				set |= named.set
			}
		}
	}
	switch v := v.(type) {
	case nil:
		return anyType
	case []any:
		for _, one := range v {
			add(textOf(one))
		}
	default:
		add(textOf(v))
	}
	return set
}

// typeOf returns the type of a value.
func typeOf(v any) types {
	switch kindOf(v) {
	case "null":
		return typeNull
	case "boolean":
		return typeBoolean
	case "string":
		return typeString
	case "array":
		return typeArray
	case "object":
		return typeObject
	}
	if n := number(v); n != math.Trunc(n) {
		return typeFraction
	}
	return typeInteger
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
