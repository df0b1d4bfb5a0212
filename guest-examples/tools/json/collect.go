package json

import (
	"fmt"
	"maps"
	"slices"

	"github.com/itchyny/gojq"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
)

var errTooMuch = fmt.Errorf("query: the results are larger than the limit of %d bytes; query for less", MaxOutput)

// collector converts results of gojq to values. It counts the bytes of the JSON of the results,
// because a small result may refer to the same list many times.
type collector struct {
	left int // bytes that the results may still have; each value counts as at least 2
}

func (c *collector) value(found any, depth int) (jsonvalue.Value, error) {
	if c.left -= 2; c.left < 0 { // a digit and a comma
		return jsonvalue.Value{}, errTooMuch
	}
	if depth > jsonvalue.MaxDepth {
		return jsonvalue.Value{}, fmt.Errorf("query: in the result, %w", jsonvalue.ErrDepth)
	}
	switch found := found.(type) {
	case nil:
		return jsonvalue.NewNull(), nil
	case bool:
		return jsonvalue.NewBool(found), nil
	case string:
		c.left -= len(found)
		return jsonvalue.NewString(found), nil
	case []any:
		return c.list(found, depth)
	case map[string]any:
		return c.object(found, depth)
	}
	// The result is a number; NaN and infinities become null.
	text, err := gojq.Marshal(found)
	if err != nil {
		return jsonvalue.Value{}, fmt.Errorf("query: %w", err)
	}
	c.left -= len(text)
	return jsonvalue.NewNumber(string(text)), nil
}

func (c *collector) list(found []any, depth int) (jsonvalue.Value, error) {
	items := make([]jsonvalue.Value, 0, len(found))
	for _, item := range found {
		value, err := c.value(item, depth+1)
		if err != nil {
			return jsonvalue.Value{}, err
		}
		items = append(items, value)
	}
	return jsonvalue.NewArray(items), nil
}

func (c *collector) object(found map[string]any, depth int) (jsonvalue.Value, error) {
	members := &jsonvalue.Members{}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		c.left -= len(name) + 3
		value, err := c.value(found[name], depth+1)
		if err != nil {
			return jsonvalue.Value{}, err
		}
		members.Set(name, value)
	}
	return jsonvalue.NewObject(members), nil
}
