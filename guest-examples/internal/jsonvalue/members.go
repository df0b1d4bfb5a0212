package jsonvalue

import (
	"fmt"
	"iter"
	"maps"
	"slices"
)

// Members are the names and values of an object in their order. The zero value
// is that of {}. They are not for concurrent use while one sets.
type Members struct {
	list  []member
	index map[string]int // of the names, or nil
}

type member struct {
	name  string
	value Value
}

// few is how many members are found as fast without an index.
const few = 8

// Len returns how many there are.
func (m *Members) Len() int { return len(m.list) }

// Get returns the value of a name, and whether there is one.
func (m *Members) Get(name string) (Value, bool) {
	at := m.find(name)
	if at < 0 {
		return Value{}, false
	}
	return m.list[at].value, true
}

// find returns the place of a name, or -1.
func (m *Members) find(name string) int {
	if m.index == nil {
		return slices.IndexFunc(m.list, func(o member) bool { return o.name == name })
	}
	if at, ok := m.index[name]; ok {
		return at
	}
	return -1
}

// Set gives a name its value. A new one comes last, others keep their place.
func (m *Members) Set(name string, v Value) {
	if at := m.find(name); at >= 0 {
		m.list[at].value = v
		return
	}
	m.add(name, v)
}

// Add is Set for a new name. For one that there is, the error says so.
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

// All yields names and values in their order.
func (m *Members) All() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for _, o := range m.list {
			if !yield(o.name, o.value) {
				return
			}
		}
	}
}

// Clone returns members that can be set without changing m.
func (m *Members) Clone() *Members {
	return &Members{list: slices.Clone(m.list), index: maps.Clone(m.index)}
}

// without returns members that lack the one at the place. They have no index before
// one more is added, as it takes as much room as they do.
func (m *Members) without(at int) *Members {
	return &Members{list: slices.Concat(m.list[:at], m.list[at+1:])}
}
