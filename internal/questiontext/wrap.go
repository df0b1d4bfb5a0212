package questiontext

import (
	"strings"
	"unicode/utf8"
)

// columns is the maximum length of a line, so that a terminal of 80 columns breaks no line.
// Otherwise, text of an argument could appear at the beginning of a row, where lines of the host
// begin.
const columns = 72

// Wrap breaks a line that is too long for a terminal. The continuation lines begin with six spaces;
// a line of the host never does. Removing the line breaks and these spaces restores the line.
func Wrap(line string) string { return wrap(line, "      ") }

func wrap(line, indent string) string {
	var b strings.Builder
	for room := columns; ; room = columns - len(indent) {
		n := fits(line, room)
		b.WriteString(line[:n])
		if line = line[n:]; line == "" {
			return b.String()
		}
		b.WriteString("\n" + indent)
	}
}

// fits returns the number of bytes of a line that fit into a row. It prefers to break before a
// blank, because a blank at the end of a row is invisible: "rm / x" would look like "rm /x".
func fits(line string, room int) int {
	column, blank := 0, 0
	for i, r := range line {
		if r == ' ' && column > room/2 {
			blank = i
		}
		if column += width(r); column <= room {
			continue
		}
		if blank > 0 {
			return blank
		}
		return i
	}
	return len(line)
}

// width returns the maximum number of columns that a terminal needs for a character. Terminals do
// not agree on which characters are wide.
func width(r rune) int {
	if r < utf8.RuneSelf {
		return 1
	}
	return 2
}
