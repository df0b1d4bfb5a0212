package questiontext

import (
	"strings"
	"unicode/utf8"
)

// columns is how long a line is at most. A terminal of 80 columns does not break such a line by
// itself, which would put what an argument says where lines of the host begin.
const columns = 72

// Wrap breaks a line that is too long for a terminal. What follows begins with six spaces, where
// no line of the host's does. Nothing is lost: without the line breaks and those spaces the text
// is as it was.
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

// fits returns how many bytes of a line fit. It breaks in front of a blank where it can: at the
// end of a line a blank is not seen, and "rm / x" would pass for "rm /x".
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

// width is how many columns a character takes at most. Terminals do not agree on what is wide.
func width(r rune) int {
	if r < utf8.RuneSelf {
		return 1
	}
	return 2
}
