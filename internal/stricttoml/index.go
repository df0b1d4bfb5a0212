package stricttoml

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/internal/lazyregexp"
)

// Bounds of a file, which are checked before the library reads it. The library needs memory
// quadratic in the depth of a value, keeps the whole path of each key, and recurses.
const (
	// maxKeys limits the parts of all keys and headers, and the lists and tables in lists.
	maxKeys = 4096
	// maxDepth limits how deep tables and lists are nested.
	maxDepth = 100
	// maxPath limits the bytes of a key together with the names of all tables around it.
	maxPath = 1024
)

// indexer reads the structure of a TOML file: its keys, and where each key and value begins and
// ends. It accepts only the grammar of TOML. The library checks the content of numbers, dates and
// strings.
type indexer struct {
	doc document
	// pos is the offset of the next byte.
	pos    int
	keys   int
	shrink string
	root   *Node
	// values are the strings, numbers, dates and booleans, in the order of the file.
	values []scalar
}

// scalar is a value without children, which ends before an offset.
type scalar struct {
	node *Node
	end  int
}

// path is the number of tables and lists around a place, and the bytes of their names.
type path struct{ depth, bytes int }

// keyPart is one part of a dotted key.
type keyPart struct {
	name   string
	offset int
}

// index reads the tree of a file, without the content of strings. A non-nil error is a
// *syntaxError.
func index(doc document, shrink string) (*indexer, error) {
	x := &indexer{doc: doc, shrink: shrink, root: &Node{Offset: WholeFile}}
	table, at := x.root, path{}
	for x.skipLines(); x.pos < len(doc.text); x.skipLines() {
		var err error
		if x.next("[") {
			table, at, err = x.header()
		} else {
			err = x.keyValue(table, at)
		}
		if err == nil {
			err = x.endOfLine()
		}
		if err != nil {
			return nil, err
		}
	}
	return x, nil
}

// header reads the rest of [a.b] or [[a.b]] and returns the table that it opens.
func (x *indexer) header() (table *Node, at path, err error) {
	closing, last := "]", opensTable
	if x.next("[") {
		closing, last = "]]", opensElement
	}
	for table = x.root; ; {
		part, err := x.key(&at)
		if err != nil {
			return nil, at, err
		}
		how := opensParent
		more := x.next(".")
		if !more {
			how = last
		}
		if table, err = x.open(table, part, how); err != nil {
			return nil, at, err
		}
		if !more {
			break
		}
	}
	if !x.next(closing) {
		return nil, at, x.expected(fmt.Sprintf("%q after the name of a table", closing), "")
	}
	return table, at, nil
}

// keyValue reads "a.b = value" into a table.
func (x *indexer) keyValue(table *Node, at path) error {
	for {
		part, err := x.key(&at)
		if err != nil {
			return err
		}
		if x.next(".") {
			if table, err = x.open(table, part, opensDotted); err != nil {
				return err
			}
			continue
		}
		if !x.next("=") {
			return x.expected(`"=" after a key`, "")
		}
		if earlier := table.byName[part.name]; earlier != nil {
			return x.twice(part, earlier)
		}
		x.skipBlanks()
		value, err := x.value(at)
		if err == nil {
			table.add(part.name, part.offset, value)
		}
		return err
	}
}

// key reads one part of a key, with the blanks around it, and extends the path by it.
func (x *indexer) key(at *path) (keyPart, error) {
	x.skipBlanks()
	part := keyPart{offset: x.pos}
	var err error
	switch x.peek() {
	case '"', '\'':
		part.name, err = x.quotedKey()
	default:
		for x.pos < len(x.doc.text) && bareKey(string(x.doc.text[x.pos])) {
			x.pos++
		}
		if part.name = string(x.doc.text[part.offset:x.pos]); part.name == "" {
			err = x.expected("a key", "a key with other characters than A-Z, a-z, 0-9, _ and - needs quotes")
		}
	}
	if err != nil {
		return part, err
	}
	at.depth++
	at.bytes += x.pos - part.offset + len(".")
	err = x.count(part.offset, *at)
	x.skipBlanks()
	return part, err
}

// quotedKey reads a key in quotes. The library resolves escapes.
func (x *indexer) quotedKey() (string, error) {
	start := x.pos
	if err := x.quoted(string(x.peek())); err != nil {
		return "", err
	}
	literal := string(x.doc.text[start:x.pos])
	if literal[0] == '\'' || !strings.Contains(literal, `\`) || len(literal) > maxPath {
		return literal[1 : len(literal)-1], nil
	}
	values, _, ok := decode("k=" + literal)
	if !ok {
		return "", &syntaxError{start, notTOML(invalid[KindString])}
	}
	name, _ := values["k"].(string)
	return name, nil
}

// count bounds the number of keys, the depth of the tree and the length of paths.
func (x *indexer) count(offset int, at path) error {
	x.keys++
	switch {
	case x.keys > maxKeys:
		return &syntaxError{offset, fmt.Sprintf("more than %d keys; %s", maxKeys, x.shrink)}
	case at.depth > maxDepth:
		return &syntaxError{offset, fmt.Sprintf("nested more than %d levels deep", maxDepth)}
	case at.bytes > maxPath:
		return &syntaxError{offset, fmt.Sprintf("longer than %d bytes with the names of its tables; shorten them", maxPath)}
	}
	return nil
}

// value reads a value.
func (x *indexer) value(at path) (*Node, error) {
	n := &Node{Offset: x.pos}
	var err error
	switch c := x.peek(); c {
	case '"', '\'':
		n.Kind = KindString
		quote := string(c)
		if long := strings.Repeat(quote, 3); x.has(long) {
			quote = long
		}
		err = x.quoted(quote)
	case '[':
		n.Kind = KindList
		err = x.elements("]", func() error {
			item, err := x.item(at)
			n.Items = append(n.Items, item)
			return err
		})
	case '{':
		n.origin = writtenInline
		err = x.elements("}", func() error { return x.keyValue(n, at) })
	default:
		n.Kind, n.Text, err = x.scalar()
	}
	if n.Kind != KindList && n.Kind != KindTable {
		x.values = append(x.values, scalar{n, x.pos})
	}
	return n, err
}

// item reads an element of a list. A list or table in a list counts as a key, because it costs
// the library as much.
func (x *indexer) item(at path) (*Node, error) {
	at.depth++
	if c := x.peek(); c == '[' || c == '{' {
		if err := x.count(x.pos, at); err != nil {
			return nil, err
		}
	}
	return x.value(at)
}

// elements reads a list or an inline table whose first bracket is next.
func (x *indexer) elements(closing string, element func() error) error {
	start := x.pos
	for x.pos++; ; {
		if x.skipLines(); x.next(closing) {
			return nil
		}
		if err := element(); err != nil {
			return err
		}
		if x.skipLines(); x.next(",") || x.has(closing) {
			continue
		}
		line, _ := x.doc.position(start)
		return x.expected(fmt.Sprintf(`"," or %q`, closing), fmt.Sprintf("the bracket in line %d is not closed", line))
	}
}

// quoted reads a string between two quotes of one or three characters.
func (x *indexer) quoted(quote string) error {
	start, long := x.pos, len(quote) == 3
	for x.pos += len(quote); x.pos < len(x.doc.text); x.pos++ {
		switch c := x.doc.text[x.pos]; {
		case x.next(quote):
			// One or two quotes directly before the closing quotes belong to the string.
			for range 2 {
				if long {
					x.next(quote[:1])
				}
			}
			return nil
		case c == '\\' && quote[0] == '"':
			x.pos++
		case c == '\n' && !long:
			return &syntaxError{start, notTOML("the string does not end on its line; close it with " + quote)}
		}
	}
	return &syntaxError{start, notTOML("the string does not end; close it with " + quote)}
}

// literals are the forms of values without quotes and brackets, in the order in which they are
// tried. The library decides whether a literal of the form is valid.
var literals = []struct {
	kind Kind
	form lazyregexp.Pattern
}{
	{KindBoolean, lazyregexp.New(`^(true|false)$`)},
	{KindInteger, lazyregexp.New(`^([+-]?[0-9_]+|0x[0-9A-Fa-f_]+|0o[0-7_]+|0b[01_]+)$`)},
	{KindFloat, lazyregexp.New(`^[+-]?(inf|nan|[0-9_]+(\.[0-9_]+)?([eE][+-]?[0-9_]+)?)$`)},
	{KindTime, lazyregexp.New(`^[0-9]+[:-][-+0-9:.TtZz ]*$`)},
}

// dateAndTime matches a date with a blank and the start of a time.
var dateAndTime = lazyregexp.New(`^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]`)

// scalar reads a value without quotes and brackets.
func (x *indexer) scalar() (Kind, string, error) {
	start, rest := x.pos, x.doc.text[x.pos:]
	from := len(dateAndTime.Regexp().Find(rest))
	end := bytes.IndexAny(rest[from:], " \t\r\n,]}#")
	if end < 0 {
		end = len(rest) - from
	}
	x.pos += from + end
	literal := string(x.doc.text[start:x.pos])
	for _, s := range literals {
		if s.form.MatchString(literal) {
			return s.kind, literal, nil
		}
	}
	if literal == "" {
		return 0, "", x.expected("a value", "")
	}
	// Do not repeat the literal: it can be a secret that the author forgot to quote.
	return 0, "", &syntaxError{start, notTOML("not a number, a date, true or false; write strings in quotes")}
}

// endOfLine skips the blanks and the comment after a header or value.
func (x *indexer) endOfLine() error {
	x.skipBlanks()
	if c := x.peek(); c != 0 && !strings.ContainsRune("#\r\n", rune(c)) {
		return x.expected("the end of the line", "")
	}
	return nil
}

func (x *indexer) skipBlanks() {
	x.pos = len(x.doc.text) - len(bytes.TrimLeft(x.doc.text[x.pos:], " \t"))
}

// skipLines skips blanks, comments and line breaks.
func (x *indexer) skipLines() {
	for {
		x.pos = len(x.doc.text) - len(bytes.TrimLeft(x.doc.text[x.pos:], " \t\r\n"))
		if x.peek() != '#' {
			return
		}
		end := bytes.IndexByte(x.doc.text[x.pos:], '\n')
		if end < 0 {
			end = len(x.doc.text) - x.pos
		}
		x.pos += end
	}
}

// has reports whether text is at the current position.
func (x *indexer) has(text string) bool {
	return bytes.HasPrefix(x.doc.text[min(x.pos, len(x.doc.text)):], []byte(text))
}

// next skips text if it is at the current position, and reports whether it was.
func (x *indexer) next(text string) bool {
	ok := x.has(text)
	if ok {
		x.pos += len(text)
	}
	return ok
}

// peek returns the next byte, or 0 at the end.
func (x *indexer) peek() byte {
	if x.pos < len(x.doc.text) {
		return x.doc.text[x.pos]
	}
	return 0
}

// expected returns an error about the next character. The parameter fix says what to do about that
// character, or is "".
func (x *indexer) expected(what, fix string) error {
	got := "the end of the file"
	if r, _ := utf8.DecodeRune(x.doc.text[x.pos:]); r == '\r' || r == '\n' {
		got = "the end of the line"
	} else if x.pos < len(x.doc.text) {
		got = Quote(string(r))
	}
	message := fmt.Sprintf("expected %s, got %s", what, got)
	if fix != "" {
		message += "; " + fix
	}
	return &syntaxError{x.pos, notTOML(message)}
}
