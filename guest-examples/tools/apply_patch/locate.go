package applypatch

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/relax"
)

// fuzz is how far a hunk differs from the file.
type fuzz int

const (
	exact    fuzz = iota
	atEnds        // white space at line ends
	anySpace      // any white space
)

// normal returns the form in which lines are compared.
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

// locate returns the number, counted from 0, of the line of the file at which the
// hunk begins, at from or behind. lines are those of the file without their ends;
// shift is by how much the hunks before moved those that follow.
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
		if len(old) == 0 { // added behind the marks, or at the end
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

// behindLine returns the place of a hunk without old lines in a unified diff.
func (h hunk) behindLine(lines []string, from, shift int) (at int, how fuzz, err error) {
	if at = h.line + shift; at < from || at > len(lines) {
		return 0, exact, fmt.Errorf("it adds lines behind line %d, and the file has %d there; give lines around the place", h.line, len(lines))
	}
	return at, exact, nil
}

// behindMarks returns the line behind those that the hunk stands within.
func (h hunk) behindMarks(lines []string, from int) (start int, ok bool) {
	for _, mark := range h.within {
		at := slices.IndexFunc(lines[from:], func(text string) bool { return anySpace.normal(text) == anySpace.normal(mark) })
		if at < 0 { // a mark may be a part of the line
			at = slices.IndexFunc(lines[from:], func(text string) bool { return strings.Contains(text, mark) })
		}
		if at < 0 {
			return 0, false
		}
		from += at + 1
	}
	return from, true
}

// places returns the lines at from or behind at which old stands.
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

// choose returns the place that is meant of those found, one at least.
func (h hunk) choose(found []int, how fuzz, shift int) (int, error) {
	switch {
	case len(found) == 1, how == exact && len(h.within) > 0:
		return found[0], nil
	case how == exact && h.line > 0:
		// The nearest one to where the patch says.
		want := h.line - 1 + shift
		return slices.MinFunc(found, func(a, b int) int { return max(a-want, want-a) - max(b-want, want-b) }), nil
	}
	var numbers []string
	for _, at := range found[:min(len(found), 10)] {
		numbers = append(numbers, fmt.Sprint(at+1))
	}
	return 0, fmt.Errorf("its lines stand in %d places, at lines %s; add more lines around the change, or a line %q that they stand behind",
		len(found), strings.Join(numbers, ", "), "@@ func name")
}

// missing words that the hunk is nowhere.
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
			return fmt.Errorf("its line %.200q is not in the file; read the file and give its lines as they are", l.text)
		}
	}
	if from > 0 && len(places(lines, old, 0, anySpace)) > 0 {
		return errors.New("its lines stand before the place of the hunk above it; put the hunks in the order of the file")
	}
	return errors.New("its lines are in the file, but do not follow one another like this; read the file and give its lines as they are")
}
