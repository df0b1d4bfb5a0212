package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/wasmtool/wasmtool/internal/plainjson"
)

// A JSON value is an *object, a []any, a bool, or a json.RawMessage, which holds a scalar where
// it was decoded. Objects keep the order of their members, since models fill in parameters in
// the order in which a schema names them, and scalars keep their literals.

// object is a JSON object. The zero value is empty.
type object struct{ members []member }

type member struct {
	name  string
	value any
}

// get returns a member's value, or nil.
func (o *object) get(name string) any {
	for _, m := range o.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// add appends a member; the name is new.
func (o *object) add(name string, value any) *object {
	o.members = append(o.members, member{name, value})
	return o
}

// addText appends a text unless it is empty.
func (o *object) addText(name, text string) *object {
	if text == "" {
		return o
	}
	return o.add(name, literal(text))
}

// literal returns a text as JSON, with no more escapes than JSON asks for.
func literal(text string) json.RawMessage {
	raw, _ := encode(text) // a text always has a JSON form
	return raw
}

// literalNull is the JSON null.
func literalNull() json.RawMessage { return json.RawMessage("null") }

// encode returns a value as JSON. Literals stay as they are; nothing is escaped but what JSON
// asks for.
func encode(v any) (json.RawMessage, error) { return appendJSON(nil, v) }

func appendJSON(b []byte, v any) ([]byte, error) {
	var err error
	switch v := v.(type) {
	case *object:
		b = append(b, '{')
		for i, m := range v.members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(append(b, literal(m.name)...), ':')
			if b, err = appendJSON(b, m.value); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = appendJSON(b, item); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case json.RawMessage:
		return append(b, v...), nil
	}
	text, err := plainjson.Encode(v)
	return append(b, text...), err
}

// list returns values as a JSON array, which is never null.
func list[T any](values []T) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

// texts returns texts as a JSON array.
func texts(values []string) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = literal(v)
	}
	return out
}

// decode reads a JSON text that was checked before: how deeply it nests is bounded.
func decode(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v, err := decodeValue(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more than one JSON value")
	}
	return v, nil
}

func decodeValue(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return encode(token)
	}
	if delim == '[' {
		items := []any{}
		for d.More() {
			item, err := decodeValue(d)
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		_, err := d.Token()
		return items, err
	}
	o := &object{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		value, err := decodeValue(d)
		if err != nil {
			return nil, err
		}
		o.add(name.(string), value)
	}
	_, err = d.Token()
	return o, err
}

// kindOf returns the JSON type of a value, as JSON Schema names it; "number" for integers
// too.
func kindOf(v any) string {
	switch v := v.(type) {
	case *object:
		return "object"
	case []any:
		return "array"
	case json.RawMessage:
		switch v[0] {
		case '"':
			return "string"
		case 't', 'f':
			return "boolean"
		case 'n':
			return "null"
		}
	}
	return "number"
}

// textOf returns the content of a JSON string; empty for anything else.
func textOf(v any) string {
	raw, ok := v.(json.RawMessage)
	if !ok || raw[0] != '"' {
		return ""
	}
	var s string
	_ = json.Unmarshal(raw, &s) // it is a string
	return s
}

// isTrue reports whether a value is the JSON true.
func isTrue(v any) bool {
	raw, ok := v.(json.RawMessage)
	return ok && string(raw) == "true"
}

// isFalse reports whether a value is the JSON false.
func isFalse(v any) bool {
	raw, ok := v.(json.RawMessage)
	return ok && string(raw) == "false"
}

// show returns a value as JSON for a message, cut where it is long.
func show(v any) string {
	const most = 80
	raw, err := encode(v)
	if err != nil {
		return ""
	}
	if runes := []rune(string(raw)); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return string(raw)
}
