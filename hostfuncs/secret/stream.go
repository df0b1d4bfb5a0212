package secret

import (
	"cmp"
	"slices"
)

// stream hides secrets in one stream of bytes. One goroutine uses it.
type stream struct {
	hidden
	views []*view
	hits  []hit
	held  []byte // read and not passed on
	total int64  // how many bytes were read
	done  int64  // up to where they were passed on or hidden
	gone  int64  // up to where the last stretch was hidden
	out   []byte
}

// Scrub implements egress.Scrubber.
func (t *stream) Scrub(p []byte, atEnd bool) []byte {
	t.total += int64(len(p))
	clear := t.total
	for _, v := range t.views {
		t.hits = v.feed(p, atEnd, t.hits)
		if !atEnd {
			clear = min(clear, v.clear())
		}
	}
	if len(t.held) == 0 && len(t.hits) == 0 && clear == t.total && t.done == t.total-int64(len(p)) {
		t.done = t.total
		return p
	}
	t.held = append(t.held, p...)
	base := t.total - int64(len(t.held))
	t.out = t.out[:0]
	t.hide(base, clear)
	t.pass(base, clear)
	t.held = append(t.held[:0], t.held[clear-base:]...)
	return t.out
}

// hide passes on what is before clear up to the last stretch to hide that begins
// there. Stretches that overlap get one mark.
func (t *stream) hide(base, clear int64) {
	slices.SortStableFunc(t.hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to))
	})
	n := 0
	for ; n < len(t.hits) && t.hits[n].from < clear; n++ {
		h := t.hits[n]
		if h.from >= t.gone {
			t.pass(base, h.from)
			t.out = append(t.out, h.label...)
		}
		t.gone = max(t.gone, h.to)
		t.done = max(t.done, h.to)
	}
	t.hits = slices.Delete(t.hits, 0, n)
}

// pass passes on what is before to and was not yet.
func (t *stream) pass(base, to int64) {
	if to > t.done {
		t.out = append(t.out, t.held[t.done-base:to-base]...)
		t.done = to
	}
}
