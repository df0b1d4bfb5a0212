package pdftext

import (
	"bytes"
	"strconv"
)

// kind is the kind of a token.
type kind byte

const (
	end kind = iota
	number
	text // a string, in parentheses or angle brackets
	name
	operator
	list // an array, or a dictionary with alternating keys and values
)

// token is an operand or operator of a content stream, or of a CMap.
type token struct {
	kind   kind
	number float64
	text   string // content of a string, name or operator
	list   []token
}

const (
	// maxOperands limits the operands before an operator and the elements of a list; the rest is
	// dropped.
	maxOperands = 100_000
	maxNesting  = 16
)

// lexer splits bytes into tokens. It accepts any bytes.
type lexer struct {
	data []byte
	at   int
}

// instruction returns the next operator and its operands, or an operator of the kind end if there
// is none.
func (l *lexer) instruction() (operands []token, op token) {
	for {
		t := l.next(0)
		if t.kind == end || t.kind == operator {
			return operands, t
		}
		if len(operands) < maxOperands {
			operands = append(operands, t)
		}
	}
}

func (l *lexer) next(depth int) token {
	l.space()
	if l.at >= len(l.data) {
		return token{}
	}
	c := l.data[l.at]
	switch {
	case c == '(':
		return token{kind: text, text: l.literal()}
	case c == '<' && l.peek(1) == '<':
		l.at += 2
		return l.list(depth)
	case c == '<':
		return token{kind: text, text: l.hex()}
	case c == '[':
		l.at++
		return l.list(depth)
	case c == '/':
		l.at++
		return token{kind: name, text: l.name()}
	case c == '>' && l.peek(1) == '>':
		l.at += 2
		return token{kind: operator, text: ">>"}
	case isDelimiter(c):
		l.at++
		return token{kind: operator, text: string(c)}
	}
	word := l.word()
	if c == '+' || c == '-' || c == '.' || c >= '0' && c <= '9' {
		if n, err := strconv.ParseFloat(word, 64); err == nil {
			return token{kind: number, number: n}
		}
	}
	return token{kind: operator, text: word}
}

// list parses a list in brackets. Operators in the list, such as true, are dropped.
func (l *lexer) list(depth int) token {
	t := token{kind: list}
	for depth < maxNesting {
		element := l.next(depth + 1)
		if element.kind == end || element.kind == operator && (element.text == "]" || element.text == ">>") {
			break
		}
		if element.kind != operator && len(t.list) < maxOperands {
			t.list = append(t.list, element)
		}
	}
	return t
}

func (l *lexer) peek(ahead int) byte {
	if l.at+ahead < len(l.data) {
		return l.data[l.at+ahead]
	}
	return 0
}

// space skips white space and comments.
func (l *lexer) space() {
	for ; l.at < len(l.data); l.at++ {
		if c := l.data[l.at]; c == '%' {
			for l.at < len(l.data) && l.data[l.at] != '\n' && l.data[l.at] != '\r' {
				l.at++
			}
		} else if !isSpace(c) {
			return
		}
	}
}

// word reads up to the end of a word, and at least one byte.
func (l *lexer) word() string {
	start := l.at
	for l.at++; l.at < len(l.data) && !isSpace(l.data[l.at]) && !isDelimiter(l.data[l.at]); {
		l.at++
	}
	return string(l.data[start:l.at])
}

func (l *lexer) name() string {
	start := l.at
	for l.at < len(l.data) && !isSpace(l.data[l.at]) && !isDelimiter(l.data[l.at]) {
		l.at++
	}
	raw := l.data[start:l.at]
	if bytes.IndexByte(raw, '#') < 0 {
		return string(raw)
	}
	var b []byte
	for i := 0; i < len(raw); i++ {
		if raw[i] == '#' && i+2 < len(raw) {
			if n, err := strconv.ParseUint(string(raw[i+1:i+3]), 16, 8); err == nil {
				b, i = append(b, byte(n)), i+2
				continue
			}
		}
		b = append(b, raw[i])
	}
	return string(b)
}

// literal reads a string in parentheses, which may be nested.
func (l *lexer) literal() string {
	var b []byte
	open := 0
	for ; l.at < len(l.data); l.at++ {
		c := l.data[l.at]
		switch c {
		case '(':
			if open++; open == 1 {
				continue
			}
		case ')':
			if open--; open == 0 {
				l.at++
				return string(b)
			}
		case '\\':
			b = l.escape(b)
			continue
		}
		b = append(b, c)
	}
	return string(b)
}

// escape appends the character of the escape sequence at the reading position. It stops at the last
// byte of the sequence.
func (l *lexer) escape(b []byte) []byte {
	l.at++
	switch c := l.peek(0); c {
	case 'n':
		return append(b, '\n')
	case 'r':
		return append(b, '\r')
	case 't':
		return append(b, '\t')
	case 'b':
		return append(b, '\b')
	case 'f':
		return append(b, '\f')
	case '\r':
		if l.peek(1) == '\n' {
			l.at++
		}
		return b
	case '\n':
		return b
	case '0', '1', '2', '3', '4', '5', '6', '7':
		code := c - '0'
		for range 2 {
			next := l.peek(1)
			if next < '0' || next > '7' {
				break
			}
			code = code<<3 | (next - '0')
			l.at++
		}
		return append(b, code)
	default:
		return append(b, c)
	}
}

// hex reads a string in angle brackets.
func (l *lexer) hex() string {
	var b []byte
	digits, value := 0, byte(0)
	for l.at++; l.at < len(l.data); l.at++ {
		c := l.data[l.at]
		if c == '>' {
			l.at++
			break
		}
		digit, ok := hexDigit(c)
		if !ok {
			continue
		}
		value = value<<4 | digit
		if digits++; digits%2 == 0 {
			b = append(b, value)
		}
	}
	if digits%2 == 1 {
		b = append(b, value<<4)
	}
	return string(b)
}

func hexDigit(c byte) (digit byte, ok bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// image skips the bytes of an inline image after the operator ID, up to a separate EI.
func (l *lexer) image() {
	for l.at < len(l.data) {
		i := bytes.Index(l.data[l.at:], []byte("EI"))
		if i < 0 {
			l.at = len(l.data)
			return
		}
		before := l.at + i - 1
		l.at += i + 2
		if before >= 0 && isSpace(l.data[before]) && (l.at == len(l.data) || isSpace(l.data[l.at])) {
			return
		}
	}
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelimiter(c byte) bool {
	return bytes.IndexByte([]byte("()<>[]{}/%"), c) >= 0
}
