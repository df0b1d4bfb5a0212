package jsonvalue

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Compare returns -1, 0 or 1. Values of different kinds have the order of their kinds. Numbers
// compare exactly by value, strings by bytes, arrays item by item. Objects compare by their
// sorted names, then by their values in that order.
func (v Value) Compare(other Value) int {
	if c := cmp.Compare(v.kind, other.kind); c != 0 {
		return c
	}
	switch v.kind {
	case Number:
		return v.decimal().compare(other.decimal())
	case Array:
		return slices.CompareFunc(v.items, other.items, Value.Compare)
	case Object:
		names, otherNames := v.sortedNames(), other.sortedNames()
		if c := slices.Compare(names, otherNames); c != 0 {
			return c
		}
		for _, name := range names {
			a, _ := v.members.Get(name)
			b, _ := other.members.Get(name)
			if c := a.Compare(b); c != 0 {
				return c
			}
		}
		return 0
	default:
		return strings.Compare(v.text, other.text) // "false" comes before "true"
	}
}

// Order returns the positions of the values in ascending or descending order. The order is
// stable.
func Order(values []Value, descending bool) []int {
	places := make([]int, len(values))
	// computed once, because a sort compares each value many times
	decimals := make([]decimal, len(values))
	for i, v := range values {
		if places[i] = i; v.kind == Number {
			decimals[i] = v.decimal()
		}
	}
	sign := 1
	if descending {
		sign = -1
	}
	slices.SortFunc(places, func(a, b int) int {
		if values[a].kind == Number && values[b].kind == Number {
			return cmp.Or(sign*decimals[a].compare(decimals[b]), a-b)
		}
		return cmp.Or(sign*values[a].Compare(values[b]), a-b)
	})
	return places
}

// Key returns a string that only equal values share: 1.0 and 1 are equal, and so are objects that
// differ only in the order of their members.
func (v Value) Key() string { return string(v.appendKey(nil)) }

func (v Value) appendKey(key []byte) []byte {
	switch v.kind {
	case Number:
		d := v.decimal()
		if d.negative {
			key = append(key, '-')
		}
		key = append(append(append(key, d.whole...), d.fraction...), 'e')
		return strconv.AppendInt(key, d.exponent, 10)
	case Array:
		key = append(key, '[')
		for _, item := range v.items {
			key = append(item.appendKey(key), ',')
		}
		return append(key, ']')
	case Object:
		key = append(key, '{')
		for _, name := range v.sortedNames() {
			member, _ := v.members.Get(name)
			key = append(member.appendKey(append(strconv.AppendQuote(key, name), ':')), ',')
		}
		return append(key, '}')
	case String:
		return strconv.AppendQuote(key, v.text)
	default:
		return append(append(key, v.kind.String()...), v.text...)
	}
}

func (v Value) sortedNames() []string {
	names := make([]string, 0, v.Members().Len())
	for name := range v.Members().All() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
