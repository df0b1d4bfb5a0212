package commands

import (
	"unicode"
	"unicode/utf8"
)

// wide has the characters that take two columns on a terminal: East Asian scripts and emoji.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1100, 0x115f, 1},
		{0x231a, 0x231b, 1},
		{0x23e9, 0x23ec, 1},
		{0x2e80, 0x303e, 1},
		{0x3041, 0x4dbf, 1},
		{0x4e00, 0xa4cf, 1},
		{0xa960, 0xa97c, 1},
		{0xac00, 0xd7a3, 1},
		{0xf900, 0xfaff, 1},
		{0xfe30, 0xfe6f, 1},
		{0xff01, 0xff60, 1},
		{0xffe0, 0xffe6, 1},
	},
	R32: []unicode.Range32{
		{0x16fe0, 0x18cff, 1},
		{0x1b000, 0x1b2fb, 1},
		{0x1f300, 0x1f64f, 1},
		{0x1f680, 0x1f6ff, 1},
		{0x1f900, 0x1f9ff, 1},
		{0x20000, 0x3fffd, 1},
	},
}

// columns returns the number of columns that a character takes on a terminal.
func columns(r rune) int {
	switch {
	case r < utf8.RuneSelf:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cc, unicode.Cf), r >= 0x1160 && r <= 0x11ff:
		return 0 // also the vowels of Hangul syllables, from 0x1160
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}

// width returns the number of columns that a text without tabs takes on a terminal.
func width(text string) int {
	n := 0
	for _, r := range text {
		n += columns(r)
	}
	return n
}
