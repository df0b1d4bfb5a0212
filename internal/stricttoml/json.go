package stricttoml

import (
	"encoding/json"
	"math/big"
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// JSON returns the JSON of a node, with keys in the order of the file and with every digit of its
// numbers. It records an error for each value that JSON cannot represent, and then returns false.
func (c *Checker) JSON(at Place, n *Node) (json.RawMessage, bool) {
	v, ok := c.tree(at, n)
	return v.JSON(), ok
}

func (c *Checker) tree(at Place, n *Node) (v *jsontree.Value, ok bool) {
	switch n.Kind {
	case KindTable:
		v, ok = jsontree.NewObject(), true
		for _, m := range n.Members {
			value, valid := c.tree(at.Member(m.Name, m.Value.Offset), m.Value)
			v.Add(m.Name, value)
			ok = ok && valid
		}
		return v, ok
	case KindList:
		v, ok = jsontree.NewArray(), true
		for i, item := range n.Items {
			value, valid := c.tree(at.Item(i, item.Offset), item)
			v.Items = append(v.Items, *value)
			ok = ok && valid
		}
		return v, ok
	case KindString:
		return jsontree.NewString(n.Text), true
	case KindBoolean:
		return jsontree.NewRaw([]byte(n.Text)), true
	case KindInteger, KindFloat:
		number, ok := Number(n.Text)
		if !ok {
			c.Errorf(at, "JSON has no %s; leave the key out or write a number", n.Text)
		}
		return jsontree.NewRaw([]byte(number)), ok
	}
	c.Errorf(at, "JSON has no dates and times; write a string: %s", Quote(n.Text))
	return new(jsontree.Value), false
}

// Number converts the literal of a TOML number to JSON without loss. It returns false for
// infinities, NaN, and literals of other types.
func Number(literal string) (string, bool) {
	literal = strings.ReplaceAll(literal, "_", "")
	// Base 0 reads the prefixes of TOML. It never reads a decimal number as octal, because decimal
	// numbers of TOML have no leading zero.
	if n, ok := new(big.Int).SetString(literal, 0); ok {
		return n.String(), true
	}
	literal = strings.TrimPrefix(literal, "+")
	return literal, json.Valid([]byte(literal))
}
