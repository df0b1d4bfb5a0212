package stricttoml

import (
	"bytes"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

// syntaxError is an error that stops the reading of a file.
type syntaxError struct {
	offset  int
	message string
}

func (e *syntaxError) Error() string { return e.message }

// parse reads TOML into a tree. shrink says how to make a file with too many keys smaller. The
// index gives the order, places and literals, and the library gives the values. A non-nil error is
// a *syntaxError.
func parse(doc document, shrink string) (*Node, error) {
	if err := checkBytes(doc.text); err != nil {
		return nil, err
	}
	x, err := index(doc, shrink)
	if err != nil {
		return nil, err
	}
	values, refused, ok := decode(string(doc.text))
	if !ok {
		return nil, x.refused(refused)
	}
	return x.root, x.root.fill(values)
}

// checkBytes refuses characters that no part of a TOML file may have.
func checkBytes(text []byte) error {
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		return &syntaxError{0, "the file starts with a byte order mark; save it as UTF-8 without one"}
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return &syntaxError{i, "not valid UTF-8; save the file as UTF-8"}
		case r == 0:
			return &syntaxError{i, "the file contains a NUL byte; it is not a text file"}
		case r == '\r' && !bytes.HasPrefix(text[i:], []byte("\r\n")):
			return &syntaxError{i, notTOML("a carriage return without a line feed; end lines with a line feed")}
		case r < ' ' && r != '\t' && r != '\n' && r != '\r', r == 0x7f:
			return &syntaxError{i, notTOML(fmt.Sprintf(`the control character %U; write it as \u%04X in a string`, r, r))}
		}
		i += size
	}
	return nil
}

// decode returns the values that the library reads from a text. When ok is false, the library
// refused the text at the offset refused.
func decode(text string) (values map[string]any, refused int, ok bool) {
	// The library panics when its lexer and its parser disagree.
	defer func() { _ = recover() }()
	_, err := toml.Decode(text, &values)
	if parseError, ok := errors.AsType[toml.ParseError](err); ok {
		refused = parseError.Position.Start
	}
	return values, refused, err == nil
}

// refused returns the error of a text that the library refuses at an offset. It does not contain
// the library's message, which may repeat the value: the value can be a secret.
func (x *indexer) refused(offset int) error {
	for _, v := range x.values {
		if offset >= v.node.Offset && offset < v.end {
			return &syntaxError{v.node.Offset, notTOML(invalid[v.node.Kind])}
		}
	}
	return &syntaxError{offset, ambiguous}
}

// invalid holds the messages for values whose form the index accepts, but which the library
// refuses.
var invalid = map[Kind]string{
	KindString:  `the string has an invalid escape; write \\ for a backslash, or use single quotes`,
	KindInteger: invalidNumber,
	KindFloat:   invalidNumber,
	KindTime:    "not a valid date or time; write a string in quotes",
}

const invalidNumber = "the number has a leading zero, a _ that is not between two digits, or more than 64 bits; write it as a string"

// ambiguous is the message for a value that the index and the library read differently.
const ambiguous = "the two TOML parsers of this program disagree about this value; write it in a simpler form"

func notTOML(message string) string { return "not valid TOML: " + message }

// fill completes the indexed node n and its children with the library's value. It fails unless the
// value has exactly the keys, elements and types that the index lists.
func (n *Node) fill(value any) error {
	var kind Kind
	switch value := value.(type) {
	case map[string]any:
		if n.Kind != KindTable || len(n.Members) != len(value) {
			return n.disagree()
		}
		for _, m := range n.Members {
			v, ok := value[m.Name]
			if !ok {
				return n.disagree()
			}
			if err := m.Value.fill(v); err != nil {
				return err
			}
		}
		return nil
	case []map[string]any:
		return fillItems(n, value)
	case []any:
		return fillItems(n, value)
	case string:
		n.Text, kind = value, KindString
	case int64:
		kind = KindInteger
	case float64:
		kind = KindFloat
	case bool:
		kind = KindBoolean
	case time.Time:
		kind = KindTime
	}
	if n.Kind != kind {
		return n.disagree()
	}
	return nil
}

func fillItems[T any](n *Node, values []T) error {
	if n.Kind != KindList || len(n.Items) != len(values) {
		return n.disagree()
	}
	for i, item := range n.Items {
		if err := item.fill(values[i]); err != nil {
			return err
		}
	}
	return nil
}

// disagree returns the error of a value that the index and the library read differently.
func (n *Node) disagree() error { return &syntaxError{max(n.Offset, 0), ambiguous} }
