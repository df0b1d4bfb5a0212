package object

import (
	"fmt"
	"strconv"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
	"github.com/wasmtool/wasmtool/guest-examples/internal/valuetool"
)

// diff returns a JSON Patch (RFC 6902) that changes Object to Other. It compares arrays item by
// item. Numbers of equal value are equal, even if their digits differ.
func diff(c call) (jsonvalue.Value, error) {
	if err := valuetool.Expect("other", c.Other, jsonvalue.Object); err != nil {
		return jsonvalue.Value{}, err
	}
	d := differ{changes: []jsonvalue.Value{}}
	d.compare(nil, c.object, c.Other)
	if d.length > maxNames {
		return jsonvalue.Value{}, fmt.Errorf("the paths of the changes would exceed %d bytes in total; compare parts", maxNames)
	}
	return jsonvalue.NewArray(d.changes), nil
}

// differ collects the operations of a patch.
type differ struct {
	changes []jsonvalue.Value
	length  int // total length of the paths; more than maxNames is an error
}

func (d *differ) add(operation string, path jsonvalue.Path, v jsonvalue.Value) {
	if d.length > maxNames {
		return
	}
	where := path.String()
	d.length += len(where)
	change := &jsonvalue.Members{}
	change.Set("op", jsonvalue.NewString(operation))
	change.Set("path", jsonvalue.NewString(where))
	if v.Kind() != jsonvalue.Absent {
		change.Set("value", v)
	}
	d.changes = append(d.changes, jsonvalue.NewObject(change))
}

func (d *differ) compare(path jsonvalue.Path, a, b jsonvalue.Value) {
	switch {
	case a.Kind() == jsonvalue.Object && b.Kind() == jsonvalue.Object:
		d.objects(path, a.Members(), b.Members())
	case a.Kind() == jsonvalue.Array && b.Kind() == jsonvalue.Array:
		d.arrays(path, a.Items(), b.Items())
	case a.Compare(b) != 0:
		d.add("replace", path, b)
	}
}

func (d *differ) objects(path jsonvalue.Path, a, b *jsonvalue.Members) {
	for name, old := range a.All() {
		inner := append(path[:len(path):len(path)], name)
		if v, ok := b.Get(name); ok {
			d.compare(inner, old, v)
			continue
		}
		d.add("remove", inner, jsonvalue.Value{})
	}
	for name, v := range b.All() {
		if _, ok := a.Get(name); !ok {
			d.add("add", append(path[:len(path):len(path)], name), v)
		}
	}
}

func (d *differ) arrays(path jsonvalue.Path, a, b []jsonvalue.Value) {
	at := func(i int) jsonvalue.Path { return append(path[:len(path):len(path)], strconv.Itoa(i)) }
	for i := range min(len(a), len(b)) {
		d.compare(at(i), a[i], b[i])
	}
	// remove items from the end, so that the indices of the others stay the same
	for i := len(a) - 1; i >= len(b); i-- {
		d.add("remove", at(i), jsonvalue.Value{})
	}
	for i := len(a); i < len(b); i++ {
		d.add("add", at(i), b[i])
	}
}
