// Package relax compares lines but for the white space in them, and carries the
// indentation of what was found over to what is put in its place.
package relax

import "strings"

// space has what counts as white space within a line. A fixed space is none: it
// means something where it stands.
const space = " \t\r\f\v"

// Normal returns the line without the white space at its ends, and with one
// space for each run of it within. Lines are the same but for white space if
// their normal forms are equal.
func Normal(line string) string {
	line = strings.Trim(line, space)
	if !strings.ContainsAny(line, "\t\r\f\v") && !strings.Contains(line, "  ") {
		return line
	}
	return strings.Join(strings.FieldsFunc(line, isSpace), " ")
}

func isSpace(r rune) bool { return strings.ContainsRune(space, r) }

// indent returns the white space that the line begins with.
func indent(line string) string {
	return line[:len(line)-len(strings.TrimLeft(line, space))]
}

// Indents tells which indentation of a file stands for which of a caller. The zero
// value is empty and changes nothing.
type Indents struct {
	given, file []string // as long as each other
}

// Learn takes a line that the caller gave and the line of the file that it
// matches. Blank lines tell nothing.
func (in *Indents) Learn(given, file string) {
	if strings.Trim(given, space) == "" {
		return
	}
	from := indent(given)
	for _, known := range in.given {
		if known == from {
			return
		}
	}
	in.given, in.file = append(in.given, from), append(in.file, indent(file))
}

// Apply returns a line of the caller with the indentation that the file would
// have: that of the longest known one that the line begins with, and what the
// line has beyond it.
func (in *Indents) Apply(line string) string {
	own := indent(line)
	if own == line { // blank
		return line
	}
	best := -1
	for i, known := range in.given {
		if strings.HasPrefix(own, known) && (best < 0 || len(known) > len(in.given[best])) {
			best = i
		}
	}
	if best < 0 {
		return line
	}
	return in.file[best] + line[len(in.given[best]):]
}
