package array

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
	"github.com/wasmtool/wasmtool/guest-examples/internal/text"
	"github.com/wasmtool/wasmtool/guest-examples/internal/valuetool"
)

// Comparison names a comparison of the value at the path with Value, for filter.
type Comparison string

// The comparisons. Values of the same type have the order of jsonvalue.Value.Compare. A value is
// neither less nor greater than a value of another type.
const (
	Equal          Comparison = "eq"
	NotEqual       Comparison = "ne"
	Less           Comparison = "lt"
	LessOrEqual    Comparison = "le"
	Greater        Comparison = "gt"
	GreaterOrEqual Comparison = "ge"
	In             Comparison = "in" // Value is an array that contains the value at the path
	// the value at the path contains Value as a substring or an item
	Contains Comparison = "contains"
	// Value is a regular expression that the value at the path matches
	Matches Comparison = "matches"
	Exists  Comparison = "exists" // the item has a value at the path, which may be null
	Missing Comparison = "missing"
)

func filter(c call) (jsonvalue.Value, error) {
	keep, err := c.predicate()
	if err != nil {
		return jsonvalue.Value{}, err
	}
	return kept(c.items, func(item jsonvalue.Value) bool { return keep(item.Get(c.path)) }), nil
}

// predicate returns a function that reports whether to keep an item. The function gets the value at
// the path, and whether the item has such a value.
func (c call) predicate() (func(jsonvalue.Value, bool) bool, error) {
	switch c.Compare {
	case Exists:
		return func(_ jsonvalue.Value, ok bool) bool { return ok }, nil
	case Missing:
		return func(_ jsonvalue.Value, ok bool) bool { return !ok }, nil
	}
	want, err := c.wanted()
	if err != nil {
		return nil, err
	}
	equal := func(v jsonvalue.Value) bool { return v.Compare(want) == 0 }
	switch c.Compare {
	case Equal, "":
		return func(v jsonvalue.Value, ok bool) bool { return ok && equal(v) }, nil
	case NotEqual:
		return func(v jsonvalue.Value, ok bool) bool { return !ok || !equal(v) }, nil
	case Less:
		return ordered(want, func(sign int) bool { return sign < 0 }), nil
	case LessOrEqual:
		return ordered(want, func(sign int) bool { return sign <= 0 }), nil
	case Greater:
		return ordered(want, func(sign int) bool { return sign > 0 }), nil
	case GreaterOrEqual:
		return ordered(want, func(sign int) bool { return sign >= 0 }), nil
	case In:
		return in(want)
	case Contains:
		return func(v jsonvalue.Value, _ bool) bool {
			part := v.Kind() == jsonvalue.String && want.Kind() == jsonvalue.String && strings.Contains(v.Text(), want.Text())
			return part || slices.ContainsFunc(v.Items(), equal)
		}, nil
	case Matches:
		return matching(want)
	}
	return nil, fmt.Errorf(`the argument "compare" is %q; it must be eq, ne, lt, le, gt, ge, in, contains, matches, exists or missing`, c.Compare)
}

func ordered(want jsonvalue.Value, fits func(sign int) bool) func(jsonvalue.Value, bool) bool {
	return func(v jsonvalue.Value, _ bool) bool { return v.Kind() == want.Kind() && fits(v.Compare(want)) }
}

func in(want jsonvalue.Value) (func(jsonvalue.Value, bool) bool, error) {
	if err := valuetool.Expect("value", want, jsonvalue.Array); err != nil {
		return nil, err
	}
	values := set{}
	for _, v := range want.Items() {
		values.add(v)
	}
	return func(v jsonvalue.Value, ok bool) bool { return ok && values.has(v) }, nil
}

func matching(want jsonvalue.Value) (func(jsonvalue.Value, bool) bool, error) {
	if want.Kind() != jsonvalue.String {
		return nil, fmt.Errorf(`the argument "value" is of type %v; for matches it must be a string with a regular expression`, want.Kind())
	}
	re, err := text.Regexp("value", want.Text())
	if err != nil {
		return nil, err
	}
	return func(v jsonvalue.Value, _ bool) bool {
		return v.Kind() == jsonvalue.String && re.Match([]byte(v.Text()))
	}, nil
}

// pluck returns the value at the path of each item.
func pluck(c call) (jsonvalue.Value, error) {
	if len(c.path) == 0 {
		return jsonvalue.Value{}, errors.New(`the argument "path" is missing; give the path of the value to return from each item`)
	}
	items := make([]jsonvalue.Value, len(c.items))
	for i, item := range c.items {
		items[i] = c.at(item)
	}
	return jsonvalue.NewArray(items), nil
}

func length(c call) (jsonvalue.Value, error) { return jsonvalue.NewInt(int64(len(c.items))), nil }

func contains(c call) (jsonvalue.Value, error) {
	at, err := c.find()
	return jsonvalue.NewBool(at >= 0), err
}

func indexOf(c call) (jsonvalue.Value, error) {
	at, err := c.find()
	return jsonvalue.NewInt(int64(at)), err
}

// find returns the position of the first item that equals Value, or -1.
func (c call) find() (int, error) {
	want, err := c.wanted()
	return slices.IndexFunc(c.items, func(item jsonvalue.Value) bool { return c.at(item).Compare(want) == 0 }), err
}
