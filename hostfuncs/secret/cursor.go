package secret

import (
	"slices"
	"sort"
)

// hit is a stretch [from, to) of the stream to hide.
type hit struct {
	from, to int64
	label    string
}

// cursor is how far a reading has come in one stream. Symbols are numbered from the one
// that began the pattern, so that a cursor in the root state has none behind it.
type cursor struct {
	state int32
	read  int64  // how many symbols were read
	first int64  // where the first of them begins
	jumps []jump // where symbols do not follow one another byte by byte
	gap   int    // how many line ends were passed over since the last symbol
}

// jump says that from a symbol on, symbols begin at their number plus shift.
type jump struct{ symbol, shift int64 }

// maxGap is how many line ends may stand between two symbols: a CR and an LF.
const maxGap = 2

// symbol reads b, which stands at [from, to) of the stream.
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

// shift is the difference between the place of the last symbol and its number.
func (c *cursor) shift() int64 {
	if n := len(c.jumps); n > 0 {
		return c.jumps[n-1].shift
	}
	return c.first
}

// prune drops the jumps that lie before the pattern, once they are most of them.
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

// before is how many jumps are at a symbol or before it.
func (c *cursor) before(symbol int64) int {
	return sort.Search(len(c.jumps), func(i int) bool { return c.jumps[i].symbol > symbol })
}

// start is where the last n symbols begin in the stream.
func (c *cursor) start(n int32) int64 {
	symbol := c.read - int64(n)
	if k := c.before(symbol); k > 0 {
		return symbol + c.jumps[k-1].shift
	}
	return symbol + c.first
}

// clear is up to where the stream, read up to at, holds no beginning of a pattern.
func (c *cursor) clear(r *reading, at int64) int64 {
	if depth := r.nodes[c.state].depth; depth > 0 {
		return c.start(depth)
	}
	return at
}

// copyFrom makes c read on from where o is.
func (c *cursor) copyFrom(o *cursor) {
	if o.state == 0 { // which has no pattern behind it, and so no need for its jumps
		*c = cursor{jumps: c.jumps[:0]}
		return
	}
	jumps := append(c.jumps[:0], o.jumps...)
	*c = *o
	c.jumps = jumps
}

// appendHit joins h with the last hit where they overlap, since both get one mark: a text
// that is all secret has few hits.
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
