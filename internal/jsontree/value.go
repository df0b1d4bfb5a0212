package jsontree

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// Kind is the JSON type of a value.
type Kind uint8

// The kinds.
const (
	Null Kind = iota
	Boolean
	Number
	String
	Array
	Object
	// Raw is JSON that was not parsed and can only be written; see NewRaw.
	Raw
)

// String returns the name of the type in JSON Schema.
func (k Kind) String() string {
	return [...]string{"null", "boolean", "number", "string", "array", "object", "raw"}[k]
}

// Value is a JSON value that keeps its literals, so that the bytes that are passed on are the bytes
// that were checked. The zero value is null. Only Add, AddText and Unescape change a value; the
// other methods are safe for concurrent use.
type Value struct {
	Kind Kind
	// Literal is the source of a scalar, with the quotes of a string.
	Literal string
	Members []Member
	Items   []Value
}

// Member is one field of an object.
type Member struct {
	Name    string // unescaped
	Literal string // as written, with quotes
	Value   Value
}

// Text returns the content of a string. It returns "" for any other value and for nil.
func (v *Value) Text() string {
	if v == nil || v.Kind != String {
		return ""
	}
	return unquote(v.Literal)
}

// Member returns the value of a field, or nil if v has no such field or is nil.
func (v *Value) Member(name string) *Value {
	if v == nil {
		return nil
	}
	for i := range v.Members {
		if v.Members[i].Name == name {
			return &v.Members[i].Value
		}
	}
	return nil
}

// List returns the items of an array. It returns nil for any other value and for nil.
func (v *Value) List() []Value {
	if v == nil {
		return nil
	}
	return v.Items
}

// At returns the value that the tokens of a JSON pointer lead to, or nil.
func (v *Value) At(path []string) *Value {
	for _, token := range path {
		switch v.Kind {
		case Object:
			v = v.Member(token)
		case Array:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v.Items) || strconv.Itoa(i) != token {
				return nil
			}
			v = &v.Items[i]
		default:
			return nil
		}
		if v == nil {
			return nil
		}
	}
	return v
}

// Clone returns a deep copy.
func (v *Value) Clone() Value {
	out := *v
	if v.Members != nil {
		out.Members = make([]Member, len(v.Members))
		for i, m := range v.Members {
			m.Value = m.Value.Clone()
			out.Members[i] = m
		}
	}
	if v.Items != nil {
		out.Items = make([]Value, len(v.Items))
		for i := range v.Items {
			out.Items[i] = v.Items[i].Clone()
		}
	}
	return out
}

// Measure returns the number of values in v, including v, and the depth of their nesting.
func (v *Value) Measure() (values, depth int) {
	values = 1
	if v.Kind == Object || v.Kind == Array {
		depth = 1
	}
	add := func(child *Value) {
		n, d := child.Measure()
		values += n
		depth = max(depth, d+1)
	}
	for i := range v.Members {
		add(&v.Members[i].Value)
	}
	for i := range v.Items {
		add(&v.Items[i])
	}
	return values, depth
}

// AppendJSON appends v as compact JSON. Once buf is longer than limit, AppendJSON stops in the
// middle of the value, so that an excerpt of a large value is cheap.
func (v *Value) AppendJSON(buf []byte, limit int) []byte {
	switch v.Kind {
	case Object:
		buf = append(buf, '{')
		for i := range v.Members {
			if len(buf) > limit {
				return buf
			}
			if i > 0 {
				buf = append(buf, ',')
			}
			buf = append(buf, upTo(v.Members[i].Literal, limit)...)
			buf = append(buf, ':')
			buf = v.Members[i].Value.AppendJSON(buf, limit)
		}
		return append(buf, '}')
	case Array:
		buf = append(buf, '[')
		for i := range v.Items {
			if len(buf) > limit {
				return buf
			}
			if i > 0 {
				buf = append(buf, ',')
			}
			buf = v.Items[i].AppendJSON(buf, limit)
		}
		return append(buf, ']')
	case Null:
		return append(buf, "null"...)
	default:
		return append(buf, upTo(v.Literal, limit)...)
	}
}

// JSON returns v as compact JSON, with its literals unchanged.
func (v *Value) JSON() json.RawMessage { return v.AppendJSON(nil, math.MaxInt) }

func upTo(s string, limit int) string {
	return s[:min(len(s), limit)]
}

// Tree returns the value as [json.Decoder] decodes it with UseNumber. work counts the values; it
// may be nil.
func (v *Value) Tree(work Meter) any {
	if work != nil {
		work.Spend(1)
	}
	switch v.Kind {
	case Object:
		out := make(map[string]any, len(v.Members))
		for i := range v.Members {
			out[v.Members[i].Name] = v.Members[i].Value.Tree(work)
		}
		return out
	case Array:
		out := make([]any, len(v.Items))
		for i := range v.Items {
			out[i] = v.Items[i].Tree(work)
		}
		return out
	case String:
		return v.Text()
	case Number:
		return json.Number(v.Literal)
	case Boolean:
		return v.Literal == "true"
	default:
		return nil
	}
}

// Names returns the names of the members in the order of the document.
func (v *Value) Names() []string {
	if v == nil {
		return nil
	}
	return each.Of(v.Members, func(m Member) string { return m.Name })
}

// IsNull reports whether v is null, or nil.
func (v *Value) IsNull() bool { return v == nil || v.Kind == Null }

// Object returns an object as [json.Decoder] decodes it into a map with UseNumber. ok is false for
// any other value.
func (v *Value) Object() (fields map[string]any, ok bool) {
	fields, ok = v.Tree(nil).(map[string]any)
	return fields, ok
}

// Decode decodes the value as [json.Decoder] does with UseNumber.
func (v *Value) Decode(into any) error {
	decoder := json.NewDecoder(bytes.NewReader(v.JSON()))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// Types returns the set that contains only the type of the value.
func (v *Value) Types() jsontype.Set {
	if v.Kind == Number {
		return NumberType(v.Literal)
	}
	return [...]jsontype.Set{
		Null: jsontype.Null, Boolean: jsontype.Boolean, String: jsontype.String,
		Array: jsontype.Array, Object: jsontype.Object, Raw: 0,
	}[v.Kind]
}

// NumberType returns the type of a number literal: an integer or a fraction.
func NumberType(literal string) jsontype.Set {
	if IsInteger(literal) {
		return jsontype.Integer
	}
	return jsontype.Fraction
}
