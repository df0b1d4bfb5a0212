package jsonschema

import (
	"bytes"
	"encoding/json"
	"iter"
	"math"
)

// Value is a value of a JSON document that was parsed once, for readers that look at its
// parts one by one. The zero value is null. It is immutable.
type Value struct{ v value }

// Parse parses a document of at most so many bytes, as strictly as [ParseStrict] and with its
// errors.
func Parse(doc []byte, maxBytes int) (Value, error) {
	b := documentBounds("the document")
	b.bytes = maxBytes
	v, fault := parse(string(doc), b)
	if fault != nil {
		return Value{}, Faults{*fault}
	}
	return Value{v}, nil
}

// ParseMessage is [Parse] for a message with a document in it that is parsed once more, for
// which it leaves some faults: numbers beyond the ceilings, halves of surrogate pairs, and up
// to maxMessageDepth levels. A field that is given twice is an error wherever it is.
func ParseMessage(message []byte, maxBytes int) (Value, error) {
	v, fault := parse(string(message), bounds{
		what: "the message", bytes: maxBytes, depth: maxMessageDepth, values: MaxValues + 1024, loose: true,
	})
	if fault != nil {
		return Value{}, Faults{*fault}
	}
	return Value{v}, nil
}

// IsNull reports whether v is null.
func (v Value) IsNull() bool { return v.v.kind == kindNull }

// IsObject reports whether v is an object.
func (v Value) IsObject() bool { return v.v.kind == kindObject }

// Fields yields the fields of an object in the order of the document; of anything else, none.
func (v Value) Fields() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for _, m := range v.v.members {
			if !yield(m.name, Value{m.value}) {
				return
			}
		}
	}
}

// Field returns a field of an object; ok is false where there is none. It looks through all
// fields: use Fields for more than a few.
func (v Value) Field(name string) (field Value, ok bool) {
	found := v.v.member(name)
	if found == nil {
		return Value{}, false
	}
	return Value{*found}, true
}

// Items returns the items of an array; ok is false for anything else.
func (v Value) Items() (items []Value, ok bool) {
	items = make([]Value, len(v.v.items))
	for i := range items {
		items[i].v = v.v.items[i]
	}
	return items, v.v.kind == kindArray
}

// Text returns the content of a string; ok is false for anything else.
func (v Value) Text() (text string, ok bool) {
	if v.v.kind != kindString {
		return "", false
	}
	return v.v.text(), true
}

// JSON returns the value without insignificant space, its literals as they were written.
func (v Value) JSON() json.RawMessage {
	if v.v.kind == kindNull {
		return json.RawMessage("null")
	}
	return v.v.appendJSON(nil, math.MaxInt)
}

// Object returns the fields of an object as package json decodes them into a map, with exact
// numbers; ok is false for anything else.
func (v Value) Object() (fields map[string]any, ok bool) {
	fields, ok = v.v.tree(nil).(map[string]any)
	return fields, ok
}

// Decode decodes the value as package json does. Numbers of what has no type stay exact.
func (v Value) Decode(into any) error {
	decoder := json.NewDecoder(bytes.NewReader(v.JSON()))
	decoder.UseNumber()
	return decoder.Decode(into)
}
