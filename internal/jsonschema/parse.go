package jsonschema

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"
)

// ParseStrict checks that doc is one strict JSON value (see the package
// comment) within the ceilings for documents. The error is [Faults] with one
// entry of [KindSyntax] or [KindLimit] that gives line and column, both
// counted from 1, the column in characters.
func ParseStrict(doc []byte) error {
	if _, fault := parse(string(doc), documentBounds("the document")); fault != nil {
		return Faults{*fault}
	}
	return nil
}

// parser reads one JSON text. Unlike encoding/json it rejects what two readers
// could take differently.
type parser struct {
	src    string
	pos    int
	bounds bounds
	values int
}

// parse reads src, which must hold exactly one value.
func parse(src string, b bounds) (value, *Fault) {
	if len(src) > b.bytes {
		return value{}, &Fault{
			Kind:    KindLimit,
			Message: fmt.Sprintf("%s may be at most %d bytes long, got %d", b.what, b.bytes, len(src)),
		}
	}
	p := parser{src: src, bounds: b}
	if strings.HasPrefix(src, "\ufeff") {
		return value{}, p.syntax(0, "byte order mark; send UTF-8 without one")
	}
	if !utf8.ValidString(src) {
		return value{}, p.syntax(invalidUTF8(src), "bytes that are not UTF-8")
	}
	p.space()
	v, fault := p.value(1)
	if fault != nil {
		return value{}, fault
	}
	p.space()
	if p.pos < len(src) {
		return value{}, p.syntax(p.pos, "unexpected %s after the value", p.found(p.pos))
	}
	return v, nil
}

// parseWithin is parse until ctx is done. The error is [Faults], or the cause of ctx's end.
func parseWithin(ctx context.Context, src string, b bounds) (v value, err error) {
	b.work = untilDone(ctx)
	var fault *Fault
	if err := limited(b.what, func() { v, fault = parse(src, b) }); err != nil {
		return value{}, err
	}
	if fault != nil {
		return value{}, Faults{*fault}
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

func (p *parser) syntax(offset int, format string, args ...any) *Fault {
	return p.fault(KindSyntax, "invalid JSON in", offset, format, args...)
}

func (p *parser) limit(offset int, format string, args ...any) *Fault {
	return p.fault(KindLimit, "too much in", offset, format, args...)
}

func (p *parser) fault(k Kind, verdict string, offset int, format string, args ...any) *Fault {
	before := p.src[:offset]
	line := strings.Count(before, "\n") + 1
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	return &Fault{Kind: k, Message: fmt.Sprintf("%s %s at line %d, column %d: %s",
		verdict, p.bounds.what, line, column, fmt.Sprintf(format, args...))}
}

// found describes what stands at offset, for a message.
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
	return quoteName(p.src[offset:end])
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

// next returns the byte at the position, or 0 at the end: no token of JSON
// starts with a zero byte.
func (p *parser) next() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

// value reads one value; depth is what it would have as a container.
func (p *parser) value(depth int) (value, *Fault) {
	p.values++
	p.bounds.work.spend(1)
	if p.values > p.bounds.values {
		return value{}, p.limit(p.pos, "more than %d values", p.bounds.values)
	}
	switch c := p.next(); {
	case c == '{' || c == '[':
		if depth > p.bounds.depth {
			return value{}, p.limit(p.pos, "nesting deeper than %d levels", p.bounds.depth)
		}
		if c == '{' {
			return p.object(depth)
		}
		return p.array(depth)
	case c == '"':
		literal, fault := p.str()
		return value{kind: kindString, literal: literal}, fault
	case c == '-' || c >= '0' && c <= '9':
		literal, fault := p.number()
		return value{kind: kindNumber, literal: literal}, fault
	}
	for _, word := range [...]struct {
		literal string
		kind    kind
	}{{"true", kindBoolean}, {"false", kindBoolean}, {"null", kindNull}} {
		rest, ok := strings.CutPrefix(p.src[p.pos:], word.literal)
		if ok && (rest == "" || !isWordByte(rest[0])) {
			p.pos += len(word.literal)
			return value{kind: word.kind, literal: word.literal}, nil
		}
	}
	return value{}, p.syntax(p.pos, "expected a value, got %s%s", p.found(p.pos), literalHint(p.src[p.pos:]))
}

// literalHint explains literals of other languages that models write.
func literalHint(rest string) string {
	switch {
	case strings.HasPrefix(rest, "NaN"), strings.HasPrefix(rest, "Infinity"):
		return "; JSON has no NaN and no Infinity"
	case strings.HasPrefix(rest, "True"), strings.HasPrefix(rest, "False"), strings.HasPrefix(rest, "None"):
		return "; JSON writes true, false and null"
	case strings.HasPrefix(rest, "'"):
		return "; JSON strings take double quotes"
	case strings.HasPrefix(rest, "+"):
		return "; JSON numbers take no plus sign"
	}
	return ""
}

func (p *parser) object(depth int) (value, *Fault) {
	v := value{kind: kindObject, members: []member{}}
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
		literal, fault := p.str()
		if fault != nil {
			return v, fault
		}
		name := unquote(literal)
		if !names.add(v.members, name) {
			return v, p.syntax(start, "field %s is given twice", quoteName(name))
		}
		p.space()
		if p.next() != ':' {
			return v, p.syntax(p.pos, "expected ':' after field %s, got %s", quoteName(name), p.found(p.pos))
		}
		p.pos++
		p.space()
		child, fault := p.value(depth + 1)
		if fault != nil {
			return v, fault
		}
		v.members = append(v.members, member{name: name, literal: literal, value: child})
		more, fault := p.more('}')
		if fault != nil || !more {
			return v, fault
		}
	}
}

func (p *parser) array(depth int) (value, *Fault) {
	v := value{kind: kindArray, items: []value{}}
	p.pos++ // [
	p.space()
	if p.next() == ']' {
		p.pos++
		return v, nil
	}
	for {
		child, fault := p.value(depth + 1)
		if fault != nil {
			return v, fault
		}
		v.items = append(v.items, child)
		more, fault := p.more(']')
		if fault != nil || !more {
			return v, fault
		}
	}
}

// more reads what follows a member or an item: a comma or the end.
func (p *parser) more(end byte) (bool, *Fault) {
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

// nameSet finds repeated names; small objects need no map.
type nameSet struct{ seen map[string]struct{} }

func (s *nameSet) add(members []member, name string) bool {
	const few = 8
	if len(members) < few {
		for i := range members {
			if members[i].name == name {
				return false
			}
		}
		return true
	}
	if s.seen == nil {
		s.seen = make(map[string]struct{}, 2*few)
		for i := range members {
			s.seen[members[i].name] = struct{}{}
		}
	}
	if _, ok := s.seen[name]; ok {
		return false
	}
	s.seen[name] = struct{}{}
	return true
}
