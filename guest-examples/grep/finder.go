package grep

import (
	"bytes"
	"strings"

	"github.com/wasmtool/wasmtool/guest-examples/internal/bytescan"
)

// common has the bytes that texts and programs mostly consist of, the most
// frequent first.
const common = " etaoinsrlcdupmfhg\"_.y,b()-vwx=/k0;:'1T{}*SACIEP2&NRLDMFO"

// needle is a text to look for. What is searched are the two rarest bytes of it, which
// leaves the fewest places to compare, or one if case does not matter.
type needle struct {
	text []byte
	fold bool
	rare int // where in text the rarest byte stands
	next int // where the rarest of the others does; rare if there is none
}

func newNeedle(text []byte, fold bool) needle {
	n := needle{text: text, fold: fold, rare: rarest(text, -1)}
	n.next = n.rare
	if !fold && len(text) > 1 {
		n.next = rarest(text, n.rare)
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

// index returns the first place in block at which the text stands, or -1.
func (n needle) index(block []byte) int {
	first := min(n.rare, n.next)
	for from := first; from < len(block); {
		at := n.candidate(block[from:])
		if at < 0 {
			return -1
		}
		start := from + at - first
		if start+len(n.text) > len(block) {
			return -1
		}
		if n.matches(block[start : start+len(n.text)]) {
			return start
		}
		from += at + 1
	}
	return -1
}

// candidate returns where in block the first of the rare bytes stands, as in the text, or
// -1.
func (n needle) candidate(block []byte) int {
	first, last := min(n.rare, n.next), max(n.rare, n.next)
	a, b := n.text[first], n.text[last]
	switch {
	case n.fold:
		return bytescan.Index(block, a, upper(a))
	case first == last:
		return bytescan.Index(block, a, a)
	}
	return bytescan.IndexPair(block, a, b, last-first)
}

func (n needle) matches(part []byte) bool {
	if n.fold {
		return bytes.EqualFold(part, n.text)
	}
	return bytes.Equal(part, n.text)
}

// upper returns the other case of an ASCII letter in lower case, and any other
// byte as it is.
func upper(b byte) byte {
	if 'a' <= b && b <= 'z' {
		return b - 'a' + 'A'
	}
	return b
}

// finder walks over the places in a block at which the literals occur.
type finder struct {
	needles []needle
	block   []byte
	next    []int // where each needle is next; len(block) means no more
}

// newFinder returns a finder over block, which it only reads.
func newFinder(needles []needle, block []byte) *finder {
	f := &finder{needles: needles, block: block, next: make([]int, len(needles))}
	for i := range f.next {
		f.next[i] = -1
	}
	return f
}

// find returns the first place at or after from, or -1. from must not become
// smaller from call to call.
func (f *finder) find(from int) int {
	first := len(f.block)
	for i, n := range f.needles {
		if f.next[i] < from {
			f.next[i] = len(f.block)
			if at := n.index(f.block[from:]); at >= 0 {
				f.next[i] = from + at
			}
		}
		first = min(first, f.next[i])
	}
	if first == len(f.block) {
		return -1
	}
	return first
}
