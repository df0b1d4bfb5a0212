package manifests

import (
	"strconv"
)

// kind is the TOML type of a node.
type kind uint8

const (
	kindTable kind = iota
	kindList
	kindString
	kindInteger
	kindFloat
	kindBoolean
	kindTime
)

// String returns the kind in the words of an error text.
func (k kind) String() string {
	switch k {
	case kindTable:
		return "a table"
	case kindList:
		return "a list"
	case kindString:
		return "a string"
	case kindInteger:
		return "an integer"
	case kindFloat:
		return "a decimal number"
	case kindBoolean:
		return "true or false"
	}
	return "a date or time"
}

// node is a value of the manifest with its place, in the order of the file.
type node struct {
	kind kind
	// text is a string's content, or the literal text of any other scalar.
	text string
	// members are a table's keys, in order; byName finds one.
	members []*member
	byName  map[string]*member
	items   []*node
	// ofHeaders marks a list that [[headers]] make, which grows with each.
	ofHeaders bool
	// offset is where the value starts in the text.
	offset int
}

// member is a key of a table and its value.
type member struct {
	name   string
	offset int
	value  *node
}

// get returns the value of a key, or nil. It may be called on any node, nil too.
func (n *node) get(name string) *node {
	if n == nil {
		return nil
	}
	if m := n.byName[name]; m != nil {
		return m.value
	}
	return nil
}

// elements returns the elements of a list. It may be called on any node, nil too.
func (n *node) elements() []*node {
	if n == nil {
		return nil
	}
	return n.items
}

// add appends a key that the table does not have yet.
func (n *node) add(name string, offset int, value *node) {
	m := &member{name, offset, value}
	if n.byName == nil {
		n.byName = make(map[string]*member)
	}
	n.members = append(n.members, m)
	n.byName[name] = m
}

// locate follows keys and list indices down from n, which stands at p, and
// returns the place of the value after the last step that exists.
func (n *node) locate(p place, steps ...string) place {
	for _, step := range steps {
		if m := n.byName[step]; m != nil {
			n, p = m.value, p.member(m.name, m.value.offset)
			continue
		}
		index, err := strconv.Atoi(step)
		if err != nil || index < 0 || index >= len(n.items) {
			break
		}
		n = n.items[index]
		p = p.item(index, n.offset)
	}
	return p
}
