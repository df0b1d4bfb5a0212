// Package jsontype represents the types of JSON Schema as sets. Numbers are split into integers and
// fractions, so that the values that both "integer" and "number" admit are the intersection of the
// two sets.
package jsontype

import (
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
)

// Set is a set of types. The zero value is empty.
type Set uint8

// The types, and the sets that have a name.
const (
	Null Set = 1 << iota
	Boolean
	Integer
	Fraction // a number that is not an integer
	String
	Array
	Object

	Number = Integer | Fraction
	Any    = Null | Boolean | Number | String | Array | Object
)

type name struct {
	text string
	set  Set
}

// named lists the type names of JSON Schema in the order in which messages list them.
var named = []name{
	{"string", String},
	{"number", Number},
	{"integer", Integer},
	{"boolean", Boolean},
	{"array", Array},
	{"object", Object},
	{"null", Null},
}

// Named returns the types that a type name of JSON Schema stands for, or the empty set for any
// other name.
func Named(text string) Set {
	for _, n := range named {
		if n.text == text {
			return n.set
		}
	}
	return 0
}

// Names returns the type names of JSON Schema.
func Names() []string {
	return each.Of(named, func(n name) string { return n.text })
}

// Names returns the names of the types in s. Fractions have no name of their own and are listed as
// "number".
func (s Set) Names() []string {
	var names []string
	for _, n := range named {
		if s&n.set == n.set || n.set == Number && s&Fraction != 0 {
			names = append(names, n.text)
			s &^= n.set
		}
	}
	return names
}

// String joins the names of the types with "or". It returns "any" for the set of all types and
// "nothing" for the empty set.
func (s Set) String() string {
	switch s {
	case 0:
		return "nothing"
	case Any:
		return "any"
	}
	return strings.Join(s.Names(), " or ")
}
