package json

import (
	"fmt"
	"maps"
	"slices"

	"github.com/itchyny/gojq"

	"github.com/wasmtool/wasmtool/guest-examples/internal/tree"
)

var errTooMuch = fmt.Errorf("query: the results are larger than %d bytes; query for less", MaxOutput)

// collector turns results of gojq into trees. A small result may refer to the
// same list over and over, so it counts what it writes out.
type collector struct {
	left int // how many bytes more there may be, at the least that each value takes
}

func (c *collector) value(found any, depth int) (tree.Value, error) {
	if c.left -= 2; c.left < 0 { // a digit and a comma
		return tree.Value{}, errTooMuch
	}
	if depth > tree.MaxDepth {
		return tree.Value{}, fmt.Errorf("query: in the result, %w", tree.ErrDepth)
	}
	switch found := found.(type) {
	case nil:
		return tree.Value{}, nil
	case bool:
		return tree.Value{Kind: tree.Bool, Text: fmt.Sprint(found)}, nil
	case string:
		c.left -= len(found)
		return tree.Text(found), nil
	case []any:
		return c.list(found, depth)
	case map[string]any:
		return c.object(found, depth)
	}
	// A number; what is not a number becomes null.
	text, err := gojq.Marshal(found)
	if err != nil {
		return tree.Value{}, fmt.Errorf("query: %w", err)
	}
	c.left -= len(text)
	return tree.Value{Kind: tree.Number, Text: string(text)}, nil
}

func (c *collector) list(found []any, depth int) (tree.Value, error) {
	list := tree.Value{Kind: tree.List}
	for _, item := range found {
		value, err := c.value(item, depth+1)
		if err != nil {
			return tree.Value{}, err
		}
		list.Items = append(list.Items, value)
	}
	return list, nil
}

func (c *collector) object(found map[string]any, depth int) (tree.Value, error) {
	object := tree.Value{Kind: tree.Object}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		c.left -= len(name) + 3
		value, err := c.value(found[name], depth+1)
		if err != nil {
			return tree.Value{}, err
		}
		object.Members = append(object.Members, tree.Member{Name: name, Value: value})
	}
	return object, nil
}
