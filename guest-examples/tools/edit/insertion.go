package edit

import (
	"bytes"
	"strings"
)

// insertion produces the replacement for each match.
type insertion struct {
	raw []byte
	// uniform is the replacement for every match, unless mixed is set.
	uniform []byte
	// mixed reports that the line ends depend on the place. Then old and new are the lines of the
	// replaced text and of the replacement, and head and tail count their equal lines at the
	// start and end.
	mixed      bool
	old, lines []string
	head, tail int
}

// newInsertion returns the insertion for a search in v. Where the search treats line ends as
// equal, the line feeds of replacement become the line ends of the file.
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

// text returns the replacement of the match m.
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

// lineEnds lists the line ends in a text.
func lineEnds(text []byte) []string {
	var ends []string
	for i, b := range text {
		if b == '\n' {
			ends = append(ends, lineEnd(text, i))
		}
	}
	return ends
}

// lineEndAt returns the line end of the line that contains m, a match within one line. The last
// line may have no line end; then lineEndAt returns the line end of the line before.
func (in insertion) lineEndAt(m span) string {
	if i := bytes.IndexByte(in.raw[m.end:], '\n'); i >= 0 {
		return lineEnd(in.raw, m.end+i)
	}
	if i := bytes.LastIndexByte(in.raw[:m.start], '\n'); i >= 0 {
		return lineEnd(in.raw, i)
	}
	return "\n"
}

// lineEnd returns the line end whose line feed is at the given place in text.
func lineEnd(text []byte, at int) string {
	if at > 0 && text[at-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
