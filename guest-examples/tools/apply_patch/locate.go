package applypatch

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/relax"
)

// fuzz is the kind of difference that is allowed between a hunk and the file.
type fuzz int

const (
	exact    fuzz = iota
	atEnds        // ignore white space at line ends
	anySpace      // any white space
)

// normal returns text without the differences that f ignores.
func (f fuzz) normal(text string) string {
	switch f {
	case exact:
		return text
	case atEnds:
		return strings.TrimRight(text, " \t\r")
	default:
		return relax.Normal(text)
	}
}

// locate returns the index of the line of the file at which the hunk begins. The search starts at
// the index from. lines are the lines of the file without their line ends. shift is the number of
// lines that earlier hunks have added, minus those that they have removed.
func (h hunk) locate(lines []string, from, shift int) (at int, how fuzz, err error) {
	old := h.side('-')
	if h.after {
		return h.behindLine(lines, from, shift)
	}
	for how = range anySpace + 1 {
		start, ok := h.behindMarks(lines, from)
		if !ok {
			continue
		}
		if len(old) == 0 { // insert after the "@@" lines, or at the end of the file
			if len(h.within) == 0 || h.end {
				start = len(lines)
			}
			return start, how, nil
		}
		found := places(lines, old, start, how)
		if last := len(lines) - len(old); h.end && slices.Contains(found, last) {
			found = []int{last}
		}
		if len(found) == 0 {
			continue
		}
		at, err := h.choose(found, how, shift)
		return at, how, err
	}
	return 0, exact, h.missing(lines, old, from)
}

// behindLine returns the index at which the new lines are inserted, for a hunk of a unified diff
// that has no old lines.
func (h hunk) behindLine(lines []string, from, shift int) (at int, how fuzz, err error) {
	if at = h.line + shift; at < from || at > len(lines) {
		return 0, exact, fmt.Errorf("the hunk adds lines after line %d, but the file has only %d lines; add lines of context", h.line, len(lines))
	}
	return at, exact, nil
}

// behindMarks searches for the "@@" lines of the hunk in the file. It returns the index of the line
// after the last of them.
func (h hunk) behindMarks(lines []string, from int) (start int, ok bool) {
	for _, mark := range h.within {
		at := slices.IndexFunc(lines[from:], func(text string) bool { return anySpace.normal(text) == anySpace.normal(mark) })
		if at < 0 { // the mark may be only a part of a line
			at = slices.IndexFunc(lines[from:], func(text string) bool { return strings.Contains(text, mark) })
		}
		if at < 0 {
			return 0, false
		}
		from += at + 1
	}
	return from, true
}

// places returns the indices, from the index from on, at which the lines old occur.
func places(lines []string, old []line, from int, how fuzz) []int {
	wanted := make([]string, len(old))
	for i, l := range old {
		wanted[i] = how.normal(l.text)
	}
	have := make([]string, len(lines)-from)
	for i, text := range lines[from:] {
		have[i] = how.normal(text)
	}
	var found []int
	for i := 0; i+len(wanted) <= len(have); i++ {
		if have[i] == wanted[0] && slices.Equal(have[i:i+len(wanted)], wanted) {
			found = append(found, from+i)
		}
	}
	return found
}

// choose returns the place at which the hunk is applied, one of the places in found. The slice
// found must not be empty.
func (h hunk) choose(found []int, how fuzz, shift int) (int, error) {
	switch {
	case len(found) == 1, how == exact && len(h.within) > 0:
		return found[0], nil
	case how == exact && h.line > 0:
		// Choose the place nearest to the line number in the patch.
		want := h.line - 1 + shift
		return slices.MinFunc(found, func(a, b int) int { return max(a-want, want-a) - max(b-want, want-b) }), nil
	}
	var numbers []string
	for _, at := range found[:min(len(found), 10)] {
		numbers = append(numbers, fmt.Sprint(at+1))
	}
	return 0, fmt.Errorf("the lines of the hunk occur in %d places, at lines %s; add more lines around the change, or a line %q that precedes them",
		len(found), strings.Join(numbers, ", "), "@@ func name")
}

// missing returns the error for a hunk whose lines are not in the file.
func (h hunk) missing(lines []string, old []line, from int) error {
	for _, mark := range h.within {
		contains := func(text string) bool { return strings.Contains(anySpace.normal(text), anySpace.normal(mark)) }
		if !slices.ContainsFunc(lines, contains) {
			return fmt.Errorf("the line %.200q after @@ is not in the file", mark)
		}
	}
	for _, l := range old {
		same := func(text string) bool { return anySpace.normal(text) == anySpace.normal(l.text) }
		if !slices.ContainsFunc(lines, same) {
			return fmt.Errorf("the line %.200q is not in the file; read the file and copy its lines exactly", l.text)
		}
	}
	if from > 0 && len(places(lines, old, 0, anySpace)) > 0 {
		return errors.New("the lines of the hunk precede the previous hunk; put the hunks in the order of the file")
	}
	return errors.New("the lines of the hunk are in the file, but not in this order; read the file and copy its lines exactly")
}
