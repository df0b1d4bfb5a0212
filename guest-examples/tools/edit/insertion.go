package edit

import (
	"bytes"
	"strings"
)

// insertion computes the replacement for each match.
type insertion struct {
	raw []byte
	// uniform is the replacement for every match, unless mixed is set.
	uniform []byte
	// mixed reports that different matches need different line ends. Then old and new are the lines
	// of the replaced text and of the replacement. head and tail are the numbers of equal lines at
	// their start and end.
	mixed      bool
	old, lines []string
	head, tail int
}

// newInsertion returns the insertion for a search in v. If the search ignores differences between
// line ends, the line feeds of replacement are replaced with the line ends of the file.
func newInsertion(v view, old, replacement string) insertion {
	in := insertion{raw: v.raw, uniform: []byte(replacement)}
	switch {
	case len(v.dropped) == 0 || !strings.Contains(replacement, "\n"):
	case bytes.Count(v.text, []byte("\n")) == len(v.dropped):
		plain := strings.ReplaceAll(replacement, "\r\n", "\n")
		in.uniform = []byte(strings.ReplaceAll(plain, "\n", "\r\n"))
	default:
		in.mixed = true
		in.old, in.lines = strings.Split(old, "\n"), strings.Split(replacement, "\n")
		minimum := min(len(in.old), len(in.lines))
		for in.head < minimum && in.old[in.head] == in.lines[in.head] {
			in.head++
		}
		for in.tail < minimum && in.old[len(in.old)-1-in.tail] == in.lines[len(in.lines)-1-in.tail] {
			in.tail++
		}
	}
	return in
}

// text returns the text that replaces the match m.
func (in insertion) text(m span) []byte {
	if !in.mixed {
		return in.uniform
	}
	before := lineEnds(in.raw[m.start:m.end])
	other := in.lineEndAt(m)
	if len(before) > 0 {
		other = before[min(in.head, len(before)-1)]
	}
	count := len(in.lines) - 1 // of line ends
	var text []byte
	for i, line := range in.lines[:count] {
		end := other
		fromEnd := count - i
		switch {
		case strings.HasSuffix(line, "\r"):
			end = "\n"
		case i < in.head && i < len(before):
			end = before[i]
		case fromEnd < in.tail && fromEnd <= len(before):
			end = before[len(before)-fromEnd]
		}
		text = append(append(text, line...), end...)
	}
	return append(text, in.lines[count]...)
}

// lineEnds returns the line ends in a text, in order.
func lineEnds(text []byte) []string {
	var ends []string
	for i, b := range text {
		if b == '\n' {
			ends = append(ends, lineEnd(text, i))
		}
	}
	return ends
}

// lineEndAt returns the line end of the line that contains m, a match within one line. If that line
// is the last and has no line end, lineEndAt returns the line end of the previous line.
func (in insertion) lineEndAt(m span) string {
	if i := bytes.IndexByte(in.raw[m.end:], '\n'); i >= 0 {
		return lineEnd(in.raw, m.end+i)
	}
	if i := bytes.LastIndexByte(in.raw[:m.start], '\n'); i >= 0 {
		return lineEnd(in.raw, i)
	}
	return "\n"
}

// lineEnd returns the line end whose line feed is at the index at in text.
func lineEnd(text []byte, at int) string {
	if at > 0 && text[at-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
