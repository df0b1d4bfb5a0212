package grep

import (
	"github.com/wasmtool/wasmtool/guest-examples/internal/bytescan"
)

// finder iterates over the occurrences of the literals in a block.
type finder struct {
	needles []bytescan.Needle
	block   []byte
	next    []int // next occurrence of each needle; len(block) means none
}

// newFinder returns a finder for block. The finder does not change block.
func newFinder(needles []bytescan.Needle, block []byte) *finder {
	f := &finder{needles: needles, block: block, next: make([]int, len(needles))}
	for i := range f.next {
		f.next[i] = -1
	}
	return f
}

// find returns the first occurrence at or after the index from, or -1. A later call must not pass a
// smaller index.
func (f *finder) find(from int) int {
	first := len(f.block)
	for i, n := range f.needles {
		if f.next[i] < from {
			f.next[i] = len(f.block)
			if at := n.Index(f.block[from:]); at >= 0 {
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
