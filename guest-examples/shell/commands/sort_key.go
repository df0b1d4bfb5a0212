package commands

import (
	"bytes"
	"strconv"
	"strings"
)

// ordering has the options that determine how keys are compared.
type ordering struct {
	blanks, dictionary, fold, general, human, printing, month, numeric, version, reverse bool
}

// set sets the option of a letter, and reports whether the letter is valid.
func (o *ordering) set(letter byte) bool {
	switch letter {
	case 'b':
		o.blanks = true
	case 'd':
		o.dictionary = true
	case 'f':
		o.fold = true
	case 'g':
		o.general = true
	case 'h':
		o.human = true
	case 'i':
		o.printing = true
	case 'M':
		o.month = true
	case 'n':
		o.numeric = true
	case 'V':
		o.version = true
	case 'r':
		o.reverse = true
	default:
		return false
	}
	return true
}

// incompatible returns the error for orderings that exclude each other, or "".
func (o ordering) incompatible() string {
	kinds, letters := 0, ""
	for _, option := range []struct {
		set    bool
		letter string
	}{
		{o.dictionary, "d"}, {o.fold, "f"}, {o.general, "g"}, {o.human, "h"}, {o.printing, "i"}, {o.month, "M"}, {o.numeric, "n"}, {o.version, "V"},
	} {
		if option.set {
			letters += option.letter
		}
	}
	for _, set := range []bool{o.general, o.human, o.month, o.numeric, o.version || o.dictionary || o.printing} {
		if set {
			kinds++
		}
	}
	if kinds < 2 {
		return ""
	}
	return "options '-" + letters + "' are incompatible"
}

// sortKey is the part of a line that -k selects. Fields and characters are numbered from 1. An
// endField of 0 means the end of the line, and an endChar of 0 the end of the field. The zero value
// selects the whole line.
type sortKey struct {
	field, char       int
	endField, endChar int
	startBlanks       bool // -b for the start of the key only
	endBlanks         bool
	ordering
}

func parseSortKey(text string) (sortKey, bool) {
	start, end, hasEnd := strings.Cut(text, ",")
	var k sortKey
	var ok bool
	if k.field, k.char, ok = k.position(start, &k.startBlanks); !ok || k.field == 0 || k.char == 0 && strings.Contains(start, ".") {
		return k, false
	}
	if hasEnd {
		if k.endField, k.endChar, ok = k.position(end, &k.endBlanks); !ok || k.endField == 0 {
			return k, false
		}
	}
	k.blanks = false // replaced by startBlanks and endBlanks
	return k, true
}

func (k *sortKey) position(text string, blanks *bool) (field, char int, ok bool) {
	digits := text
	for i := range len(text) {
		if c := text[i]; c != '.' && (c < '0' || c > '9') {
			digits = text[:i]
			break
		}
	}
	for _, letter := range []byte(text[len(digits):]) {
		if !k.set(letter) {
			return 0, 0, false
		}
		*blanks = *blanks || letter == 'b'
	}
	f, c, hasChar := strings.Cut(digits, ".")
	field, err := strconv.Atoi(f)
	if err != nil {
		return 0, 0, false
	}
	if hasChar {
		if char, err = strconv.Atoi(c); err != nil {
			return 0, 0, false
		}
	}
	return field, char, true
}

// of returns the part of the line that the key selects.
func (k *sortKey) of(line []byte, separator int) []byte {
	if k.field == 0 {
		if k.blanks {
			return line[leadingBlanks(line):]
		}
		return line
	}
	start := fieldStart(line, k.field, separator)
	if k.startBlanks || k.blanks {
		start += leadingBlanks(line[start:])
	}
	start = min(start+max(k.char-1, 0), len(line))
	if k.endField == 0 {
		return line[start:]
	}
	end := 0
	if k.endChar == 0 {
		end = fieldEnd(line, k.endField, separator)
	} else {
		end = fieldStart(line, k.endField, separator)
		if k.endBlanks || k.blanks {
			end += leadingBlanks(line[end:])
		}
		end = min(end+k.endChar, len(line))
	}
	return line[start:max(start, end)]
}

func leadingBlanks(text []byte) int {
	n := 0
	for n < len(text) && (text[n] == ' ' || text[n] == '\t') {
		n++
	}
	return n
}

// fieldStart returns the start of field n, or the length of the line if there are fewer fields.
func fieldStart(line []byte, n, separator int) int {
	at := 0
	for range n - 1 {
		if at = fieldEndFrom(line, at, separator); at == len(line) {
			return at
		}
		if separator >= 0 {
			at++
		}
	}
	return at
}

func fieldEnd(line []byte, n, separator int) int {
	return fieldEndFrom(line, fieldStart(line, n, separator), separator)
}

func fieldEndFrom(line []byte, at, separator int) int {
	rest := line[at:]
	if separator >= 0 {
		if i := bytes.IndexByte(rest, byte(separator)); i >= 0 {
			return at + i
		}
		return len(line)
	}
	at += leadingBlanks(rest)
	for at < len(line) && line[at] != ' ' && line[at] != '\t' {
		at++
	}
	return at
}
