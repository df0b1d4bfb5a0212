package secret

import (
	"cmp"
	"context"
	"slices"
)

// piece is how many bytes are read between two looks at a context.
const piece = 64 << 10

// stream hides secrets in one stream of bytes after another. One goroutine uses it.
type stream struct {
	hidden
	shortest int // no text that is shorter holds a secret
	views    []*view
	hits     []hit
	held     []byte // read and not passed on
	total    int64  // how many bytes were read
	done     int64  // up to where they were passed on or hidden
	gone     int64  // up to where the last stretch was hidden
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
	clear := t.find(p, atEnd)
	if len(t.held) == 0 && len(t.hits) == 0 && clear == t.total && t.done == t.total-int64(len(p)) {
		t.done = t.total
		return p
	}
	t.held = append(t.held, p...)
	base := t.total - int64(len(t.held))
	t.hide(base, clear)
	rest := t.held[clear-base:]
	if len(rest) <= len(t.held)/2 { // so that what stays is not moved for every byte that comes
		rest = append(t.held[:0], rest...)
	}
	t.held = rest
	return t.out
}

// whole returns p, which is all of a stream, without secrets. The result may be p itself,
// and is valid until the next call. The error is that of ctx.
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
	t.held = nil // it is not the stream's
	return t.out, nil
}

// pieces returns what may be passed on of p, the next bytes of the stream, and of those
// before. The error is that of ctx.
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

// reset makes t ready for another stream.
func (t *stream) reset() {
	for _, v := range t.views {
		v.reset()
	}
	t.hits, t.held = t.hits[:0], t.held[:0]
	t.total, t.done, t.gone = 0, 0, 0
}

// find reads p. It returns up to where the stream holds no beginning of a secret.
func (t *stream) find(p []byte, atEnd bool) (clear int64) {
	t.total += int64(len(p))
	clear = t.total
	for _, v := range t.views {
		t.hits = v.feed(p, atEnd, t.hits)
		if !atEnd {
			clear = min(clear, v.clear())
		}
	}
	return clear
}

// hide passes on what is before clear, with a mark for each stretch to hide that begins
// there. Stretches that overlap get one mark. base is where the held bytes begin.
func (t *stream) hide(base, clear int64) {
	t.out = t.out[:0]
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
	t.pass(base, clear)
}

// pass passes on what is before to and was not yet.
func (t *stream) pass(base, to int64) {
	if to > t.done {
		t.out = append(t.out, t.held[t.done-base:to-base]...)
		t.done = to
	}
}
