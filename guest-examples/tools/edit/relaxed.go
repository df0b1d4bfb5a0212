package edit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/relax"
)

// maxRelaxed limits how many bytes of a file are searched for lines that differ only in white
// space.
const maxRelaxed = 1 << 20

// looseMatch is a part of the text that matches except for white space.
type looseMatch struct {
	place    span   // in raw
	old, new string // the matching text with LF line ends, and its replacement
	note     string
}

// relaxed searches for whole lines that equal the lines of edit.OldString except for white space.
// It returns a match only if OldString does not occur exactly, if the edit replaces a single
// occurrence, and if there is exactly one match.
func (s search) relaxed(edit Edit) (looseMatch, bool) {
	if edit.ReplaceAll || len(s.text) > maxRelaxed || s.first >= 0 {
		return looseMatch{}, false
	}
	given := strings.ReplaceAll(edit.OldString, "\r\n", "\n")
	whole := strings.HasSuffix(given, "\n") // also replace the last line end
	wanted := strings.Split(strings.TrimSuffix(given, "\n"), "\n")
	lines := strings.SplitAfter(string(s.text), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	first, ok := onlyPlace(lines, wanted)
	if !ok {
		return looseMatch{}, false
	}
	var indents relax.Indents
	for i, line := range wanted {
		indents.Learn(line, lines[first+i])
	}
	start := len(strings.Join(lines[:first], ""))
	old := strings.Join(lines[first:first+len(wanted)], "")
	if !whole {
		old = strings.TrimSuffix(old, "\n")
		old = strings.TrimSuffix(old, "\r") // the text of a literal view contains carriage returns
	}
	inserted := strings.Split(edit.NewString, "\n")
	for i, line := range inserted {
		inserted[i] = indents.Apply(line)
	}
	end := start + len(old)
	where := fmt.Sprintf("line %d", first+1)
	if len(wanted) > 1 {
		where = fmt.Sprintf("lines %d-%d", first+1, first+len(wanted))
	}
	return looseMatch{
		place: span{start + s.pass(0, start), end + s.pass(0, end)},
		old:   old,
		new:   strings.Join(inserted, "\n"),
		note:  fmt.Sprintf("old_string does not occur exactly; %s matched except for white space, and new_string got the indentation of the file", where),
	}, true
}

// onlyPlace returns the index in lines at which the lines in wanted match except for white space,
// if there is exactly one. Lines that are all blank never match.
func onlyPlace(lines, wanted []string) (first int, ok bool) {
	normal := make([]string, len(wanted))
	firstText := -1 // index of the first line that is not blank
	for i, line := range wanted {
		if normal[i] = relax.Normal(line); normal[i] != "" && firstText < 0 {
			firstText = i
		}
	}
	if firstText < 0 {
		return 0, false
	}
	have := make([]string, len(lines))
	for i, line := range lines {
		have[i] = relax.Normal(strings.TrimSuffix(line, "\n"))
	}
	first = -1
	for i := 0; i+len(normal) <= len(have); i++ {
		if have[i+firstText] != normal[firstText] || !slices.Equal(have[i:i+len(normal)], normal) {
			continue
		}
		if first >= 0 {
			return 0, false
		}
		first = i
	}
	return first, first >= 0
}
