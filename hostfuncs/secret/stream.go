package secret

import (
	"cmp"
	"context"
	"slices"
)

// piece is the number of bytes read between two checks of the context.
const piece = 64 << 10

// stream hides secrets in streams of bytes that are read one at a time. It is not safe for
// concurrent use.
type stream struct {
	hidden
	shortest int // a text with fewer bytes contains no secret
	views    []*view
	hits     []hit
	held     []byte // read, but not passed on yet
	total    int64  // number of bytes read
	doneTo   int64  // position up to which all bytes were passed on or hidden
	hiddenTo int64  // end of the last hidden range
	out      []byte
}

// Scrub implements egress.Scrubber.
func (t *stream) Scrub(p []byte, atEnd bool) []byte {
	if atEnd {
		defer t.reset()
		if t.total == 0 && len(p) < t.shortest {
			return p
		}
	}
	settled := t.find(p, atEnd)
	if len(t.held) == 0 && len(t.hits) == 0 && settled == t.total && t.doneTo == t.total-int64(len(p)) {
		t.doneTo = t.total
		return p
	}
	t.held = append(t.held, p...)
	base := t.total - int64(len(t.held))
	t.hide(base, settled)
	rest := t.held[settled-base:]
	if len(rest) <= len(t.held)/2 { // avoid moving the rest for every byte that arrives
		rest = append(t.held[:0], rest...)
	}
	t.held = rest
	return t.out
}

// whole returns p, which is a complete stream, without secrets. The result may be p itself and is
// valid until the next call. If ctx is done, whole returns only the error of ctx.
func (t *stream) whole(ctx context.Context, p []byte) ([]byte, error) {
	defer t.reset()
	if len(p) < t.shortest {
		return p, nil
	}
	for from := 0; from < len(p); from += piece {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		to := min(from+piece, len(p))
		t.find(p[from:to], to == len(p))
	}
	if len(t.hits) == 0 {
		return p, nil
	}
	t.held = p
	t.hide(0, t.total)
	t.held = nil // p belongs to the caller
	return t.out, nil
}

// pieces reads p, the next bytes of the stream, and returns all bytes that may be passed on. If ctx
// is done, it returns only the error of ctx.
func (t *stream) pieces(ctx context.Context, p []byte, atEnd bool) ([]byte, error) {
	out := make([]byte, 0, len(p))
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n := min(piece, len(p))
		out = append(out, t.Scrub(p[:n], atEnd && n == len(p))...)
		if p = p[n:]; len(p) == 0 {
			return out, nil
		}
	}
}

// reset prepares t for another stream.
func (t *stream) reset() {
	for _, v := range t.views {
		v.reset()
	}
	t.hits, t.held = t.hits[:0], t.held[:0]
	t.total, t.doneTo, t.hiddenTo = 0, 0, 0
}

// find reads p. It returns the position before which no unfinished secret begins.
func (t *stream) find(p []byte, atEnd bool) (settled int64) {
	t.total += int64(len(p))
	settled = t.total
	for _, v := range t.views {
		t.hits = v.feed(p, atEnd, t.hits)
		if !atEnd {
			settled = min(settled, v.settled())
		}
	}
	return settled
}

// hide passes on the bytes before the position settled. It writes one mark in place of each range
// to hide that begins before settled. Overlapping ranges share one mark. base is the position of
// the held bytes.
func (t *stream) hide(base, settled int64) {
	t.out = t.out[:0]
	slices.SortStableFunc(t.hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to))
	})
	n := 0
	for ; n < len(t.hits) && t.hits[n].from < settled; n++ {
		h := t.hits[n]
		if h.from >= t.hiddenTo {
			t.pass(base, h.from)
			t.out = append(t.out, h.label...)
		}
		t.hiddenTo = max(t.hiddenTo, h.to)
		t.doneTo = max(t.doneTo, h.to)
	}
	t.hits = slices.Delete(t.hits, 0, n)
	t.pass(base, settled)
}

// pass passes on the bytes that are before the position to and have not been passed on yet. base is
// the position of the held bytes.
func (t *stream) pass(base, to int64) {
	if to > t.doneTo {
		t.out = append(t.out, t.held[t.doneTo-base:to-base]...)
		t.doneTo = to
	}
}
