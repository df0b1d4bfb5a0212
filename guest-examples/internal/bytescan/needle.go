package bytescan

import (
	"bytes"
	"strings"
)

// common has the bytes that texts and programs mostly consist of, the most
// frequent first.
const common = " etaoinsrlcdupmfhg\"_.y,b()-vwx=/k0;:'1T{}*SACIEP2&NRLDMFO"

const (
	// maxRated is how many bytes of a text are looked at for the rarest. Where these say
	// little of the rest, see maxVain.
	maxRated = 64
	// minFails and maxVain are how many places may be compared in vain, and how many bytes
	// may be for each one gone through, before package bytes is asked for the rest: that
	// takes longer for most texts, and no longer for those of which much stands in too many
	// places, such as one that begins with a long line of dashes.
	minFails = 16
	maxVain  = 64
)

// Needle is a text to look for in many blocks or places. What is searched are the two rarest bytes of it, which
// leaves the fewest places to compare, or one if case does not matter.
type Needle struct {
	Text []byte
	Fold bool
	rare int // where in text the rarest byte stands
	next int // where the rarest of the others does; rare if there is none
}

// NewNeedle returns the Needle for a text that is not empty and stays as it is; fold takes ASCII
// letters of either case as equal, and the text is in lower case then.
func NewNeedle(text []byte, fold bool) Needle {
	start := text
	if !fold { // which package bytes knows nothing of
		start = text[:min(len(text), maxRated)]
	}
	n := Needle{Text: text, Fold: fold, rare: rarest(start, -1)}
	n.next = n.rare
	if !fold && len(text) > 1 {
		n.next = rarest(start, n.rare)
	}
	return n
}

// rarest returns where the rarest byte of text stands, apart from one place; -1 if there is
// none.
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

// Index returns the first place in block at which the text stands, or -1.
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

// candidate returns where in block the first of the rare bytes stands, as in the text, or
// -1.
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

// upper returns the other case of an ASCII letter in lower case, and any other
// byte as it is.
func upper(b byte) byte {
	if 'a' <= b && b <= 'z' {
		return b - 'a' + 'A'
	}
	return b
}
