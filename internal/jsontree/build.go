package jsontree

import (
	"strconv"

	"github.com/wasmtool/wasmtool/internal/plainjson"
)

// NewObject returns an object without fields.
func NewObject() *Value { return &Value{Kind: Object} }

// NewString returns a string with only the escapes that JSON requires.
func NewString(text string) *Value {
	return &Value{Kind: String, Literal: string(plainjson.String(text))}
}

// NewBoolean returns true or false.
func NewBoolean(b bool) *Value { return &Value{Kind: Boolean, Literal: strconv.FormatBool(b)} }

// NewInteger returns a number.
func NewInteger(n int64) *Value { return &Value{Kind: Number, Literal: strconv.FormatInt(n, 10)} }

// NewArray returns an array of items.
func NewArray(items ...*Value) *Value {
	v := &Value{Kind: Array, Items: make([]Value, len(items))}
	for i, item := range items {
		v.Items[i] = *item
	}
	return v
}

// NewRaw returns a value that holds JSON text without parsing it. The value can only be written as
// JSON.
func NewRaw(text []byte) *Value { return &Value{Kind: Raw, Literal: string(text)} }

// Add appends a field to an object and returns the object. The object must not have a field of that
// name.
func (v *Value) Add(name string, value *Value) *Value {
	v.Members = append(v.Members, Member{Name: name, Literal: string(plainjson.String(name)), Value: *value})
	return v
}

// AddText adds a string to an object like Add, unless the string is empty.
func (v *Value) AddText(name, text string) *Value {
	if text == "" {
		return v
	}
	return v.Add(name, NewString(text))
}

// Unescape rewrites the literals of all strings and names in v with only the escapes that JSON
// requires.
func (v *Value) Unescape() {
	if v.Kind == String {
		*v = *NewString(v.Text())
	}
	for i := range v.Members {
		m := &v.Members[i]
		m.Literal = NewString(m.Name).Literal
		m.Value.Unescape()
	}
	for i := range v.Items {
		v.Items[i].Unescape()
	}
}
