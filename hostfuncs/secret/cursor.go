package secret

import (
	"slices"
	"sort"
)

// hit is a range [from, to) of the stream to hide.
type hit struct {
	from, to int64
	label    string
}

// cursor is the position of a reading in one stream. Symbols are numbered from the start of the
// current pattern, so a cursor in the root state has no symbols.
type cursor struct {
	state int32
	read  int64  // number of symbols read
	first int64  // position of the first symbol
	jumps []jump // places where the positions of symbols are not consecutive
	gap   int    // number of line-end bytes skipped since the last symbol
}

// jump says that, from symbol on, the position of each symbol is its number plus shift.
type jump struct{ symbol, shift int64 }

// maxGap limits the line-end bytes between two symbols: one CR and one LF.
const maxGap = 2

// symbol reads b, which occupies [from, to) of the stream.
func (c *cursor) symbol(r *reading, b byte, from, to int64, hits []hit) []hit {
	if r.broken && c.state != 0 && c.gap < maxGap && (b == '\r' || b == '\n') {
		c.gap++
		return hits
	}
	c.gap = 0
	if c.state == 0 {
		c.read, c.first, c.jumps = 0, from, c.jumps[:0]
	} else if shift := from - c.read; shift != c.shift() {
		c.prune(r)
		c.jumps = append(c.jumps, jump{c.read, shift})
	}
	c.read++
	c.state = r.next(c.state, r.fold[b])
	if n := &r.nodes[c.state]; n.found > 0 {
		hits = appendHit(hits, hit{c.start(n.found), to, n.label})
	}
	return hits
}

// shift returns the difference between the position and the number of the last symbol.
func (c *cursor) shift() int64 {
	if n := len(c.jumps); n > 0 {
		return c.jumps[n-1].shift
	}
	return c.first
}

// prune drops the jumps before the current pattern, once there are many of them.
func (c *cursor) prune(r *reading) {
	depth := int64(r.nodes[c.state].depth)
	if int64(len(c.jumps)) < 64+2*depth {
		return
	}
	if n := c.before(c.read - depth); n > 0 {
		c.first = c.jumps[n-1].shift
		c.jumps = slices.Delete(c.jumps, 0, n)
	}
}

// before returns the number of jumps at or before a symbol.
func (c *cursor) before(symbol int64) int {
	return sort.Search(len(c.jumps), func(i int) bool { return c.jumps[i].symbol > symbol })
}

// start returns the position in the stream at which the last n symbols begin.
func (c *cursor) start(n int32) int64 {
	symbol := c.read - int64(n)
	if k := c.before(symbol); k > 0 {
		return symbol + c.jumps[k-1].shift
	}
	return symbol + c.first
}

// settled returns the position where the earliest unfinished pattern begins. If there is none, it
// returns at, the position up to which the stream was read.
func (c *cursor) settled(r *reading, at int64) int64 {
	if depth := r.nodes[c.state].depth; depth > 0 {
		return c.start(depth)
	}
	return at
}

// copyFrom makes c continue from the position of o.
func (c *cursor) copyFrom(o *cursor) {
	if o.state == 0 { // no pattern has begun, so its jumps are not needed
		*c = cursor{jumps: c.jumps[:0]}
		return
	}
	jumps := append(c.jumps[:0], o.jumps...)
	*c = *o
	c.jumps = jumps
}

// appendHit merges h with the last hit if they overlap, because both are replaced with one mark.
// Even a text full of overlapping secrets therefore has few hits.
func appendHit(hits []hit, h hit) []hit {
	if len(hits) > 0 {
		switch last := &hits[len(hits)-1]; {
		case h.from <= last.from && h.to >= last.to:
			*last = h
			return hits
		case last.from <= h.from && h.from < last.to:
			last.to = max(last.to, h.to)
			return hits
		}
	}
	return append(hits, h)
}
