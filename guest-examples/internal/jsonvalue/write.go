package jsonvalue

import (
	"bytes"
	"encoding/json"
	"strings"
)

// String returns the value as JSON on one line, with a space after commas and
// colons. An absent value is null.
func (v Value) String() string {
	var b strings.Builder
	v.write(&b)
	return b.String()
}

func (v Value) write(b *strings.Builder) {
	switch v.kind {
	case Bool, Number:
		b.WriteString(v.text)
	case String:
		writeString(b, v.text)
	case Array:
		b.WriteByte('[')
		for i, item := range v.items {
			if i > 0 {
				b.WriteString(", ")
			}
			item.write(b)
		}
		b.WriteByte(']')
	case Object:
		b.WriteByte('{')
		first := true
		for name, member := range v.Members().All() {
			if !first {
				b.WriteString(", ")
			}
			first = false
			writeString(b, name)
			b.WriteString(": ")
			member.write(b)
		}
		b.WriteByte('}')
	default:
		b.WriteString("null")
	}
}

// writeString writes a JSON string in which < and & stay readable.
func writeString(b *strings.Builder, s string) {
	var quoted bytes.Buffer
	e := json.NewEncoder(&quoted)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err == nil { // a string always has a form
		b.Write(bytes.TrimSuffix(quoted.Bytes(), []byte("\n")))
	}
}
