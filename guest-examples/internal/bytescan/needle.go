package bytescan

import (
	"bytes"
	"strings"
)

// common lists the bytes that are usual in texts and programs, the most frequent first.
const common = " etaoinsrlcdupmfhg\"_.y,b()-vwx=/k0;:'1T{}*SACIEP2&NRLDMFO"

const (
	// maxRated is the number of leading bytes of a text among which NewNeedle looks for the rarest.
	// Later bytes may be rarer; see maxVain.
	maxRated = 64
	// minFails and maxVain limit the work on candidates that turn out not to match. Index falls
	// back to package bytes after more than minFails such candidates, if more than maxVain bytes
	// were compared for each byte passed. Package bytes is slower for most texts. It is faster for
	// a text whose beginning matches in too many positions, such as a long line of dashes.
	minFails = 16
	maxVain  = 64
)

// Needle is a text to search for in many blocks. The search looks for the two rarest bytes of the
// text, or only one byte if case is ignored. That leaves the fewest places to compare.
type Needle struct {
	Text []byte
	Fold bool
	rare int // index of the rarest byte in text
	next int // index of the rarest other byte; equal to rare if there is none
}

// NewNeedle returns the Needle for a text, which must not be empty and must not change. If fold is
// true, the search ignores the case of ASCII letters, and the text must be in lower case.
func NewNeedle(text []byte, fold bool) Needle {
	start := text
	if !fold { // without fold, Index can fall back to package bytes
		start = text[:min(len(text), maxRated)]
	}
	n := Needle{Text: text, Fold: fold, rare: rarest(start, -1)}
	n.next = n.rare
	if !fold && len(text) > 1 {
		n.next = rarest(start, n.rare)
	}
	return n
}

// rarest returns the index of the rarest byte of text. It skips the index apart, and returns -1 if
// text has no other byte.
func rarest(text []byte, apart int) int {
	at, rarity := -1, -1
	for i, b := range text {
		place := strings.IndexByte(common, b)
		if place < 0 {
			place = len(common)
		}
		if i != apart && place > rarity {
			at, rarity = i, place
		}
	}
	return at
}

// Index returns the first index of the text in block, or -1.
func (n Needle) Index(block []byte) int {
	first := min(n.rare, n.next)
	fails := 0
	for from := first; from < len(block); {
		at := n.candidate(block[from:])
		if at < 0 {
			return -1
		}
		start := from + at - first
		if start+len(n.Text) > len(block) {
			return -1
		}
		if n.matches(block[start : start+len(n.Text)]) {
			return start
		}
		from += at + 1
		if fails++; fails > minFails && fails*len(n.Text) > maxVain*from && !n.Fold {
			if at = bytes.Index(block[start+1:], n.Text); at < 0 {
				return -1
			}
			return start + 1 + at
		}
	}
	return -1
}

// candidate returns where in block the two rare bytes first occur at the same distance as in the
// text, or -1. The result is the index of the byte that comes first in the text.
func (n Needle) candidate(block []byte) int {
	first, last := min(n.rare, n.next), max(n.rare, n.next)
	a, b := n.Text[first], n.Text[last]
	switch {
	case n.Fold:
		return Index(block, a, upper(a))
	case first == last:
		return Index(block, a, a)
	}
	return IndexPair(block, a, b, last-first)
}

func (n Needle) matches(part []byte) bool {
	if n.Fold {
		return bytes.EqualFold(part, n.Text)
	}
	return bytes.Equal(part, n.Text)
}

// upper returns the upper case of a lower-case ASCII letter, and any other byte unchanged.
func upper(b byte) byte {
	if 'a' <= b && b <= 'z' {
		return b - 'a' + 'A'
	}
	return b
}
