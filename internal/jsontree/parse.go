package jsontree

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// Error is the error of a document that is not strict JSON or exceeds a limit.
type Error struct {
	// Limit reports whether the document exceeds a limit. Otherwise it is not strict JSON.
	Limit bool
	// Message includes line and column. Both start at 1, and the column counts characters.
	Message string
}

func (e *Error) Error() string { return e.Message }

// Limits of a document.
const (
	// MaxBytes limits the size of a document in bytes.
	MaxBytes = 8 << 20
	// MaxDepth limits the nesting of objects and arrays.
	MaxDepth = 64
	// MaxValues limits the number of values (scalars, arrays and objects), and thereby the memory
	// of a document.
	MaxValues = 1 << 18
	// MaxNumberBytes limits the bytes of a number, unless Bounds.Loose is set.
	MaxNumberBytes = 1024
	// MaxExponent limits the absolute value of an exponent, unless Bounds.Loose is set.
	MaxExponent = 1024
)

// Meter counts units of work; one parsed value is one unit. Spend may panic to stop the work.
type Meter interface{ Spend(work int) }

// Bounds holds the limits for parsing one document.
type Bounds struct {
	// What names the document in errors, such as "the arguments".
	What                 string
	Bytes, Depth, Values int
	// Loose accepts lone surrogates and numbers beyond the limits, for documents that are parsed
	// again by a stricter reader.
	Loose bool
	// Work counts the parsed values; it may be nil.
	Work Meter
}

// Document returns the limits of a document. what names the document in errors, such as
// "the arguments".
func Document(what string) Bounds {
	return Bounds{What: what, Bytes: MaxBytes, Depth: MaxDepth, Values: MaxValues}
}

// Message returns the limits for a protocol message. The message may contain a document that is
// parsed again, so the limits are Loose and allow a depth of 1000. Duplicate field names are still
// errors. The caller must limit the bytes of the message.
func Message() Bounds {
	return Bounds{What: "the message", Bytes: math.MaxInt, Depth: 1000, Values: MaxValues + 1024, Loose: true}
}

// parser reads one JSON document. Unlike encoding/json, it rejects documents that two parsers could
// understand differently.
type parser struct {
	src    string
	pos    int
	bounds Bounds
	values int
}

// Parse parses a document, which must contain exactly one value. The error is an *[Error].
func Parse[T ~string | ~[]byte](text T, b Bounds) (Value, error) {
	v, err := parseText(string(text), b)
	if err != nil {
		return Value{}, err
	}
	return v, nil
}

func parseText(src string, b Bounds) (Value, *Error) {
	if len(src) > b.Bytes {
		return Value{}, &Error{true, fmt.Sprintf("%s may be at most %d bytes long, got %d", b.What, b.Bytes, len(src))}
	}
	p := parser{src: src, bounds: b}
	if strings.HasPrefix(src, "\ufeff") {
		return Value{}, p.syntax(0, "byte order mark; send UTF-8 without one")
	}
	if !utf8.ValidString(src) {
		return Value{}, p.syntax(invalidUTF8(src), "bytes that are not UTF-8")
	}
	p.space()
	v, err := p.value(1)
	if err != nil {
		return Value{}, err
	}
	p.space()
	if p.pos < len(src) {
		return Value{}, p.syntax(p.pos, "unexpected %s after the value", p.found(p.pos))
	}
	return v, nil
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8.
func invalidUTF8(s string) int {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size <= 1 {
				return i
			}
		}
	}
	return len(s)
}

func (p *parser) syntax(offset int, format string, args ...any) *Error {
	return p.fail(false, "invalid JSON in", offset, format, args...)
}

func (p *parser) limit(offset int, format string, args ...any) *Error {
	return p.fail(true, "too much in", offset, format, args...)
}

func (p *parser) fail(limit bool, verdict string, offset int, format string, args ...any) *Error {
	before := p.src[:offset]
	line := strings.Count(before, "\n") + 1
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	return &Error{limit, fmt.Sprintf("%s %s at line %d, column %d: %s",
		verdict, p.bounds.What, line, column, fmt.Sprintf(format, args...))}
}

// found describes the token at offset for a message.
func (p *parser) found(offset int) string {
	if offset >= len(p.src) {
		return "end of text"
	}
	end := offset
	for end < len(p.src) && isWordByte(p.src[end]) {
		end++
	}
	if end == offset {
		_, size := utf8.DecodeRuneInString(p.src[offset:])
		end += size
	}
	return QuoteName(p.src[offset:end])
}

func isWordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
}

func (p *parser) space() {
	for p.pos < len(p.src) {
		switch p.src[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

// next returns the byte at the position, or 0 at the end. No JSON token starts with a zero byte.
func (p *parser) next() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

// value reads one value. depth is the depth of the value if it is an object or an array.
func (p *parser) value(depth int) (Value, *Error) {
	p.values++
	if p.bounds.Work != nil {
		p.bounds.Work.Spend(1)
	}
	if p.values > p.bounds.Values {
		return Value{}, p.limit(p.pos, "more than %d values", p.bounds.Values)
	}
	switch c := p.next(); {
	case c == '{' || c == '[':
		if depth > p.bounds.Depth {
			return Value{}, p.limit(p.pos, "nesting deeper than %d levels", p.bounds.Depth)
		}
		if c == '{' {
			return p.object(depth)
		}
		return p.array(depth)
	case c == '"':
		literal, err := p.str()
		return Value{Kind: String, Literal: literal}, err
	case c == '-' || c >= '0' && c <= '9':
		literal, err := p.number()
		return Value{Kind: Number, Literal: literal}, err
	}
	for _, word := range [...]struct {
		literal string
		Kind    Kind
	}{{"true", Boolean}, {"false", Boolean}, {"null", Null}} {
		rest, ok := strings.CutPrefix(p.src[p.pos:], word.literal)
		if ok && (rest == "" || !isWordByte(rest[0])) {
			p.pos += len(word.literal)
			return Value{Kind: word.Kind, Literal: word.literal}, nil
		}
	}
	return Value{}, p.syntax(p.pos, "expected a value, got %s%s", p.found(p.pos), literalHint(p.src[p.pos:]))
}

// literalHint explains mistakes that models make with the literals of other languages.
func literalHint(rest string) string {
	switch {
	case strings.HasPrefix(rest, "NaN"), strings.HasPrefix(rest, "Infinity"):
		return "; JSON has no NaN and no Infinity"
	case strings.HasPrefix(rest, "True"), strings.HasPrefix(rest, "False"), strings.HasPrefix(rest, "None"):
		return "; JSON writes true, false and null"
	case strings.HasPrefix(rest, "'"):
		return "; JSON strings need double quotes"
	case strings.HasPrefix(rest, "+"):
		return "; JSON numbers have no plus sign"
	}
	return ""
}

func (p *parser) object(depth int) (Value, *Error) {
	v := Value{Kind: Object, Members: []Member{}}
	names := nameSet{}
	p.pos++ // {
	p.space()
	if p.next() == '}' {
		p.pos++
		return v, nil
	}
	for {
		start := p.pos
		if p.next() != '"' {
			return v, p.syntax(start, "expected a field name in double quotes, got %s", p.found(start))
		}
		literal, err := p.str()
		if err != nil {
			return v, err
		}
		name := unquote(literal)
		if !names.add(v.Members, name) {
			return v, p.syntax(start, "field %s is given twice", QuoteName(name))
		}
		p.space()
		if p.next() != ':' {
			return v, p.syntax(p.pos, "expected ':' after field %s, got %s", QuoteName(name), p.found(p.pos))
		}
		p.pos++
		p.space()
		child, err := p.value(depth + 1)
		if err != nil {
			return v, err
		}
		v.Members = append(v.Members, Member{Name: name, Literal: literal, Value: child})
		more, err := p.more('}')
		if err != nil || !more {
			return v, err
		}
	}
}

func (p *parser) array(depth int) (Value, *Error) {
	v := Value{Kind: Array, Items: []Value{}}
	p.pos++ // [
	p.space()
	if p.next() == ']' {
		p.pos++
		return v, nil
	}
	for {
		child, err := p.value(depth + 1)
		if err != nil {
			return v, err
		}
		v.Items = append(v.Items, child)
		more, err := p.more(']')
		if err != nil || !more {
			return v, err
		}
	}
}

// more reads the token after a member or an item: a comma or the end.
func (p *parser) more(end byte) (bool, *Error) {
	p.space()
	switch p.next() {
	case end:
		p.pos++
		return false, nil
	case ',':
		p.pos++
		p.space()
		if p.next() == end {
			return false, p.syntax(p.pos, "comma before %q", end)
		}
		return true, nil
	}
	return false, p.syntax(p.pos, "expected ',' or %q, got %s", end, p.found(p.pos))
}

// nameSet detects duplicate names. It uses a map only for larger objects.
type nameSet struct{ seen map[string]struct{} }

func (s *nameSet) add(members []Member, name string) bool {
	const few = 8
	if len(members) < few {
		for i := range members {
			if members[i].Name == name {
				return false
			}
		}
		return true
	}
	if s.seen == nil {
		s.seen = make(map[string]struct{}, 2*few)
		for i := range members {
			s.seen[members[i].Name] = struct{}{}
		}
	}
	if _, ok := s.seen[name]; ok {
		return false
	}
	s.seen[name] = struct{}{}
	return true
}
