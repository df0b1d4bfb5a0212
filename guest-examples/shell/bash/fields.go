package bash

import (
	"strings"
	"unicode/utf8"
)

// fields splits a line as the builtin read does, into at most maximum fields; the last field is the
// rest of the line. A sequence of blanks in ifs separates two fields. Each other character in ifs
// ends a field, so fields may be empty. Unless raw is set, a backslash makes the next character
// literal and is removed.
func fields(line, ifs string, maximum int, raw bool) []string {
	if maximum == 1 && (raw || strings.IndexByte(line, '\\') < 0) && strings.Trim(ifs, blankIFS) == "" {
		// The usual call: one variable takes the line without the blanks around it.
		if line = strings.Trim(line, ifs); line == "" {
			return nil
		}
		return []string{line}
	}
	var list []string
	s := splitter{line: line, ifs: ifs, raw: raw}
	s.blanks()
	for s.at < len(line) {
		if maximum > 0 && len(list) == maximum-1 {
			return append(list, s.rest())
		}
		list = append(list, s.field())
	}
	return list
}

// blankIFS has the characters in IFS that may repeat between two fields.
const blankIFS = " \t\n"

type splitter struct {
	line, ifs string
	raw       bool
	at        int
}

// blank reports whether c is a space, tab or line feed that separates fields.
func (s *splitter) blank(c byte) bool {
	return strings.IndexByte(blankIFS, c) >= 0 && strings.IndexByte(s.ifs, c) >= 0
}

func (s *splitter) blanks() {
	for s.at < len(s.line) && s.blank(s.line[s.at]) {
		s.at++
	}
}

// field reads one field and the separator after it: blanks, or one other separator with the blanks
// around it.
func (s *splitter) field() string {
	var b strings.Builder
	for s.at < len(s.line) && s.separator() == 0 {
		s.character(&b)
	}
	s.blanks()
	if size := s.separator(); size > 0 {
		s.at += size
		s.blanks()
	}
	return b.String()
}

// separator returns the length in bytes of the next character if it is in ifs, and otherwise 0.
func (s *splitter) separator() int {
	_, size := utf8.DecodeRuneInString(s.line[s.at:])
	if !strings.Contains(s.ifs, s.line[s.at:s.at+size]) {
		return 0
	}
	return size
}

// character reads one character. A backslash before the character is removed, unless raw is set.
func (s *splitter) character(b *strings.Builder) {
	if s.line[s.at] == '\\' && !s.raw {
		if s.at++; s.at == len(s.line) {
			return
		}
	}
	_, size := utf8.DecodeRuneInString(s.line[s.at:])
	b.WriteString(s.line[s.at : s.at+size])
	s.at += size
}

// rest reads the rest of the line without the blanks at its end. If the rest is one field and a
// separator, rest also drops the separator.
func (s *splitter) rest() string {
	whole := *s
	if only := whole.field(); whole.at == len(s.line) {
		s.at = whole.at
		return only
	}
	end := len(s.line)
	for end > s.at && s.blank(s.line[end-1]) && (s.raw || end < 2 || s.line[end-2] != '\\') {
		end--
	}
	var b strings.Builder
	for s.at < end {
		s.character(&b)
	}
	s.at = len(s.line)
	return b.String()
}
