package text

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// maxMarks limits the number of marks that are kept with the letter before them.
const maxMarks = 8

// Clip returns the first limit characters of line, and whether it cut any off. It returns a few
// fewer where it would cut the accents or vowel signs off a letter. It treats each byte of invalid
// UTF-8 as one character.
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
	if end == len(line) {
		return line, false
	}
	return line[:LetterStart(line, end)], true
}

// LetterStart returns the last offset up to end at which line can be cut without separating a
// letter from its accents or vowel signs. The offset end must be the start of a character. After
// more marks than a letter has, LetterStart returns end.
func LetterStart(line []byte, end int) int {
	at := end
	for range maxMarks + 1 {
		if r, _ := utf8.DecodeRune(line[at:]); !unicode.Is(unicode.M, r) || at == 0 {
			return at
		}
		_, size := utf8.DecodeLastRune(line[:at])
		at -= size
	}
	return end
}

// Valid returns line with each run of invalid UTF-8 replaced by U+FFFD, because output must be
// valid.
func Valid(line []byte) []byte {
	if utf8.Valid(line) {
		return line
	}
	return bytes.ToValidUTF8(line, []byte("\uFFFD"))
}
