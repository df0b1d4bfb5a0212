package text

import (
	"bytes"
	"unicode/utf8"
)

// Clip returns the first limit characters of line, and whether it cut any off. It treats each byte
// of invalid UTF-8 as one character.
func Clip(line []byte, limit int) (clipped []byte, cut bool) {
	if len(line) <= limit {
		return line, false
	}
	end := 0
	for range limit {
		if end == len(line) {
			return line, false
		}
		_, size := utf8.DecodeRune(line[end:])
		end += size
	}
	return line[:end], end < len(line)
}

// Valid returns line with each run of invalid UTF-8 replaced by U+FFFD, because output must be
// valid.
func Valid(line []byte) []byte {
	if utf8.Valid(line) {
		return line
	}
	return bytes.ToValidUTF8(line, []byte("\uFFFD"))
}
