package array

import (
	"slices"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
)

// set is a set of values, identified by their keys.
type set map[string]struct{}

// add adds a value to the set, and reports whether the value is new.
func (s set) add(v jsonvalue.Value) bool {
	key := v.Key()
	_, ok := s[key]
	s[key] = struct{}{}
	return !ok
}

func (s set) has(v jsonvalue.Value) bool {
	_, ok := s[v.Key()]
	return ok
}

// kept returns the items for which the function keep returns true.
func kept(items []jsonvalue.Value, keep func(jsonvalue.Value) bool) jsonvalue.Value {
	result := []jsonvalue.Value{}
	for _, item := range items {
		if keep(item) {
			result = append(result, item)
		}
	}
	return jsonvalue.NewArray(result)
}

// unique removes duplicates and keeps the first of several equal items.
func (c call) unique(items []jsonvalue.Value) jsonvalue.Value {
	seen := set{}
	return kept(items, func(item jsonvalue.Value) bool { return seen.add(c.at(item)) })
}

func unique(c call) (jsonvalue.Value, error) { return c.unique(c.items), nil }

func concat(c call) (jsonvalue.Value, error) {
	other, err := c.second()
	return jsonvalue.NewArray(slices.Concat(c.items, other)), err
}

func union(c call) (jsonvalue.Value, error) {
	other, err := c.second()
	return c.unique(slices.Concat(c.items, other)), err
}

func intersect(c call) (jsonvalue.Value, error) { return c.inOther(true) }

func difference(c call) (jsonvalue.Value, error) { return c.inOther(false) }

// inOther returns the items that equal an item of Other if want is true, and the items that equal
// no item of Other if want is false. It drops duplicates.
func (c call) inOther(want bool) (jsonvalue.Value, error) {
	other, err := c.second()
	there, seen := set{}, set{}
	for _, item := range other {
		there.add(c.at(item))
	}
	return kept(c.items, func(item jsonvalue.Value) bool {
		v := c.at(item)
		return there.has(v) == want && seen.add(v)
	}), err
}

// zip pairs each item with the item of Other at the same index. It drops the surplus items of the
// longer array.
func zip(c call) (jsonvalue.Value, error) {
	other, err := c.second()
	pairs := make([]jsonvalue.Value, min(len(c.items), len(other)))
	for i := range pairs {
		pairs[i] = jsonvalue.NewArray([]jsonvalue.Value{c.items[i], other[i]})
	}
	return jsonvalue.NewArray(pairs), err
}
