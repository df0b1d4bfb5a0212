package stricttoml

import "fmt"

// origin says what created a table or list. It decides what can extend the value later.
type origin uint8

const (
	// writtenInline is a value after "=" or in a list. Nothing can extend it.
	writtenInline origin = iota
	// opensParent is a table that a header names before the last part: a in [a.b].
	opensParent
	// opensTable is a table with its own header.
	opensTable
	// opensElement is a list that [[headers]] create. Each header adds an element.
	opensElement
	// opensDotted is a table that a dotted key names before the last part: a in a.b = 1.
	opensDotted
)

// open returns the table in parent that is named by a part of a key, and creates it if it is new.
// With opensElement, it appends a table to the list of that name. It enforces the rules of TOML
// about tables that are defined twice, because the library enforces only some of them.
func (x *indexer) open(parent *Node, part keyPart, how origin) (*Node, error) {
	earlier := parent.byName[part.name]
	if earlier == nil {
		table := &Node{origin: how, Offset: part.offset}
		value := table
		if how == opensElement {
			value = &Node{Kind: KindList, origin: how, Items: []*Node{table}, Offset: part.offset}
		}
		parent.add(part.name, part.offset, value)
		return table, nil
	}
	value := earlier.Value
	switch {
	case how == opensElement && value.origin == opensElement:
		table := &Node{origin: how, Offset: part.offset}
		value.Items = append(value.Items, table)
		return table, nil
	case how == opensParent && value.origin == opensElement:
		return value.Items[len(value.Items)-1], nil
	case how == opensParent && value.origin != writtenInline, how == opensDotted && value.origin == opensDotted:
		return value, nil
	case value.origin == opensParent && (how == opensTable || how == opensDotted):
		value.origin = how
		return value, nil
	}
	return nil, x.twice(part, earlier)
}

// twice returns the error of a key or table that is already defined.
func (x *indexer) twice(part keyPart, earlier *Member) error {
	line, _ := x.doc.position(earlier.Offset)
	return &syntaxError{part.offset, fmt.Sprintf(
		"%s is defined twice, first in line %d as %s; keep one of the two",
		Quote(earlier.Name), line, earlier.Value.Kind)}
}
