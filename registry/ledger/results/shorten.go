package results

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// boundary returns the last boundary between characters that is not after the index at.
func boundary(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// boundaryAfter returns the first boundary between characters after the index at.
func boundaryAfter(text string, at int) int {
	for at++; at < len(text) && !utf8.RuneStart(text[at]); {
		at++
	}
	return at
}

// Short is a shortened text.
type Short struct {
	// Head and Tail are the beginning and the end of the text.
	Head, Tail string
	// Bytes and Lines are the size of the omitted part. Lines counts line ends.
	Bytes, Lines int
	// Total is the length of the full text in bytes.
	Total int
}

// Shorten cuts a text of more than limit bytes. It keeps two thirds of the limit from the
// beginning and the rest from the end, without splitting characters. It returns false if the text
// needs no cut.
func Shorten(text string, limit int) (Short, bool) {
	limit = max(limit, 0)
	if len(text) <= limit {
		return Short{}, false
	}
	head := boundary(text, limit-limit/3)
	tail := boundaryAfter(text, len(text)-limit/3-1)
	omitted := text[head:tail]
	return Short{Head: text[:head], Tail: text[tail:], Bytes: len(omitted), Lines: strings.Count(omitted, "\n"), Total: len(text)}, true
}

// Text returns the shortened text for a model: both ends, and between them a notice about the
// omitted part. If handle is not empty, the notice explains how to read the full text.
func (s Short) Text(handle string) string {
	omitted := fmt.Sprintf("%d of %d bytes, %d lines, are left out here", s.Bytes, s.Total, s.Lines)
	if handle == "" {
		return fmt.Sprintf("%s\n[%s; ask for less]\n%s", s.Head, omitted, s.Tail)
	}
	return fmt.Sprintf("%s\n[%s; the full text is stored as %s: read it from byte %d on, or pass \"${%s}\" as an argument to use all of it]\n%s",
		s.Head, omitted, handle, len(s.Head), handle, s.Tail)
}

// Shares divides limit bytes among texts of these lengths. Short texts get their full length, and
// longer texts get equal shares of the rest.
func Shares(lengths []int, limit int) []int {
	order := make([]int, len(lengths))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return lengths[a] - lengths[b] })
	shares := make([]int, len(lengths))
	for i, at := range order {
		shares[at] = min(lengths[at], limit/(len(order)-i))
		limit -= shares[at]
	}
	return shares
}
