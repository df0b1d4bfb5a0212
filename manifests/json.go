package manifests

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strings"
)

// toJSON returns the JSON of a node: keys in the order of the file, numbers with
// every digit that the file has. What JSON cannot say is a fault at its place.
func (c *checker) toJSON(at place, n *node) (json.RawMessage, bool) {
	var b bytes.Buffer
	ok := c.writeJSON(&b, at, n)
	return b.Bytes(), ok
}

func (c *checker) writeJSON(b *bytes.Buffer, at place, n *node) bool {
	switch n.kind {
	case kindTable:
		ok := true
		b.WriteByte('{')
		for i, m := range n.members {
			if i > 0 {
				b.WriteByte(',')
			}
			writeString(b, m.name)
			b.WriteByte(':')
			ok = c.writeJSON(b, at.member(m.name, m.value.offset), m.value) && ok
		}
		b.WriteByte('}')
		return ok
	case kindList:
		ok := true
		b.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				b.WriteByte(',')
			}
			ok = c.writeJSON(b, at.item(i, item.offset), item) && ok
		}
		b.WriteByte(']')
		return ok
	case kindString:
		writeString(b, n.text)
	case kindBoolean:
		b.WriteString(n.text)
	case kindInteger, kindFloat:
		number, ok := jsonNumber(n.text)
		if !ok {
			c.fault(at, "JSON has no %s; leave the key out or write a number", n.text)
			return false
		}
		b.WriteString(number)
	default:
		c.fault(at, "JSON has no dates and times; write a string: %s", quote(n.text))
		return false
	}
	return true
}

// jsonNumber returns the JSON of a TOML number, exactly. It returns false for the
// infinities and for what is not a number.
func jsonNumber(literal string) (string, bool) {
	literal = strings.ReplaceAll(literal, "_", "")
	// Base 0 reads TOML's prefixes; a decimal of TOML has no leading zero that it
	// could take for an octal.
	if n, ok := new(big.Int).SetString(literal, 0); ok {
		return n.String(), true
	}
	literal = strings.TrimPrefix(literal, "+")
	return literal, json.Valid([]byte(literal))
}

// writeString writes a JSON string without the escapes that are meant for HTML.
func writeString(b *bytes.Buffer, text string) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	// A string always encodes, and a buffer takes all that is written.
	_ = e.Encode(text)
	b.Truncate(b.Len() - 1)
}
