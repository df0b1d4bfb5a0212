// Package tree holds values as JSON knows them, the way they were written: the
// members of objects in their order, numbers as the digits of the source.
package tree

import (
	"errors"
	"fmt"
)

const (
	// MaxDepth is how deep lists and objects may lie in each other in a Value.
	MaxDepth = 1000
	// MaxValues is how many values there may be in one. Each takes some 100
	// bytes, and a Go program may need the double of what it holds.
	MaxValues = 500_000
)

var (
	// ErrDepth is the error for what lies deeper than MaxDepth.
	ErrDepth = fmt.Errorf("lists and objects lie more than %d deep in each other", MaxDepth)
	// ErrSize is the error for more than MaxValues.
	ErrSize = fmt.Errorf("there are more than %d values; take a part of them", MaxValues)
)

// errDuplicate is the cause for a name that an object has twice.
var errDuplicate = errors.New("occurs twice in an object; the names of an object must differ")

// Kind is what a Value is.
type Kind int

// The kinds.
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Object
)

// String returns the name of the kind as texts for a model have it.
func (k Kind) String() string {
	names := [...]string{"null", "boolean", "number", "string", "list", "object"}
	if k < 0 || int(k) >= len(names) {
		return "unknown"
	}
	return names[k]
}

// Value is one value. The zero value is null.
type Value struct {
	Kind Kind
	// Text is the text of a String, the literal of a Number in the syntax of
	// JSON, and true or false for a Bool.
	Text string
	// Items are those of a List.
	Items []Value
	// Members are those of an Object, in order and with different names.
	Members []Member
}

// Member is a named value of an object.
type Member struct {
	Name  string
	Value Value
}

// Text returns the String with the text.
func Text(text string) Value {
	return Value{Kind: String, Text: text}
}

// Builder puts an Object together and refuses a second member of a name. The
// zero value is ready for use.
type Builder struct {
	members []Member
	index   map[string]int
}

// Add adds a member. The error names it if there is one of that name.
func (b *Builder) Add(name string, value Value) error {
	if _, ok := b.Get(name); ok {
		return fmt.Errorf("%.60q %w", name, errDuplicate)
	}
	if b.index == nil {
		b.index = make(map[string]int)
	}
	b.index[name] = len(b.members)
	b.members = append(b.members, Member{name, value})
	return nil
}

// Get returns the member of that name, to be changed in place until the next
// Add.
func (b *Builder) Get(name string) (*Value, bool) {
	i, ok := b.index[name]
	if !ok {
		return nil, false
	}
	return &b.members[i].Value, true
}

// Object returns the object of what was added.
func (b *Builder) Object() Value {
	return Value{Kind: Object, Members: b.members}
}
