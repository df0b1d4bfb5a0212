package stricttoml

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// Bounds of a file's shape. The library takes time quadratic in the number
// of keys, and everything that walks the tree recurses.
const (
	// maxKeys counts every part of every key and table header.
	maxKeys = 4096
	// maxDepth counts nested tables and lists.
	maxDepth = 100
	// maxLibraryText is how many characters of the library's texts are repeated.
	maxLibraryText = 200
)

// syntaxError is a fault that ends the reading.
type syntaxError struct {
	offset  int
	message string
}

func (e *syntaxError) Error() string { return e.message }

// parse reads TOML into a tree; shrink says what makes a file with too many keys
// smaller. A non-nil error is a *syntaxError.
func parse(doc document, shrink string) (*Node, error) {
	if err := checkBytes(doc.text); err != nil {
		return nil, err
	}
	b := &builder{doc: doc, shrink: shrink, root: &Node{Offset: WholeFile}}
	b.table = b.root
	b.parser.Reset(doc.text)
	for b.parser.NextExpression() {
		if err := b.expression(b.parser.Expression()); err != nil {
			return nil, err
		}
	}
	if err := b.parser.Error(); err != nil {
		return nil, b.fromParser(err)
	}
	// The tree does not know every rule of TOML about tables defined twice, nor
	// that a day has 24 hours. The library does.
	var discard map[string]any
	if err := toml.Unmarshal(doc.text, &discard); err != nil {
		return nil, fromDecoder(doc, err)
	}
	return b.root, nil
}

// checkBytes refuses what is no text before the parser sees it.
func checkBytes(text []byte) error {
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		return &syntaxError{0, "the file starts with a byte order mark; save it as UTF-8 without one"}
	}
	if i := bytes.IndexByte(text, 0); i >= 0 {
		return &syntaxError{i, "the file holds a NUL byte; it is not a text file"}
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return &syntaxError{i, "not valid UTF-8; save the file as UTF-8"}
		}
		i += size
	}
	return nil
}

// fromParser gives an error of the parser its offset.
func (b *builder) fromParser(err error) error {
	var fault *unstable.ParserError
	if !errors.As(err, &fault) {
		return &syntaxError{WholeFile, notTOML(err.Error())}
	}
	// A highlight shares the text's memory, so capacities tell where it starts.
	return &syntaxError{cap(b.doc.text) - cap(fault.Highlight), notTOML(fault.Message)}
}

// fromDecoder gives an error of the decoder its offset.
func fromDecoder(doc document, err error) error {
	var fault *toml.DecodeError
	if !errors.As(err, &fault) {
		return &syntaxError{WholeFile, notTOML(err.Error())}
	}
	line, column := fault.Position()
	return &syntaxError{doc.offset(line, column), notTOML(fault.Error())}
}

func notTOML(message string) string {
	return "not valid TOML: " + plaintext.Visible(plaintext.Excerpt(strings.TrimPrefix(message, "toml: "), maxLibraryText))
}

// builder makes a tree of the parser's expressions.
type builder struct {
	doc    document
	parser unstable.Parser
	root   *Node
	// table is what the last header opened, depth levels below the root.
	table *Node
	depth int
	keys  int
	// shrink says what to do about too many of them.
	shrink string
}

// expression adds one top-level expression to the tree.
func (b *builder) expression(expr *unstable.Node) error {
	if expr.Kind == unstable.KeyValue {
		return b.keyValue(b.table, expr, b.depth)
	}
	b.table, b.depth = b.root, 0
	key := expr.Key()
	for key.Next() {
		if err := b.count(key.Node(), b.depth+1); err != nil {
			return err
		}
		last := key.IsLast() && expr.Kind == unstable.ArrayTable
		next, err := b.open(b.table, key.Node(), last)
		if err != nil {
			return err
		}
		b.table = next
		b.depth++
	}
	return nil
}

// keyValue adds "a.b = value" to a table that is depth levels below the root.
func (b *builder) keyValue(table *Node, expr *unstable.Node, depth int) error {
	key := expr.Key()
	for key.Next() {
		part := key.Node()
		depth++
		if err := b.count(part, depth); err != nil {
			return err
		}
		if !key.IsLast() {
			next, err := b.open(table, part, false)
			if err != nil {
				return err
			}
			table = next
			continue
		}
		if earlier := table.byName[string(part.Data)]; earlier != nil {
			return b.twice(part, earlier)
		}
		start := b.doc.afterKey(int(part.Raw.Offset + part.Raw.Length))
		value, err := b.value(expr.Value(), start, depth)
		if err != nil {
			return err
		}
		table.add(string(part.Data), int(part.Raw.Offset), value)
	}
	return nil
}

// open returns the table that a part of a key names inside parent, new or not.
// With element, it appends a table to the list of that name.
func (b *builder) open(parent *Node, part *unstable.Node, element bool) (*Node, error) {
	name, offset := string(part.Data), int(part.Raw.Offset)
	earlier := parent.byName[name]
	if earlier == nil {
		table := &Node{Offset: offset}
		value := table
		if element {
			value = &Node{Kind: KindList, Items: []*Node{table}, ofHeaders: true, Offset: offset}
		}
		parent.add(name, offset, value)
		return table, nil
	}
	value := earlier.Value
	switch {
	case element && value.ofHeaders:
		table := &Node{Offset: offset}
		value.Items = append(value.Items, table)
		return table, nil
	case element:
		return nil, b.twice(part, earlier)
	case value.ofHeaders:
		return value.Items[len(value.Items)-1], nil
	case value.Kind == KindTable:
		return value, nil
	}
	return nil, b.twice(part, earlier)
}

// twice is the fault of a key that stands where another one stood before.
func (b *builder) twice(part *unstable.Node, earlier *Member) error {
	line, _ := b.doc.position(earlier.Offset)
	return &syntaxError{
		int(part.Raw.Offset),
		fmt.Sprintf("%s is defined twice, first in line %d as %s; keep one of the two", Quote(earlier.Name), line, earlier.Value.Kind),
	}
}

// count bounds the number of keys and the depth of the tree.
func (b *builder) count(part *unstable.Node, depth int) error {
	b.keys++
	if b.keys > maxKeys {
		return &syntaxError{int(part.Raw.Offset), fmt.Sprintf("more than %d keys; %s", maxKeys, b.shrink)}
	}
	return checkDepth(int(part.Raw.Offset), depth)
}

func checkDepth(offset, depth int) error {
	if depth > maxDepth {
		return &syntaxError{offset, fmt.Sprintf("nested more than %d levels deep", maxDepth)}
	}
	return nil
}

// value turns a value into a node. The parser tells no place for a list; start is
// where it begins, or the place of what holds it.
func (b *builder) value(v *unstable.Node, start, depth int) (*Node, error) {
	if v.Raw.Length > 0 {
		start = int(v.Raw.Offset)
	}
	switch v.Kind {
	case unstable.String:
		return &Node{Kind: KindString, Text: string(v.Data), Offset: start}, nil
	case unstable.Integer:
		return &Node{Kind: KindInteger, Text: string(v.Data), Offset: start}, nil
	case unstable.Float:
		// Refused here is what the library refuses with the text of another library.
		if _, err := strconv.ParseFloat(strings.ReplaceAll(string(v.Data), "_", ""), 64); err != nil {
			return nil, &syntaxError{start, "a number of TOML must fit in 64 bits; write it as a string"}
		}
		return &Node{Kind: KindFloat, Text: string(v.Data), Offset: start}, nil
	case unstable.Bool:
		return &Node{Kind: KindBoolean, Text: string(v.Data), Offset: start}, nil
	case unstable.Array:
		return b.list(v, start, depth)
	case unstable.InlineTable:
		table := &Node{Offset: start}
		for children := v.Children(); children.Next(); {
			if err := b.keyValue(table, children.Node(), depth); err != nil {
				return nil, err
			}
		}
		return table, nil
	}
	return &Node{Kind: KindTime, Text: string(v.Data), Offset: start}, nil
}

func (b *builder) list(v *unstable.Node, start, depth int) (*Node, error) {
	if err := checkDepth(start, depth+1); err != nil {
		return nil, err
	}
	list := &Node{Kind: KindList, Offset: start}
	for children := v.Children(); children.Next(); {
		item, err := b.value(children.Node(), start, depth+1)
		if err != nil {
			return nil, err
		}
		list.Items = append(list.Items, item)
	}
	return list, nil
}
