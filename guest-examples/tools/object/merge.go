package object

import (
	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
	"github.com/wasmtool/wasmtool/guest-examples/internal/valuetool"
)

// merge adds the members of Other to the object. A member of Other replaces a member of the same
// name.
func merge(c call) (jsonvalue.Value, error) {
	return c.mergeBy(func(_, v jsonvalue.Value) jsonvalue.Value { return v })
}

// deepMerge is like merge, but if both members of the same name are objects, it merges them. It
// replaces arrays, because there is no common rule for merging arrays.
func deepMerge(c call) (jsonvalue.Value, error) { return c.mergeBy(deep) }

func (c call) mergeBy(join func(old, v jsonvalue.Value) jsonvalue.Value) (jsonvalue.Value, error) {
	if err := valuetool.Expect("other", c.Other, jsonvalue.Object); err != nil {
		return jsonvalue.Value{}, err
	}
	return merged(c.object, c.Other, join), nil
}

func merged(a, b jsonvalue.Value, join func(old, v jsonvalue.Value) jsonvalue.Value) jsonvalue.Value {
	members := a.Members().Clone()
	for name, v := range b.Members().All() {
		if old, ok := members.Get(name); ok {
			v = join(old, v)
		}
		members.Set(name, v)
	}
	return jsonvalue.NewObject(members)
}

func deep(old, v jsonvalue.Value) jsonvalue.Value {
	if old.Kind() != jsonvalue.Object || v.Kind() != jsonvalue.Object {
		return v
	}
	return merged(old, v, deep)
}
