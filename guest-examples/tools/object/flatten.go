package object

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
)

// maxNames limits the total length in bytes of the names of flatten and of the paths of diff. Each
// name contains the names of all its parents, so the names can be far longer than the object.
const maxNames = 4 << 20

func (c call) separator() (string, error) {
	switch {
	case c.Separator == nil:
		return ".", nil
	case *c.Separator == "":
		return "", errors.New(`the argument "separator" is empty; omit it to use a dot`)
	default:
		return *c.Separator, nil
	}
}

// flatten merges nested objects and arrays into one object. A name in it consists of the names on
// the path to the value, joined by the separator. The name of an array item is its index. Empty
// objects and arrays are kept as values.
func flatten(c call) (jsonvalue.Value, error) {
	separator, err := c.separator()
	if err != nil {
		return jsonvalue.Value{}, err
	}
	f := flattener{separator: separator, members: &jsonvalue.Members{}}
	if err := f.object("", c.object); err != nil {
		return jsonvalue.Value{}, err
	}
	return jsonvalue.NewObject(f.members), nil
}

type flattener struct {
	separator string
	members   *jsonvalue.Members
	length    int // total length of the names so far
}

func (f *flattener) object(prefix string, v jsonvalue.Value) error {
	for name, member := range v.Members().All() {
		if err := f.value(prefix+name, member); err != nil {
			return err
		}
	}
	return nil
}

func (f *flattener) value(name string, v jsonvalue.Value) error {
	if f.length += len(name); f.length > maxNames {
		return fmt.Errorf("the names would have more than %d bytes in total; flatten a part of the object", maxNames)
	}
	prefix := name + f.separator
	switch {
	case v.Members().Len() > 0:
		return f.object(prefix, v)
	case len(v.Items()) > 0:
		for i, item := range v.Items() {
			if err := f.value(prefix+strconv.Itoa(i), item); err != nil {
				return err
			}
		}
		return nil
	}
	if _, ok := f.members.Get(name); ok {
		return fmt.Errorf("two values would have the name %.200q; choose another separator", name)
	}
	f.members.Set(name, v)
	return nil
}

// unflatten is the inverse of flatten. It builds an array if the names are the indices from 0
// without a gap.
func unflatten(c call) (jsonvalue.Value, error) {
	separator, err := c.separator()
	if err != nil {
		return jsonvalue.Value{}, err
	}
	root := &node{}
	for name, v := range c.object.Members().All() {
		names := strings.Split(name, separator)
		if len(names) > jsonvalue.MaxDepth {
			return jsonvalue.Value{}, fmt.Errorf("%.80q… has more than %d parts; use a shorter name", name, jsonvalue.MaxDepth)
		}
		if !root.put(names, v) {
			return jsonvalue.Value{}, fmt.Errorf("%.200q conflicts with another name: a name can't have both a value and members", name)
		}
	}
	return root.object(), nil
}

// node is a value, or an object that is being built.
type node struct {
	value    jsonvalue.Value // absent if the node has children
	names    []string
	children map[string]*node
}

// put stores a value under the names. It returns false if one of the parents is already a value, or
// if the last name already exists.
func (n *node) put(names []string, v jsonvalue.Value) bool {
	for _, name := range names {
		if n.value.Kind() != jsonvalue.Absent {
			return false
		}
		if n.children == nil {
			n.children = map[string]*node{}
		}
		if n.children[name] == nil {
			n.children[name] = &node{}
			n.names = append(n.names, name)
		}
		n = n.children[name]
	}
	if n.children != nil {
		return false
	}
	n.value = v
	return true
}

func (n *node) made() jsonvalue.Value {
	if n.children == nil {
		return n.value
	}
	items := make([]jsonvalue.Value, len(n.names))
	for i := range items {
		child, ok := n.children[strconv.Itoa(i)]
		if !ok {
			return n.object()
		}
		items[i] = child.made()
	}
	return jsonvalue.NewArray(items)
}

// object returns the node as an object, even if its names are indices.
func (n *node) object() jsonvalue.Value {
	members := &jsonvalue.Members{}
	for _, name := range n.names {
		members.Set(name, n.children[name].made())
	}
	return jsonvalue.NewObject(members)
}
