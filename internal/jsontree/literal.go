package jsontree

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// str reads a string and returns its literal.
func (p *parser) str() (string, *Error) {
	start := p.pos
	p.pos++ // quote
	for p.pos < len(p.src) {
		switch c := p.src[p.pos]; {
		case c == '"':
			p.pos++
			return p.src[start:p.pos], nil
		case c == '\\':
			if err := p.escape(); err != nil {
				return "", err
			}
		case c < ' ':
			return "", p.syntax(p.pos, "control character %q in a string; write it as an escape", c)
		default:
			p.pos++
		}
	}
	return "", p.syntax(start, "string is not terminated")
}

func (p *parser) escape() *Error {
	rest := p.src[p.pos+1:]
	if rest == "" {
		return p.syntax(p.pos, "string is not terminated")
	}
	if strings.IndexByte(`"\/bfnrt`, rest[0]) >= 0 {
		p.pos += 2
		return nil
	}
	if rest[0] != 'u' {
		_, size := utf8.DecodeRuneInString(rest)
		return p.syntax(p.pos, "unknown escape \\%s in a string", rest[:size])
	}
	r := hex4(rest[1:])
	if r < 0 {
		return p.syntax(p.pos, "\\u must be followed by four hexadecimal digits")
	}
	p.pos += 6
	if !utf16.IsSurrogate(r) {
		return nil
	}
	low := p.src[p.pos:]
	if p.bounds.Loose {
		return nil // the other half is parsed as a separate escape
	}
	if !strings.HasPrefix(low, `\u`) || utf16.DecodeRune(r, hex4(low[2:])) == utf8.RuneError {
		return p.syntax(p.pos-6, "lone surrogate in a string")
	}
	p.pos += 6
	return nil
}

// number reads a number and returns its literal.
func (p *parser) number() (string, *Error) {
	start := p.pos
	if p.next() == '-' {
		p.pos++
	}
	whole := p.digits()
	switch {
	case whole == "":
		return "", p.syntax(start, "expected a digit after '-', got %s%s", p.found(p.pos), literalHint(p.src[p.pos:]))
	case len(whole) > 1 && whole[0] == '0':
		return "", p.syntax(start, "number with a leading zero")
	}
	if p.next() == '.' {
		p.pos++
		if p.digits() == "" {
			return "", p.syntax(p.pos, "expected a digit after the decimal point, got %s", p.found(p.pos))
		}
	}
	exponent := "0"
	if c := p.next(); c == 'e' || c == 'E' {
		p.pos++
		if c := p.next(); c == '+' || c == '-' {
			p.pos++
		}
		if exponent = p.digits(); exponent == "" {
			return "", p.syntax(p.pos, "expected a digit in the exponent, got %s", p.found(p.pos))
		}
	}
	if isWordByte(p.next()) {
		return "", p.syntax(start, "unexpected %s in a number", p.found(p.pos))
	}
	if p.bounds.Loose {
		return p.src[start:p.pos], nil
	}
	if p.pos-start > MaxNumberBytes {
		return "", p.limit(start, "number longer than %d characters", MaxNumberBytes)
	}
	if n, err := strconv.Atoi(exponent); err != nil || n > MaxExponent {
		return "", p.limit(start, "number with an exponent beyond %d", MaxExponent)
	}
	return p.src[start:p.pos], nil
}

func (p *parser) digits() string {
	start := p.pos
	for p.pos < len(p.src) && p.src[p.pos] >= '0' && p.src[p.pos] <= '9' {
		p.pos++
	}
	return p.src[start:p.pos]
}

// unquote returns the content of a string literal, which the parser must have accepted.
func unquote(literal string) string {
	s := literal[1 : len(literal)-1]
	next := strings.IndexByte(s, '\\')
	if next < 0 {
		return s
	}
	buf := make([]byte, 0, len(s))
	for ; next >= 0; next = strings.IndexByte(s, '\\') {
		buf = append(buf, s[:next]...)
		escape := s[next+1]
		s = s[next+2:]
		switch escape {
		case 'b':
			buf = append(buf, '\b')
		case 'f':
			buf = append(buf, '\f')
		case 'n':
			buf = append(buf, '\n')
		case 'r':
			buf = append(buf, '\r')
		case 't':
			buf = append(buf, '\t')
		case 'u':
			r := hex4(s)
			s = s[4:]
			if utf16.IsSurrogate(r) {
				low := rune(-1)
				if strings.HasPrefix(s, `\u`) {
					low = hex4(s[2:])
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					s = s[6:]
				}
			}
			buf = utf8.AppendRune(buf, r)
		default: // a quote, a backslash or a slash
			buf = append(buf, escape)
		}
	}
	return string(append(buf, s...))
}

// hex4 reads four hexadecimal digits, or returns -1.
func hex4(s string) rune {
	if len(s) < 4 {
		return -1
	}
	n, err := strconv.ParseUint(s[:4], 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}
