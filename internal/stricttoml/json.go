package stricttoml

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strings"

	"github.com/wasmtool/wasmtool/internal/plainjson"
)

// JSON returns the JSON of a node: keys in the order of the file, numbers with
// every digit that the file has. What JSON cannot say is a fault at its place.
func (c *Checker) JSON(at Place, n *Node) (json.RawMessage, bool) {
	var b bytes.Buffer
	ok := c.writeJSON(&b, at, n)
	return b.Bytes(), ok
}

func (c *Checker) writeJSON(b *bytes.Buffer, at Place, n *Node) bool {
	switch n.Kind {
	case KindTable:
		ok := true
		b.WriteByte('{')
		for i, m := range n.Members {
			if i > 0 {
				b.WriteByte(',')
			}
			b.Write(plainjson.String(m.Name))
			b.WriteByte(':')
			ok = c.writeJSON(b, at.Member(m.Name, m.Value.Offset), m.Value) && ok
		}
		b.WriteByte('}')
		return ok
	case KindList:
		ok := true
		b.WriteByte('[')
		for i, item := range n.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			ok = c.writeJSON(b, at.Item(i, item.Offset), item) && ok
		}
		b.WriteByte(']')
		return ok
	case KindString:
		b.Write(plainjson.String(n.Text))
	case KindBoolean:
		b.WriteString(n.Text)
	case KindInteger, KindFloat:
		number, ok := Number(n.Text)
		if !ok {
			c.Fault(at, "JSON has no %s; leave the key out or write a number", n.Text)
			return false
		}
		b.WriteString(number)
	default:
		c.Fault(at, "JSON has no dates and times; write a string: %s", Quote(n.Text))
		return false
	}
	return true
}

// Number returns the JSON of the literal of a TOML number, exactly. It returns false for the
// infinities and for what is not a number.
func Number(literal string) (string, bool) {
	literal = strings.ReplaceAll(literal, "_", "")
	// Base 0 reads TOML's prefixes; a decimal of TOML has no leading zero that it
	// could take for an octal.
	if n, ok := new(big.Int).SetString(literal, 0); ok {
		return n.String(), true
	}
	literal = strings.TrimPrefix(literal, "+")
	return literal, json.Valid([]byte(literal))
}
