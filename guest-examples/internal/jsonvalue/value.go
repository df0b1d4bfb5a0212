// Package jsonvalue holds JSON values as they were written: numbers keep their
// digits, and the members of an object their order. Values are not changed once
// they are made, so that they can share their parts.
package jsonvalue

import "strconv"

// Kind is the type of a value. The order is that of Compare.
type Kind int

// The kinds.
const (
	Absent Kind = iota // the zero Value: none was given
	Null
	Bool
	Number
	String
	Array
	Object
)

// String names the kind as JSON Schema does.
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "boolean"
	case Number:
		return "number"
	case String:
		return "string"
	case Array:
		return "array"
	case Object:
		return "object"
	default:
		return "nothing"
	}
}

// Value is a JSON value. The zero value is that of an argument that was left out.
type Value struct {
	kind    Kind
	text    string // of a string or number; that of a boolean is true or false
	items   []Value
	members *Members
}

// NewNull returns null.
func NewNull() Value { return Value{kind: Null} }

// NewBool returns true or false.
func NewBool(b bool) Value { return Value{kind: Bool, text: strconv.FormatBool(b)} }

// NewInt returns a whole number.
func NewInt(n int64) Value { return NewNumber(strconv.FormatInt(n, 10)) }

// NewNumber returns the number of a literal, which must be one of JSON: that is
// not checked.
func NewNumber(literal string) Value { return Value{kind: Number, text: literal} }

// NewString returns a text.
func NewString(s string) Value { return Value{kind: String, text: s} }

// NewArray returns an array of the items, which it keeps.
func NewArray(items []Value) Value { return Value{kind: Array, items: items} }

// NewObject returns an object of the members, which it keeps.
func NewObject(m *Members) Value { return Value{kind: Object, members: m} }

// Kind returns the type of v.
func (v Value) Kind() Kind { return v.kind }

// Text returns the text of a string, or the digits of a number as they were
// written, or "true" or "false".
func (v Value) Text() string { return v.text }

// Items returns those of an array, or nil. They are to be read only.
func (v Value) Items() []Value { return v.items }

// Members returns those of an object, which are to be read only. Other values
// have none.
func (v Value) Members() *Members {
	if v.members == nil {
		return &Members{}
	}
	return v.members
}
