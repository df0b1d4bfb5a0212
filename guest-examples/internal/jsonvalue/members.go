package jsonvalue

import (
	"fmt"
	"iter"
	"maps"
	"slices"
)

// Members are the names and values of an object, in order. The zero value is an empty object. Set
// must not run concurrently with any other use.
type Members struct {
	list  []member
	index map[string]int // index in list by name, or nil
}

type member struct {
	name  string
	value Value
}

// few is the maximum number of members for which a linear search is as fast as an index.
const few = 8

// Len returns the number of members.
func (m *Members) Len() int { return len(m.list) }

// Get returns the value of a name, and whether it exists.
func (m *Members) Get(name string) (Value, bool) {
	at := m.find(name)
	if at < 0 {
		return Value{}, false
	}
	return m.list[at].value, true
}

// find returns the position of a name, or -1.
func (m *Members) find(name string) int {
	if m.index == nil {
		return slices.IndexFunc(m.list, func(o member) bool { return o.name == name })
	}
	if at, ok := m.index[name]; ok {
		return at
	}
	return -1
}

// Set sets the value of a name. A new name comes last; others keep their position.
func (m *Members) Set(name string, v Value) {
	if at := m.find(name); at >= 0 {
		m.list[at].value = v
		return
	}
	m.add(name, v)
}

// Add is Set for a new name. It returns an error if the name exists.
func (m *Members) Add(name string, v Value) error {
	if m.find(name) >= 0 {
		return duplicate(name)
	}
	m.add(name, v)
	return nil
}

func duplicate(name string) error {
	return fmt.Errorf("%.60q occurs twice in an object; the names of an object must differ", name)
}

func (m *Members) add(name string, v Value) {
	m.list = append(m.list, member{name, v})
	switch {
	case m.index != nil:
		m.index[name] = len(m.list) - 1
	case len(m.list) > few:
		m.index = make(map[string]int, len(m.list))
		for at, o := range m.list {
			m.index[o.name] = at
		}
	}
}

// All yields names and values in order.
func (m *Members) All() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for _, o := range m.list {
			if !yield(o.name, o.value) {
				return
			}
		}
	}
}

// Clone returns a copy that can be changed without changing m.
func (m *Members) Clone() *Members {
	return &Members{list: slices.Clone(m.list), index: maps.Clone(m.index)}
}

// without returns a copy that lacks the member at the position. The copy gets an index only when
// a member is added, since an index takes as much memory as the members.
func (m *Members) without(at int) *Members {
	return &Members{list: slices.Concat(m.list[:at], m.list[at+1:])}
}
