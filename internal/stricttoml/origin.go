package stricttoml

import "fmt"

// origin says what made a table or list, which decides what may extend it later.
type origin uint8

const (
	// writtenInline is a value between brackets, which is complete.
	writtenInline origin = iota
	// opensParent is a table that a header names on the way to another: a in [a.b].
	opensParent
	// opensTable is a table with a header of its own.
	opensTable
	// opensElement is a list that [[headers]] make, which grows with each.
	opensElement
	// opensDotted is a table that a dotted key names: a in a.b = 1.
	opensDotted
)

// open returns the table that a part of a key names in parent, and makes it if it is new.
// With opensElement, it appends a table to the list of that name. It keeps the rules of TOML
// about tables that are defined twice, of which the library knows only some.
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

// twice is the error of a key or table that was defined before.
func (x *indexer) twice(part keyPart, earlier *Member) error {
	line, _ := x.doc.position(earlier.Offset)
	return &syntaxError{part.offset, fmt.Sprintf(
		"%s is defined twice, first in line %d as %s; keep one of the two",
		Quote(earlier.Name), line, earlier.Value.Kind)}
}
