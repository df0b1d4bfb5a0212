package convert

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
)

// readTOML reads a document and keeps the order of members and the digits of numbers. The decoder
// of the library loses both, but readTOML also calls it to check the document.
func readTOML(text string) (jsonvalue.Value, error) {
	if !shallow(text) {
		return jsonvalue.Value{}, jsonvalue.ErrDepth
	}
	var r tomlReader
	root := &tomlTable{}
	if err := r.document(text, root); err != nil {
		return jsonvalue.Value{}, err
	}
	var checked map[string]any
	err := toml.Unmarshal([]byte(text), &checked)
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		line, column := decode.Position()
		return jsonvalue.Value{}, fmt.Errorf("line %d, column %d: %s", line, column, strings.TrimPrefix(decode.Error(), "toml: "))
	}
	if err != nil {
		return jsonvalue.Value{}, err
	}
	return root.value()
}

// shallow reports whether brackets are nested at most MaxDepth deep. It protects the parser, which
// is recursive. It also counts brackets in strings, which makes it reject very unusual documents.
func shallow(text string) bool {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(0, depth-1)
		}
		if depth > jsonvalue.MaxDepth {
			return false
		}
	}
	return true
}

// tomlTable is a table that is being built. Each of its members is a table, an array of tables or a
// value.
type tomlTable struct {
	depth   int // nesting level in the document
	names   []string
	members map[string]*tomlMember
}

type tomlMember struct {
	table  *tomlTable
	tables []*tomlTable
	value  jsonvalue.Value
}

func (t *tomlTable) add(name string, member *tomlMember) {
	if t.members == nil {
		t.members = make(map[string]*tomlMember)
	}
	t.names = append(t.names, name)
	t.members[name] = member
}

// below returns the table with the name, or the last table of the array of tables with the name. It
// creates a missing table.
func (t *tomlTable) below(name string) (*tomlTable, error) {
	member := t.members[name]
	switch {
	case member == nil:
		if t.depth >= jsonvalue.MaxDepth {
			return nil, jsonvalue.ErrDepth
		}
		table := &tomlTable{depth: t.depth + 1}
		t.add(name, &tomlMember{table: table})
		return table, nil
	case member.table != nil:
		return member.table, nil
	case len(member.tables) > 0:
		return member.tables[len(member.tables)-1], nil
	}
	return nil, fmt.Errorf("%.60q is a value, so it can't be used as a table", name)
}

func (t *tomlTable) value() (jsonvalue.Value, error) {
	object := &jsonvalue.Members{}
	for _, name := range t.names {
		member := t.members[name]
		value, err := member.value, error(nil)
		switch {
		case member.table != nil:
			value, err = member.table.value()
		case member.tables != nil:
			var items []jsonvalue.Value
			for _, table := range member.tables {
				item, itemErr := table.value()
				if itemErr != nil {
					return jsonvalue.Value{}, itemErr
				}
				items = append(items, item)
			}
			value = jsonvalue.NewArray(items)
		}
		if err == nil {
			err = object.Add(name, value)
		}
		if err != nil {
			return jsonvalue.Value{}, err
		}
	}
	return jsonvalue.NewObject(object), nil
}

type tomlReader struct {
	values int
}

// document adds the members of the document to root. It does not check for duplicate names, because
// the decoder of the library does.
func (r *tomlReader) document(text string, root *tomlTable) error {
	var p unstable.Parser
	p.Reset([]byte(text))
	current := root
	for p.NextExpression() {
		var err error
		switch e := p.Expression(); e.Kind {
		case unstable.Table:
			current, err = r.header(root, e, false)
		case unstable.ArrayTable:
			current, err = r.header(root, e, true)
		case unstable.KeyValue:
			err = r.keyValue(current, e)
		}
		if err != nil {
			return err
		}
	}
	var parserErr *unstable.ParserError
	if err := p.Error(); errors.As(err, &parserErr) && len(parserErr.Highlight) > 0 {
		at := p.Shape(p.Range(parserErr.Highlight)).Start
		return fmt.Errorf("line %d, column %d: %s", at.Line, at.Column, parserErr.Message)
	} else if err != nil {
		return err
	}
	return nil
}

// header returns the table that begins with the header [a.b], or with [[a.b]] if array is set.
func (r *tomlReader) header(root *tomlTable, e *unstable.Node, array bool) (*tomlTable, error) {
	parent, name, err := r.walk(root, e.Key())
	if err != nil {
		return nil, err
	}
	if !array {
		return parent.below(name)
	}
	table := &tomlTable{depth: parent.depth + 1}
	member := parent.members[name]
	if member == nil {
		member = &tomlMember{}
		parent.add(name, member)
	}
	member.tables = append(member.tables, table)
	return table, nil
}

// walk descends from table along all parts of a key except the last. It returns the table that it
// reached and the last part.
func (r *tomlReader) walk(table *tomlTable, key unstable.Iterator) (*tomlTable, string, error) {
	name := ""
	for depth := 0; key.Next(); depth++ {
		if r.values++; r.values > maxNodes {
			return nil, "", errNodes
		}
		if depth > 0 {
			var err error
			if table, err = table.below(name); err != nil {
				return nil, "", err
			}
		}
		name = string(key.Node().Data)
	}
	return table, name, nil
}

func (r *tomlReader) keyValue(table *tomlTable, e *unstable.Node) error {
	parent, name, err := r.walk(table, e.Key())
	if err != nil {
		return err
	}
	value, err := r.value(e.Value(), parent.depth+1)
	if err != nil {
		return err
	}
	parent.add(name, &tomlMember{value: value})
	return nil
}

func (r *tomlReader) value(n *unstable.Node, depth int) (jsonvalue.Value, error) {
	if r.values++; r.values > maxNodes {
		return jsonvalue.Value{}, errNodes
	}
	text := string(n.Data)
	switch n.Kind {
	case unstable.Array:
		var items []jsonvalue.Value
		for it := n.Children(); it.Next(); {
			if it.Node().Kind == unstable.Comment {
				continue
			}
			item, err := r.value(it.Node(), depth+1)
			if err != nil {
				return jsonvalue.Value{}, err
			}
			items = append(items, item)
		}
		return jsonvalue.NewArray(items), nil
	case unstable.InlineTable:
		table := tomlTable{depth: depth}
		for it := n.Children(); it.Next(); {
			if it.Node().Kind == unstable.Comment {
				continue
			}
			if err := r.keyValue(&table, it.Node()); err != nil {
				return jsonvalue.Value{}, err
			}
		}
		return table.value()
	case unstable.Bool:
		return jsonvalue.NewBool(text == "true"), nil
	case unstable.Integer, unstable.Float:
		literal, err := tomlNumber(strings.ReplaceAll(text, "_", ""))
		return jsonvalue.NewNumber(literal), err
	}
	return jsonvalue.NewString(text), nil // strings, dates and times
}

func tomlNumber(text string) (string, error) {
	if literal, ok := decimal(text); ok {
		return literal, nil
	}
	switch strings.TrimLeft(text, "+-") {
	case "inf", "nan":
		return "", fmt.Errorf("%s is a number that other formats can't represent; write it as a string in quotes", text)
	}
	return based(text)
}
