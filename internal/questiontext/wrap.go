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
func Wrap(line string) string {
	return strings.ReplaceAll(wrap(line, "      "), solidBlank, " ")
}

// solidBlank stands for a blank at which Wrap does not break. Text that is safe to print has none.
const solidBlank = "\x00"

// Solid returns text that Wrap does not break at its blanks, unless the text is longer than half a
// row.
func Solid(text string) string {
	if utf8.RuneCountInString(text) > columns/2 {
		return text
	}
	return strings.ReplaceAll(text, " ", solidBlank)
}

func wrap(line, indent string) string {
	var b strings.Builder
	for room := columns; ; room = columns - len(indent) {
		n := fits(line, room, columns-len(indent))
		b.WriteString(line[:n])
		if line = line[n:]; line == "" {
			return b.String()
		}
		b.WriteString("\n" + indent)
	}
}

// fits returns the number of bytes of a line that fit into a row of this room, where next is the
// room of the next row. It prefers to break before a blank, because a blank at the end of a row is
// invisible: "rm / x" would look like "rm /x". A word is broken only if it does not fit into the
// next row either.
func fits(line string, room, next int) int {
	column, blank, late := 0, 0, false
	for i, r := range line {
		if r == ' ' && strings.Trim(line[:i], " ") != "" || r == ' ' && column > room/2 {
			blank, late = i, column > room/2
		}
		if column += width(r); column <= room {
			continue
		}
		if late || blank > 0 && wordFits(line[blank:], next) {
			return blank
		}
		return i
	}
	return len(line)
}

// wordFits reports whether a blank and the word behind it fit into a row.
func wordFits(text string, room int) bool {
	word, _, _ := strings.Cut(text[1:], " ")
	for _, r := range " " + word {
		room -= width(r)
	}
	return room >= 0
}

// width returns the maximum number of columns that a terminal needs for a character. Terminals do
// not agree on which characters are wide.
func width(r rune) int {
	if r < utf8.RuneSelf {
		return 1
	}
	return 2
}
