package object

import (
	"errors"
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
	"github.com/wasmtool/wasmtool/guest-examples/internal/text"
	"github.com/wasmtool/wasmtool/guest-examples/internal/valuetool"
)

// get returns the value at the path. Its error names the longest part of the path that exists.
func get(c call) (jsonvalue.Value, error) {
	v, ok := c.object.Get(c.path)
	if !ok {
		return jsonvalue.Value{}, missing(c.object, c.path)
	}
	return v, nil
}

// missing returns an error that names the longest part of path that exists in v.
func missing(v jsonvalue.Value, path jsonvalue.Path) error {
	depth := 0
	for next, ok := v.Get(path[:1]); ok; next, ok = v.Get(path[depth : depth+1]) {
		v = next
		depth++
	}
	where := "the object"
	if depth > 0 {
		where = fmt.Sprintf("the %v at %.200q", v.Kind(), path[:depth])
	}
	switch v.Kind() {
	case jsonvalue.Object:
		return fmt.Errorf("%s has no %.200q%s", where, path[depth], suggestion(v, path[depth]))
	case jsonvalue.Array:
		return fmt.Errorf("%s has %d items, but no item %.200q", where, len(v.Items()), path[depth])
	default:
		return fmt.Errorf("%s has no members; only objects and arrays have", where)
	}
}

// maxListed limits the number of names in an error.
const maxListed = 20

// suggestion returns advice about the missing name: a similar name of a member of v, or the names
// of all members.
func suggestion(v jsonvalue.Value, name string) string {
	const maxCompared, maxDistance = 1000, 2
	var all []string
	for other := range v.Members().All() {
		if len(all) == maxCompared {
			break
		}
		all = append(all, other)
		if len(name) <= 100 && len(other) <= 100 && text.Distance(name, other) <= maxDistance {
			return fmt.Sprintf("; did you mean %q?", other)
		}
	}
	switch {
	case len(all) == 0:
		return "; it is empty"
	case len(all) > maxListed:
		return fmt.Sprintf("; it has %d other names; list them with the operation keys", v.Members().Len())
	}
	return fmt.Sprintf("; it has %.1000s", strings.Join(all, ", "))
}

func set(c call) (jsonvalue.Value, error) {
	if len(c.path) == 0 {
		return jsonvalue.Value{}, errNoPath
	}
	if c.Value.Kind() == jsonvalue.Absent {
		return jsonvalue.Value{}, errors.New(`the argument "value" is missing; give the new value, which may be null`)
	}
	return c.object.With(c.path, c.Value)
}

func remove(c call) (jsonvalue.Value, error) {
	if len(c.path) == 0 {
		return jsonvalue.Value{}, errNoPath
	}
	v, ok := c.object.Without(c.path)
	if !ok {
		return jsonvalue.Value{}, missing(c.object, c.path)
	}
	return v, nil
}

func has(c call) (jsonvalue.Value, error) {
	if len(c.path) == 0 {
		return jsonvalue.Value{}, errNoPath
	}
	_, ok := c.object.Get(c.path)
	return jsonvalue.NewBool(ok), nil
}

// members returns the members of the object at the path.
func (c call) members() (*jsonvalue.Members, error) {
	v, err := get(c)
	if err != nil {
		return nil, err
	}
	if v.Kind() != jsonvalue.Object {
		return nil, fmt.Errorf("the value at %.200q is of type %v; it must be an object", c.path, v.Kind())
	}
	return v.Members(), nil
}

// each converts the members of the object at the path, and returns the results as an array.
func (c call) each(convert func(name string, v jsonvalue.Value) jsonvalue.Value) (jsonvalue.Value, error) {
	members, err := c.members()
	if err != nil {
		return jsonvalue.Value{}, err
	}
	items := []jsonvalue.Value{}
	for name, v := range members.All() {
		items = append(items, convert(name, v))
	}
	return jsonvalue.NewArray(items), nil
}

func keys(c call) (jsonvalue.Value, error) {
	return c.each(func(name string, _ jsonvalue.Value) jsonvalue.Value { return jsonvalue.NewString(name) })
}

func values(c call) (jsonvalue.Value, error) {
	return c.each(func(_ string, v jsonvalue.Value) jsonvalue.Value { return v })
}

func entries(c call) (jsonvalue.Value, error) {
	return c.each(func(name string, v jsonvalue.Value) jsonvalue.Value {
		return jsonvalue.NewArray([]jsonvalue.Value{jsonvalue.NewString(name), v})
	})
}

// fromEntries builds an object from name-value pairs. If several pairs have the same name, the last
// pair is used.
func fromEntries(c call) (jsonvalue.Value, error) {
	if err := valuetool.Expect("entries", c.Entries, jsonvalue.Array); err != nil {
		return jsonvalue.Value{}, err
	}
	members := &jsonvalue.Members{}
	for i, entry := range c.Entries.Items() {
		pair := entry.Items()
		if len(pair) != 2 || pair[0].Kind() != jsonvalue.String {
			return jsonvalue.Value{}, fmt.Errorf(`entries[%d] is %.80v; it must be a pair of a name and a value, as in ["a", 1]`, i, entry)
		}
		members.Set(pair[0].Text(), pair[1])
	}
	return jsonvalue.NewObject(members), nil
}

// paths parses the argument Keys.
func (c call) paths() ([]jsonvalue.Path, error) {
	if len(c.Keys) == 0 {
		return nil, errors.New(`the argument "keys" is missing or empty; give the names or paths`)
	}
	const limit = 100
	if len(c.Keys) > limit {
		return nil, fmt.Errorf(`the argument "keys" has more than the limit of %d items`, limit)
	}
	paths := make([]jsonvalue.Path, len(c.Keys))
	for i, key := range c.Keys {
		path, err := jsonvalue.ParsePath(key)
		if err == nil && len(path) == 0 {
			err = errors.New("it is empty")
		}
		if err != nil {
			return nil, fmt.Errorf("keys[%d]: %w", i, err)
		}
		paths[i] = path
	}
	return paths, nil
}

// pick returns the values at the paths, in the order of the paths. It skips paths without a value.
// A path through an array is an error, because the result would also need the previous items.
func pick(c call) (jsonvalue.Value, error) {
	paths, err := c.paths()
	if err != nil {
		return jsonvalue.Value{}, err
	}
	picked := jsonvalue.NewObject(&jsonvalue.Members{})
	for i, path := range paths {
		v, ok := c.object.Get(path)
		if !ok {
			continue
		}
		for depth := range path {
			if holder, _ := c.object.Get(path[:depth]); holder.Kind() == jsonvalue.Array {
				return jsonvalue.Value{}, fmt.Errorf("keys[%d] is a path through an array; pick the whole array, or use get", i)
			}
		}
		if picked, err = picked.With(path, v); err != nil {
			return jsonvalue.Value{}, err
		}
	}
	return picked, nil
}

// omit removes the values at the paths. It ignores paths without a value. The path of an array item
// is an error, because each removal would change the indices of later items.
func omit(c call) (jsonvalue.Value, error) {
	paths, err := c.paths()
	if err != nil {
		return jsonvalue.Value{}, err
	}
	left := c.object
	for i, path := range paths {
		holder, _ := c.object.Get(path[:len(path)-1])
		if holder.Kind() == jsonvalue.Array {
			return jsonvalue.Value{}, fmt.Errorf("keys[%d] is the path of an item of an array; use the operation delete instead", i)
		}
		left, _ = left.Without(path)
	}
	return left, nil
}

// rename renames members of the object at the path. It keeps the order of the members.
func rename(c call) (jsonvalue.Value, error) {
	if err := valuetool.Expect("names", c.Names, jsonvalue.Object); err != nil {
		return jsonvalue.Value{}, err
	}
	members, err := c.members()
	if err != nil {
		return jsonvalue.Value{}, err
	}
	names := map[string]string{}
	for old, name := range c.Names.Members().All() {
		if name.Kind() != jsonvalue.String {
			return jsonvalue.Value{}, fmt.Errorf(`the argument "names" maps %.80q to a value of type %v; it must be a string`, old, name.Kind())
		}
		if _, ok := members.Get(old); !ok {
			return jsonvalue.Value{}, fmt.Errorf("the object has no member %.80q%s", old, suggestion(jsonvalue.NewObject(members), old))
		}
		names[old] = name.Text()
	}
	renamed := &jsonvalue.Members{}
	for name, v := range members.All() {
		if to, ok := names[name]; ok {
			name = to
		}
		if _, ok := renamed.Get(name); ok {
			return jsonvalue.Value{}, fmt.Errorf("two members would have the name %.80q; give them different names", name)
		}
		renamed.Set(name, v)
	}
	return c.object.With(c.path, jsonvalue.NewObject(renamed))
}
