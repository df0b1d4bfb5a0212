package commands

import (
	"cmp"
	"strings"
)

// compareVersions compares names that contain numbers as GNU's sort -V and ls -v do. Digits are
// compared as numbers, and "~" sorts before everything. File extensions are compared only if the
// rest is equal.
func compareVersions(a, b string) int {
	if a == b {
		return 0
	}
	for _, special := range []string{"", ".", ".."} {
		if a == special {
			return -1
		}
		if b == special {
			return 1
		}
	}
	if hiddenA, hiddenB := a[0] == '.', b[0] == '.'; hiddenA != hiddenB {
		if hiddenA {
			return -1
		}
		return 1
	}
	shortA, shortB := withoutEnding(a), withoutEnding(b)
	if shortA != shortB {
		if c := compareParts(shortA, shortB); c != 0 {
			return c
		}
	}
	return cmp.Or(compareParts(a, b), strings.Compare(a, b))
}

// withoutEnding returns the name without its extensions, such as .tar.gz.
func withoutEnding(name string) string {
	end := len(name)
	for {
		dot := strings.LastIndexByte(name[:end], '.')
		if dot <= 0 || dot+1 == end || !isAlpha(name[dot+1]) && name[dot+1] != '~' {
			return name[:end]
		}
		for _, c := range []byte(name[dot+1 : end]) {
			if !isAlnum(c) && c != '~' {
				return name[:end]
			}
		}
		end = dot
	}
}

func compareParts(a, b string) int {
	for a != "" || b != "" {
		for a != "" && !isDigit(a[0]) || b != "" && !isDigit(b[0]) {
			if c := cmp.Compare(versionRank(a), versionRank(b)); c != 0 {
				return c
			}
			a, b = a[min(1, len(a)):], b[min(1, len(b)):]
		}
		a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
		n, m := countDigits([]byte(a)), countDigits([]byte(b))
		if c := cmp.Or(cmp.Compare(n, m), strings.Compare(a[:n], b[:m])); c != 0 {
			return c
		}
		a, b = a[n:], b[m:]
	}
	return 0
}

// versionRank returns the rank of the first byte of a part that is not a number.
func versionRank(text string) int {
	switch {
	case text == "" || isDigit(text[0]):
		return 0
	case text[0] == '~':
		return -1
	case isAlpha(text[0]):
		return int(text[0])
	}
	return int(text[0]) + 256
}
