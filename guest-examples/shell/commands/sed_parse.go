package commands

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// address selects lines: a line number, the last line, every step-th line, or the lines that match
// a pattern. isPattern with a nil pattern means the last used pattern.
type address struct {
	line, step int
	last       bool
	isPattern  bool
	pattern    *lineMatcher
	// more is the number of further lines in a range (+N). multiple means that the range ends at
	// the next line whose number is a multiple of it (~N).
	more, multiple int
}

// isNumber reports whether the address is a single line number.
func (a *address) isNumber() bool { return !a.isPattern && !a.last && a.step <= 0 }

// isZero reports whether a range begins before the first line. The address may be nil.
func (a *address) isZero() bool { return a != nil && a.isNumber() && a.line == 0 && a.step == 0 }

// sedCommand is a command with its addresses.
type sedCommand struct {
	name     byte
	from, to *address
	negated  bool
	inRange  bool // the current line is in the range
	closed   bool // whether a range that begins at a line number has ended
	rangeEnd int  // the last line of the range, if known

	text        string // the lines that a, i or c writes
	label       string
	target      int // index of the command to run after a jump (b, t, T) or a { that did not match
	file        string
	status      int
	pattern     *lineMatcher // nil means the last used pattern
	replacement []replacementPart
	groups      bool // the replacement has groups of the match
	global      bool
	print       bool
	number      int
	table       map[rune]rune // the characters that y replaces
}

func (c *sedCommand) reads() bool { return c.name == 'r' || c.name == 'R' }

// maxCommands limits the commands of a script.
const maxCommands = 10000

type sedParser struct {
	text    string
	at      int
	kind    syntax
	program []sedCommand
	blocks  []int
	labels  map[string]int
}

func parseSed(text string, kind syntax) ([]sedCommand, error) {
	s := &sedParser{text: text, kind: kind, labels: map[string]int{}}
	for {
		s.skip(" \t\n;")
		if s.at == len(s.text) {
			break
		}
		if err := s.command(); err != nil {
			return nil, fmt.Errorf("char %d: %w", min(s.at, len(text)), err)
		}
		if len(s.program) > maxCommands {
			return nil, fmt.Errorf("char %d: the script has more than %d commands", s.at, maxCommands)
		}
	}
	if len(s.blocks) > 0 {
		return nil, errors.New("char 0: unmatched `{'")
	}
	for i := range s.program {
		c := &s.program[i]
		if strings.IndexByte("btT", c.name) < 0 {
			continue
		}
		c.target = len(s.program)
		if c.label != "" {
			target, ok := s.labels[c.label]
			if !ok {
				return nil, fmt.Errorf("char %d: can't find label for jump to `%s'", len(text), c.label)
			}
			c.target = target
		}
	}
	return s.program, nil
}

func (s *sedParser) skip(set string) {
	for s.at < len(s.text) && strings.IndexByte(set, s.text[s.at]) >= 0 {
		s.at++
	}
}

// peek returns the next byte, or 0 at the end.
func (s *sedParser) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *sedParser) command() error {
	c := sedCommand{}
	var err error
	if c.from, err = s.address(); err != nil {
		return err
	}
	if s.skip(" \t"); c.from != nil && s.peek() == ',' {
		s.at++
		s.skip(" \t")
		if c.to, err = s.address(); err != nil {
			return err
		}
		if c.to == nil {
			return errors.New("unexpected `,'")
		}
	}
	if c.from.isZero() && (c.to == nil || !c.to.isPattern) {
		return errors.New("invalid usage of line address 0")
	}
	for s.skip(" \t"); s.peek() == '!'; s.skip(" \t!") {
		c.negated = true
		s.at++
	}
	if s.at == len(s.text) {
		return errors.New("missing command")
	}
	c.name = s.text[s.at]
	s.at++
	if err := s.arguments(&c); err != nil {
		return err
	}
	return nil
}

func (s *sedParser) number() int {
	start := s.at
	for s.at < len(s.text) && isDigit(s.text[s.at]) {
		s.at++
	}
	n, err := strconv.Atoi(s.text[start:s.at])
	if err != nil {
		return int(^uint(0) >> 1) // greater than the number of any line
	}
	return n
}

// address parses an address. It returns nil if the script has no address here.
func (s *sedParser) address() (*address, error) {
	switch c := s.peek(); {
	case isDigit(c):
		a := &address{line: s.number()}
		if s.skip(" \t"); s.peek() == '~' {
			s.at++
			if a.step = 1; isDigit(s.peek()) {
				a.step = s.number()
			}
			if a.step == 0 {
				a.step = -1 // only this line
			}
		}
		return a, nil
	case c == '$':
		s.at++
		return &address{last: true}, nil
	case c == '+', c == '~':
		s.at++
		if !isDigit(s.peek()) {
			return nil, errors.New("expected a number")
		}
		if c == '+' {
			return &address{more: s.number(), line: -1}, nil
		}
		return &address{multiple: s.number(), line: -1}, nil
	case c == '/' || c == '\\':
		if s.at++; c == '\\' {
			if c = s.peek(); c == 0 {
				return nil, errors.New("unexpected end of an address")
			}
			s.at++
		}
		text, ok := s.delimited(c, true)
		if !ok {
			return nil, errors.New("unterminated address regex")
		}
		flags := ""
		for ; s.peek() == 'I' || s.peek() == 'M'; s.at++ {
			flags += strings.ToLower(string(rune(s.peek())))
		}
		a := &address{isPattern: true}
		var err error
		a.pattern, err = s.compile(text, flags)
		return a, err
	}
	return nil, nil
}

// compile compiles a pattern. It returns nil for an empty pattern.
func (s *sedParser) compile(text, flags string) (*lineMatcher, error) {
	if text == "" {
		return nil, nil
	}
	re, _, err := compilePattern(sedEscapes(text), s.kind, flags)
	if err != nil {
		return nil, err
	}
	return &lineMatcher{Regexp: re}, nil
}

// delimited reads up to the delimiter. A delimiter that is escaped, or is in a bracket expression
// of a pattern, is literal.
func (s *sedParser) delimited(delimiter byte, pattern bool) (string, bool) {
	var out strings.Builder
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch {
		case c == delimiter:
			s.at++
			return out.String(), true
		case c == '\\' && s.at+1 < len(s.text):
			next := s.text[s.at+1]
			switch {
			case next == delimiter && (delimiter != '&' || pattern):
				out.WriteByte(next)
			case next == 'n' && pattern:
				out.WriteByte('\n')
			default:
				out.WriteString(s.text[s.at : s.at+2])
			}
			s.at += 2
			continue
		case c == '[' && pattern:
			n := bracketLength(s.text[s.at:])
			out.WriteString(s.text[s.at : s.at+n])
			s.at += n
			continue
		case c == '\n' && pattern:
			return "", false
		}
		out.WriteByte(c)
		s.at++
	}
	return "", false
}

// bracketLength returns the length of the bracket expression at the start of text. It returns 1 if
// text does not start with a bracket expression.
func bracketLength(text string) int {
	t := translator{rest: text}
	if t.bracket() != nil {
		return 1
	}
	return len(text) - len(t.rest)
}

// sedEscapes replaces escapes such as \t and \xHH with their bytes. If such a byte has a special
// meaning in patterns, it stays escaped.
func sedEscapes(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			out.WriteByte(text[i])
			continue
		}
		i++
		if at := strings.IndexByte("afrtv", text[i]); at >= 0 {
			out.WriteByte("\a\f\r\t\v"[at])
			continue
		}
		if b, n := numericEscape(text[i:]); n > 0 {
			if strings.IndexByte(`\.[]*^$/&+?(){}|`, b) >= 0 {
				out.WriteByte('\\')
			}
			out.WriteByte(b)
			i += n - 1
			continue
		}
		out.WriteString(text[i-1 : i+1])
	}
	return out.String()
}

// numericEscape parses xHH, oNNN or dNNN. It returns the byte and the length of the escape, or a
// length of 0 if the escape is invalid.
func numericEscape(text string) (byte, int) {
	base, digits := 0, 3
	switch text[0] {
	case 'x':
		base, digits = 16, 2
	case 'o':
		base = 8
	case 'd':
		base = 10
	default:
		return 0, 0
	}
	for n := min(digits, len(text)-1); n > 0; n-- {
		if v, err := strconv.ParseUint(text[1:1+n], base, 8); err == nil {
			return byte(v), 1 + n
		}
	}
	return 0, 0
}
