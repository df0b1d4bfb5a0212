// Package namefold maps spellings of a name that a file system could treat as equal to one string.
package namefold

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold maps spellings of a name that at least one file system treats as equal to one string. It
// ignores letter case, Unicode normalization and invisible characters. APFS, HFS+, NTFS and ext4
// with casefold each ignore some of these, and finding out which file system a path is on is
// expensive.
//
// Use Fold only where matching too much is safe, such as for denials. Slashes and the special
// characters of patterns stay unchanged, and no other character becomes one of them.
func Fold(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	s = strings.Map(dropUnseen, norm.NFD.String(s))
	// NTFS compares upper case, in which the dotless i becomes I. The other file systems use
	// Unicode case folding.
	s = cases.Fold().String(strings.ToUpper(s))
	return norm.NFC.String(s)
}

// FoldCompatible is like Fold, but also maps compatibility forms, such as full-width letters, to
// the same string. A full-width slash becomes a slash.
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

// dropUnseen maps characters that are invisible, or that file systems ignore when they compare
// names, to -1.
func dropUnseen(r rune) rune {
	if unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
		return -1
	}
	return r
}
