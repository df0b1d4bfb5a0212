// Package jsonvalue represents JSON values as they were written: numbers keep their digits, and
// objects the order of their members. Values are immutable, so that they can share parts.
package jsonvalue

import "strconv"

// Kind is the type of a value. Compare orders kinds as they are listed here.
type Kind int

// The kinds.
const (
	Absent Kind = iota // the zero Value: no value was given
	Null
	Bool
	Number
	String
	Array
	Object
)

// String returns the name of the kind in JSON Schema.
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

// Value is a JSON value. The zero value represents an omitted argument.
type Value struct {
	kind    Kind
	text    string // a string, the digits of a number, or "true" or "false"
	items   []Value
	members *Members
}

// NewNull returns null.
func NewNull() Value { return Value{kind: Null} }

// NewBool returns true or false.
func NewBool(b bool) Value { return Value{kind: Bool, text: strconv.FormatBool(b)} }

// NewInt returns an integer.
func NewInt(n int64) Value { return NewNumber(strconv.FormatInt(n, 10)) }

// NewNumber returns the number with the given literal, which must be a valid JSON number. NewNumber
// does not check it.
func NewNumber(literal string) Value { return Value{kind: Number, text: literal} }

// NewString returns a string.
func NewString(s string) Value { return Value{kind: String, text: s} }

// NewArray returns an array, which takes ownership of the items.
func NewArray(items []Value) Value { return Value{kind: Array, items: items} }

// NewObject returns an object, which takes ownership of the members.
func NewObject(m *Members) Value { return Value{kind: Object, members: m} }

// Kind returns the type of v.
func (v Value) Kind() Kind { return v.kind }

// Text returns the content of a string, the digits of a number as written, or "true" or "false".
func (v Value) Text() string { return v.text }

// Items returns the items of an array, or nil. The caller must not change them.
func (v Value) Items() []Value { return v.items }

// Members returns the members of an object, which the caller must not change. Other values have
// none.
func (v Value) Members() *Members {
	if v.members == nil {
		return &Members{}
	}
	return v.members
}
