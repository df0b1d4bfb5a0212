package results

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// boundary returns the last place between two characters that is not after at.
func boundary(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// boundaryAfter returns the first place between two characters after at.
func boundaryAfter(text string, at int) int {
	for at++; at < len(text) && !utf8.RuneStart(text[at]); {
		at++
	}
	return at
}

// Short is a text that was cut.
type Short struct {
	// Head and Tail are its beginning and its end.
	Head, Tail string
	// Bytes and Lines are what was left out between them: the lines are the ends of lines
	// in there.
	Bytes, Lines int
	// Total is the length of the whole in bytes.
	Total int
}

// Shorten cuts a text of more than most bytes: it keeps two thirds of that from the
// beginning and the rest from the end, each to a whole character. It is false for a text
// that needs no cutting.
func Shorten(text string, most int) (Short, bool) {
	most = max(most, 0)
	if len(text) <= most {
		return Short{}, false
	}
	head := boundary(text, most-most/3)
	tail := boundaryAfter(text, len(text)-most/3-1)
	left := text[head:tail]
	return Short{Head: text[:head], Tail: text[tail:], Bytes: len(left), Lines: strings.Count(left, "\n"), Total: len(text)}, true
}

// Text returns what a model reads: both ends, and between them what was left out and how
// to get it. An empty handle means that it can't be had.
func (s Short) Text(handle string) string {
	left := fmt.Sprintf("%d of %d bytes, %d lines, are left out here", s.Bytes, s.Total, s.Lines)
	if handle == "" {
		return fmt.Sprintf("%s\n[%s; ask for less]\n%s", s.Head, left, s.Tail)
	}
	return fmt.Sprintf("%s\n[%s; the whole is kept as %s: read it from byte %d on, or give \"${%s}\" as an argument to hand it on whole]\n%s",
		s.Head, left, handle, len(s.Head), handle, s.Tail)
}

// Shares divides most bytes among texts of these lengths: short ones get what they have,
// and those that are longer get equal shares of the rest.
func Shares(lengths []int, most int) []int {
	order := make([]int, len(lengths))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return lengths[a] - lengths[b] })
	shares := make([]int, len(lengths))
	for i, at := range order {
		shares[at] = min(lengths[at], most/(len(order)-i))
		most -= shares[at]
	}
	return shares
}
