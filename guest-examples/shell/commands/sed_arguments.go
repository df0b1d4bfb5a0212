package commands

import (
	"errors"
	"fmt"
	"strings"
)

// arguments parses the arguments of a command and adds the command to the program.
func (s *sedParser) arguments(c *sedCommand) error {
	switch c.name {
	case '#':
		if c.from != nil {
			return errors.New("comments don't accept any addresses")
		}
		s.line()
		return nil
	case ':':
		if c.from != nil {
			return errors.New(": doesn't want any addresses")
		}
		label := strings.TrimSpace(s.word("\n;"))
		if label == "" {
			return errors.New("\":\" lacks a label")
		}
		s.labels[label] = len(s.program)
		return nil
	case '{':
		s.blocks = append(s.blocks, len(s.program))
		s.program = append(s.program, *c)
		return nil
	case '}':
		if len(s.blocks) == 0 {
			return errors.New("unexpected `}'")
		}
		last := len(s.blocks) - 1
		s.program[s.blocks[last]].target = len(s.program)
		s.blocks = s.blocks[:last]
		return s.end()
	}
	var err error
	switch c.name {
	case '=', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', 'F':
		err = s.end()
	case 'q', 'Q', 'l', 'L':
		if c.to != nil && c.name != 'l' && c.name != 'L' {
			return errors.New("command only uses one address")
		}
		if s.skip(" \t"); isDigit(s.peek()) {
			c.status = s.number()
		}
		err = s.end()
	case 'a', 'i', 'c':
		c.text, err = s.block()
	case 'b', 't', 'T':
		s.skip(" \t")
		c.label = strings.TrimSpace(s.word("\n;}"))
		err = s.end()
	case 'r', 'R', 'w', 'W':
		s.skip(" \t")
		if c.file = s.line(); c.file == "" {
			err = errors.New("missing filename in r/R/w/W commands")
		}
	case 's':
		err = s.substitute(c)
	case 'y':
		err = s.transliterate(c)
	case 'v':
		s.word("\n;")
		return nil
	case 'e':
		return errors.New("the command `e' is not supported: there are no programs to run")
	default:
		return fmt.Errorf("unknown command: `%c'", c.name)
	}
	s.program = append(s.program, *c)
	return err
}

// end returns an error if other text follows the command.
func (s *sedParser) end() error {
	s.skip(" \t")
	switch s.peek() {
	case 0, '}', '#':
		return nil
	case ';', '\n':
		s.at++
		return nil
	}
	return errors.New("extra characters after command")
}

// line reads to the end of the line.
func (s *sedParser) line() string {
	text := s.word("\n")
	s.at = min(s.at+1, len(s.text))
	return text
}

// word reads to the first byte that is in the string ends.
func (s *sedParser) word(ends string) string {
	start := s.at
	if i := strings.IndexAny(s.text[s.at:], ends); i >= 0 {
		s.at += i
	} else {
		s.at = len(s.text)
	}
	return s.text[start:s.at]
}

// block reads the text of the commands a, i and c, up to the first line without a trailing
// backslash.
func (s *sedParser) block() (string, error) {
	if s.skip(" \t"); s.peek() == '\\' {
		if s.at++; s.at == len(s.text) {
			return "", nil // no text at all
		}
		start := s.at
		if s.skip(" \t"); s.peek() == '\n' {
			s.at++
		} else {
			s.at = start // blanks after the backslash belong to the text
		}
	}
	if s.at == len(s.text) {
		return "", errors.New("expected \\ after `a', `c' or `i'")
	}
	var out strings.Builder
	for s.at < len(s.text) {
		c := s.text[s.at]
		s.at++
		if c == '\n' {
			break
		}
		if c == '\\' && s.at < len(s.text) {
			var n int
			c, n = textEscape(s.text[s.at:])
			s.at += n
		}
		out.WriteByte(c)
	}
	return out.String() + "\n", nil
}

// textEscape returns the byte of an escape in the text of a, i or c, and the length of the escape.
// The parameter rest is the text after the backslash, and not empty.
func textEscape(rest string) (byte, int) {
	if at := strings.IndexByte("afnrtv", rest[0]); at >= 0 {
		return "\a\f\n\r\t\v"[at], 1
	}
	if b, n := numericEscape(rest); n > 0 {
		return b, n
	}
	return rest[0], 1
}

func (s *sedParser) substitute(c *sedCommand) error {
	delimiter := s.peek()
	if delimiter == 0 || delimiter == '\n' || delimiter == '\\' {
		return errors.New("unterminated `s' command")
	}
	s.at++
	pattern, ok := s.delimited(delimiter, true)
	if !ok {
		return errors.New("unterminated `s' command")
	}
	replacement, ok := s.delimited(delimiter, false)
	if !ok {
		return errors.New("unterminated `s' command")
	}
	flags := ""
	for done := false; !done; {
		switch f := s.peek(); {
		case f == 'g':
			c.global = true
		case f == 'p':
			c.print = true
		case f == 'i', f == 'I':
			flags += "i"
		case f == 'm', f == 'M':
			flags += "m"
		case f == 'e':
			return errors.New("the flag `e' is not supported: there are no programs to run")
		case f == 'w':
			s.at++
			s.skip(" \t")
			if c.file = s.line(); c.file == "" {
				return errors.New("missing filename in r/R/w/W commands")
			}
			done = true
			continue
		case isDigit(f):
			if c.number != 0 {
				return errors.New("multiple number options to `s' command")
			}
			if c.number = s.number(); c.number == 0 {
				return errors.New("number option to `s' command may not be zero")
			}
			continue
		default:
			if s.end() != nil {
				return errors.New("unknown option to `s'")
			}
			done = true
			continue
		}
		s.at++
	}
	var err error
	if c.pattern, err = s.compile(pattern, flags); err != nil {
		return err
	}
	var groups int
	c.replacement, groups = parseReplacement(sedEscapes(replacement))
	c.groups = groups > 0
	if c.pattern != nil && groups > c.pattern.NumSubexp() {
		return fmt.Errorf("invalid reference \\%d on `s' command's RHS", groups)
	}
	return nil
}

func (s *sedParser) transliterate(c *sedCommand) error {
	delimiter := s.peek()
	s.at = min(s.at+1, len(s.text))
	from, ok := s.delimited(delimiter, false)
	if !ok {
		return errors.New("unterminated `y' command")
	}
	to, ok := s.delimited(delimiter, false)
	if !ok {
		return errors.New("unterminated `y' command")
	}
	plain := strings.NewReplacer(`\\`, `\`, `\n`, "\n")
	a, b := []rune(plain.Replace(sedEscapes(from))), []rune(plain.Replace(sedEscapes(to)))
	if len(a) != len(b) {
		return errors.New("strings for `y' command are different lengths")
	}
	c.table = map[rune]rune{}
	for i, r := range a {
		if _, ok := c.table[r]; !ok {
			c.table[r] = b[i]
		}
	}
	return s.end()
}
