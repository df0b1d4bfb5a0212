package jsonvalue

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Compare returns -1, 0 or 1. Values of different kinds have the order of the
// kinds; numbers are compared by value, exactly, texts by their bytes, arrays
// item by item, and objects by their sorted names and then by their values in
// that order.
func (v Value) Compare(other Value) int {
	if c := cmp.Compare(v.kind, other.kind); c != 0 {
		return c
	}
	switch v.kind {
	case Number:
		return v.number.compare(*other.number)
	case Array:
		return slices.CompareFunc(v.items, other.items, Value.Compare)
	case Object:
		names, otherNames := v.sortedNames(), other.sortedNames()
		if c := slices.Compare(names, otherNames); c != 0 {
			return c
		}
		for _, name := range names {
			if c := v.members.values[name].Compare(other.members.values[name]); c != 0 {
				return c
			}
		}
		return 0
	default:
		return strings.Compare(v.text, other.text) // "false" comes before "true"
	}
}

// Key returns a text that only equal values share: 1.0 and 1 are equal, and so
// are objects that differ in the order of their members.
func (v Value) Key() string {
	var b strings.Builder
	v.writeKey(&b)
	return b.String()
}

func (v Value) writeKey(b *strings.Builder) {
	switch v.kind {
	case Number:
		d := v.number
		fmt.Fprintf(b, "%t %s e%d", d.negative, d.digits, d.exponent)
	case Array:
		b.WriteByte('[')
		for _, item := range v.items {
			item.writeKey(b)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case Object:
		b.WriteByte('{')
		for _, name := range v.sortedNames() {
			fmt.Fprintf(b, "%q:", name)
			v.members.values[name].writeKey(b)
			b.WriteByte(',')
		}
		b.WriteByte('}')
	case String:
		fmt.Fprintf(b, "%q", v.text)
	default:
		fmt.Fprintf(b, "%v%s", v.kind, v.text)
	}
}

func (v Value) sortedNames() []string {
	return slices.Sorted(maps.Keys(v.Members().values))
}
