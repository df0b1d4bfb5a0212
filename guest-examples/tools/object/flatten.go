package object

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
)

// maxNames is how long the names of flatten and the paths of diff may be together,
// in bytes: each has the names of all that it lies in, so that they may be far
// longer than the object.
const maxNames = 4 << 20

func (c call) separator() (string, error) {
	switch {
	case c.Separator == nil:
		return ".", nil
	case *c.Separator == "":
		return "", errors.New("separator is empty; leave it out for a dot")
	default:
		return *c.Separator, nil
	}
}

// flatten makes one object of all that are in each other, with names joined by
// the separator. Items of an array have their places as names; what is empty
// stays.
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
	length    int // of the names
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
		return fmt.Errorf("the names would be longer than %d bytes together; it is nested too deep", maxNames)
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

// unflatten is the reverse of flatten: names that count from 0 without a gap
// make an array again.
func unflatten(c call) (jsonvalue.Value, error) {
	separator, err := c.separator()
	if err != nil {
		return jsonvalue.Value{}, err
	}
	root := &node{}
	for name, v := range c.object.Members().All() {
		names := strings.Split(name, separator)
		if len(names) > jsonvalue.MaxDepth {
			return jsonvalue.Value{}, fmt.Errorf("%.80q… has more than %d names", name, jsonvalue.MaxDepth)
		}
		if !root.put(names, v) {
			return jsonvalue.Value{}, fmt.Errorf("%.200q would lie in a value that is not an object, or be one and a value", name)
		}
	}
	return root.object(), nil
}

// node is an object that is made bit by bit, or a value.
type node struct {
	value    jsonvalue.Value // absent if there are children
	names    []string
	children map[string]*node
}

// put puts a value where the names lead, and returns false if there is one on
// the way or something at the place.
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

// object returns an object whatever the names are.
func (n *node) object() jsonvalue.Value {
	members := &jsonvalue.Members{}
	for _, name := range n.names {
		members.Set(name, n.children[name].made())
	}
	return jsonvalue.NewObject(members)
}
