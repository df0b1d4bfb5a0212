package text

import (
	"bytes"
	"unicode/utf8"
)

// Clip returns the first limit characters of line and whether any were cut
// off. Invalid UTF-8 counts a character for each byte.
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

// Valid returns line with each run of invalid UTF-8 replaced by U+FFFD, as
// output has to be valid.
func Valid(line []byte) []byte {
	if utf8.Valid(line) {
		return line
	}
	return bytes.ToValidUTF8(line, []byte("\uFFFD"))
}
