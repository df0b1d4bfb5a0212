// Package namefold compares names as the least particular of file systems does.
package namefold

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold maps all spellings of a name that some file system takes for the same to one:
// letter case, Unicode normal form, and characters that are not seen. APFS, HFS+, NTFS and
// ext4 with casefold each ignore some of these, and which one lies behind a path cannot be
// told cheaply. It is for where matching more than was written is the safe side, such as
// denials. Slashes and the characters of patterns stay what they are, and nothing becomes
// one.
func Fold(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	s = strings.Map(dropUnseen, norm.NFD.String(s))
	// NTFS compares in upper case, where the dotless i is an I; the rest compare
	// in Unicode case folding.
	s = cases.Fold().String(strings.ToUpper(s))
	return norm.NFC.String(s)
}

// FoldCompatible is Fold for readers that besides take compatibility forms for the same,
// such as full-width letters. A full-width slash becomes a slash.
func FoldCompatible(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	return norm.NFKC.String(Fold(norm.NFKD.String(s)))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// dropUnseen maps the characters that file systems leave out when comparing names, or that
// nobody sees, to -1.
func dropUnseen(r rune) rune {
	if unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
		return -1
	}
	return r
}
