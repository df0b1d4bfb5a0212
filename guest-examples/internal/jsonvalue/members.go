package jsonvalue

import "iter"

// Members are the names and values of an object in their order. The zero value
// is that of {}. They are not for concurrent use while one sets.
type Members struct {
	names  []string
	values map[string]Value
}

// Len returns how many there are.
func (m *Members) Len() int { return len(m.names) }

// Get returns the value of a name, and whether there is one.
func (m *Members) Get(name string) (Value, bool) {
	v, ok := m.values[name]
	return v, ok
}

// Set gives a name its value. A new one comes last, others keep their place.
func (m *Members) Set(name string, v Value) {
	if m.values == nil {
		m.values = map[string]Value{}
	}
	if _, ok := m.values[name]; !ok {
		m.names = append(m.names, name)
	}
	m.values[name] = v
}

// All yields names and values in their order.
func (m *Members) All() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for _, name := range m.names {
			if !yield(name, m.values[name]) {
				return
			}
		}
	}
}

// Clone returns members that can be set without changing m.
func (m *Members) Clone() *Members {
	return m.Filter(func(string, Value) bool { return true })
}

// Filter returns a copy of the members that keep accepts.
func (m *Members) Filter(keep func(string, Value) bool) *Members {
	kept := &Members{}
	for name, v := range m.All() {
		if keep(name, v) {
			kept.Set(name, v)
		}
	}
	return kept
}
