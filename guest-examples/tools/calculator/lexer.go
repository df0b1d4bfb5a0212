package calculator

import (
	"fmt"
	"strings"
	"unicode"
)

// kind is the kind of a token: one of the constants below, or the character of an operator or
// bracket. The operator ** has the kind '^'.
type kind rune

const (
	end    kind = -1
	number kind = -2
	name   kind = -3
)

// token is a piece of an expression.
type token struct {
	kind   kind
	text   string
	column int // 1-based, in characters
}

// String describes the token for an error.
func (t token) String() string {
	if t.kind == end {
		return "the end"
	}
	return fmt.Sprintf("%q", t.text)
}

// columnError is an error at a column of an expression.
type columnError struct {
	column int
	err    error
}

func (e *columnError) Error() string { return fmt.Sprintf("column %d: %v", e.column, e.err) }

func (e *columnError) Unwrap() error { return e.err }

// lexer splits an expression into tokens.
type lexer struct {
	text []rune
	at   int
}

// operators maps the characters of operators and brackets to their kinds. It includes typographic
// variants, because people and models paste them.
var operators = map[rune]kind{
	'+': '+', '-': '-', '*': '*', '/': '/', '%': '%', '^': '^', '(': '(', ')': ')', ',': ',',
	'−': '-', '×': '*', '·': '*', '÷': '/',
}

// next returns the next token.
func (l *lexer) next() (token, error) {
	for l.at < len(l.text) && unicode.IsSpace(l.text[l.at]) {
		l.at++
	}
	start := l.at
	if start == len(l.text) {
		return token{kind: end, column: start + 1}, nil
	}
	t := token{column: start + 1}
	switch r := l.text[start]; {
	case isDigit(r) || r == '.':
		t.kind = number
		l.number()
	case isLetter(r):
		t.kind = name
		l.skip(func(r rune) bool { return isLetter(r) || isDigit(r) })
	case operators[r] != 0:
		t.kind = operators[r]
		l.at++
		if r == '*' && l.at < len(l.text) && l.text[l.at] == '*' {
			t.kind = '^'
			l.at++
		}
	default:
		return t, &columnError{t.column, fmt.Errorf("%q is not part of an expression; use numbers, + - * / %% ^, brackets and functions", r)}
	}
	t.text = string(l.text[start:l.at])
	return t, nil
}

// number skips digits with an optional point and exponent. A character that does not belong to
// the number begins the next token.
func (l *lexer) number() {
	l.skip(isDigit)
	if l.at < len(l.text) && l.text[l.at] == '.' {
		l.at++
		l.skip(isDigit)
	}
	mantissa := l.at
	if l.at < len(l.text) && (l.text[l.at] == 'e' || l.text[l.at] == 'E') {
		l.at++
		if l.at < len(l.text) && strings.ContainsRune("+-", l.text[l.at]) {
			l.at++
		}
		digits := l.at
		if l.skip(isDigit); l.at == digits {
			l.at = mantissa
		}
	}
}

func (l *lexer) skip(belongs func(rune) bool) {
	for l.at < len(l.text) && belongs(l.text[l.at]) {
		l.at++
	}
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func isLetter(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || strings.ContainsRune("_π°µμ", r)
}
