package policy

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// fold maps spellings that some file system or reader takes for the same to one:
// letter case, Unicode compatibility forms, and characters that are not seen. It is
// used where matching more is the safe side.
func fold(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	s = strings.Map(dropUnseen, norm.NFKD.String(s))
	// Upper case first: it joins letters, such as the dotless i, that lower case
	// keeps apart.
	return norm.NFKC.String(strings.ToLower(strings.ToUpper(s)))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func dropUnseen(r rune) rune {
	if unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
		return -1
	}
	return r
}
