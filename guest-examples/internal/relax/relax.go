// Package relax compares lines without regard to white space. It also changes the indentation of
// replacement lines to the indentation of the file.
package relax

import "strings"

// space is the white space within a line. A no-break space is not white space, since it has a
// meaning.
const space = " \t\r\f\v"

// Normal returns the line without white space at its ends, and with one space for each inner run of
// white space. Two lines differ only in white space if their normal forms are equal.
func Normal(line string) string {
	line = strings.Trim(line, space)
	if !strings.ContainsAny(line, "\t\r\f\v") && !strings.Contains(line, "  ") {
		return line
	}
	return strings.Join(strings.FieldsFunc(line, isSpace), " ")
}

func isSpace(r rune) bool { return strings.ContainsRune(space, r) }

// indent returns the white space at the start of the line.
func indent(line string) string {
	return line[:len(line)-len(strings.TrimLeft(line, space))]
}

// Indents maps the indentation that a caller uses to the indentation of a file. The zero value is
// empty and changes nothing.
type Indents struct {
	given, file []string // of equal length
}

// Learn records a line of the caller and the matching line of the file. It ignores blank lines.
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

// Apply returns a line of the caller with the indentation of the file. It replaces the longest
// known indentation at the start of the line and keeps the rest.
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
