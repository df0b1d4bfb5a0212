package array

import (
	"errors"
	"fmt"
	"slices"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
)

// maxRange limits the numbers that range returns.
const maxRange = 100_000

// sorted returns the items sorted by their values. The sort is stable.
func sorted(c call) (jsonvalue.Value, error) {
	keys, items := make([]jsonvalue.Value, len(c.items)), make([]jsonvalue.Value, len(c.items))
	for i, item := range c.items {
		keys[i] = c.at(item)
	}
	for i, place := range jsonvalue.Order(keys, c.Descending) {
		items[i] = c.items[place]
	}
	return jsonvalue.NewArray(items), nil
}

func reverse(c call) (jsonvalue.Value, error) {
	items := slices.Clone(c.items)
	slices.Reverse(items)
	return jsonvalue.NewArray(items), nil
}

func slice(c call) (jsonvalue.Value, error) {
	start, end := toolabi.Place(c.Start, len(c.items)), len(c.items)
	if c.End != nil {
		end = toolabi.Place(*c.End, len(c.items))
	}
	return jsonvalue.NewArray(c.items[start:max(start, end)]), nil
}

func first(c call) (jsonvalue.Value, error) {
	if c.Count == nil && len(c.items) > 0 {
		return c.items[0], nil
	}
	n, err := c.some()
	return jsonvalue.NewArray(c.items[:n]), err
}

func last(c call) (jsonvalue.Value, error) {
	if c.Count == nil && len(c.items) > 0 {
		return c.items[len(c.items)-1], nil
	}
	n, err := c.some()
	return jsonvalue.NewArray(c.items[len(c.items)-n:]), err
}

// some returns the number of items to return: Count, but at most the number of items.
func (c call) some() (int, error) {
	if c.Count == nil {
		return 0, errNoItems
	}
	if *c.Count < 0 {
		return 0, fmt.Errorf(`the argument "count" is %d; it must be at least 0`, *c.Count)
	}
	return int(min(*c.Count, toolabi.Int(len(c.items)))), nil
}

func chunk(c call) (jsonvalue.Value, error) {
	if c.Count == nil || *c.Count < 1 {
		return jsonvalue.Value{}, errors.New(`the argument "count" must be at least 1, because it is the number of items in a chunk`)
	}
	size := int(min(*c.Count, toolabi.Int(max(len(c.items), 1))))
	chunks := []jsonvalue.Value{}
	for items := range slices.Chunk(c.items, size) {
		chunks = append(chunks, jsonvalue.NewArray(items))
	}
	return jsonvalue.NewArray(chunks), nil
}

func flatten(c call) (jsonvalue.Value, error) {
	depth := toolabi.Int(1)
	if c.Depth != nil {
		depth = *c.Depth
	}
	if depth < 1 {
		return jsonvalue.Value{}, fmt.Errorf(`the argument "depth" is %d; it must be at least 1`, depth)
	}
	return jsonvalue.NewArray(appendFlat([]jsonvalue.Value{}, c.items, depth)), nil
}

func appendFlat(flat, items []jsonvalue.Value, depth toolabi.Int) []jsonvalue.Value {
	for _, item := range items {
		if item.Kind() == jsonvalue.Array && depth > 0 {
			flat = appendFlat(flat, item.Items(), depth-1)
			continue
		}
		flat = append(flat, item)
	}
	return flat
}

// numbers returns the numbers from the argument start up to, but not including, the argument end.
// The argument step is the difference between two numbers.
func numbers(c call) (jsonvalue.Value, error) {
	step := toolabi.Int(1)
	if c.Step != nil {
		step = *c.Step
	}
	const limit = 1 << 53 // above it many JSON decoders lose digits
	switch {
	case c.End == nil:
		return jsonvalue.Value{}, errors.New(`the argument "end" is missing; give the number before which the range ends`)
	case step == 0:
		return jsonvalue.Value{}, errors.New(`the argument "step" is 0; it must be positive or negative`)
	case max(c.Start, *c.End, step) > limit || min(c.Start, *c.End, step) < -limit:
		return jsonvalue.Value{}, errors.New("start, end and step must be from -2^53 to 2^53")
	case (*c.End-c.Start)/step > maxRange:
		return jsonvalue.Value{}, fmt.Errorf("the range has more than %d numbers", maxRange)
	}
	items := []jsonvalue.Value{}
	for n := c.Start; step > 0 && n < *c.End || step < 0 && n > *c.End; n += step {
		items = append(items, jsonvalue.NewInt(int64(n)))
	}
	return jsonvalue.NewArray(items), nil
}
