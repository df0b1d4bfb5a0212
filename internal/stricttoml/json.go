package stricttoml

import (
	"encoding/json"
	"math/big"
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// JSON returns the JSON of a node: keys in the order of the file, numbers with
// every digit that the file has. What JSON cannot say is a fault at its place.
func (c *Checker) JSON(at Place, n *Node) (json.RawMessage, bool) {
	v, ok := c.tree(at, n)
	return v.JSON(), ok
}

func (c *Checker) tree(at Place, n *Node) (v *jsontree.Value, ok bool) {
	switch n.Kind {
	case KindTable:
		v, ok = jsontree.NewObject(), true
		for _, m := range n.Members {
			value, fine := c.tree(at.Member(m.Name, m.Value.Offset), m.Value)
			v.Add(m.Name, value)
			ok = ok && fine
		}
		return v, ok
	case KindList:
		v, ok = jsontree.NewArray(), true
		for i, item := range n.Items {
			value, fine := c.tree(at.Item(i, item.Offset), item)
			v.Items = append(v.Items, *value)
			ok = ok && fine
		}
		return v, ok
	case KindString:
		return jsontree.NewString(n.Text), true
	case KindBoolean:
		return jsontree.NewRaw([]byte(n.Text)), true
	case KindInteger, KindFloat:
		number, ok := Number(n.Text)
		if !ok {
			c.Fault(at, "JSON has no %s; leave the key out or write a number", n.Text)
		}
		return jsontree.NewRaw([]byte(number)), ok
	}
	c.Fault(at, "JSON has no dates and times; write a string: %s", Quote(n.Text))
	return new(jsontree.Value), false
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
