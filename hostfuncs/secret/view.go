package secret

// reading is one way to read bytes, such as with percent-encoding undone, and what to
// find in them. Streams share it.
type reading struct {
	*automaton
	fold [256]byte // what a byte that stands for itself counts as
	lead int       // the byte that begins an escape, or -1
	// escape undoes the first escape of p, which begins with lead. It returns its
	// meaning and length, or 0 where more of the stream is needed to tell.
	escape func(p []byte, atEnd bool) ([]byte, int)
}

// hit is a stretch [from, to) of the stream to hide.
type hit struct {
	from, to int64
	label    string
}

// view is the state of a reading in one stream.
type view struct {
	*reading
	state int32
	// starts are the places of the last symbols read, by number; its length is a power
	// of two and enough for the longest pattern.
	starts  []int64
	read    int64  // how many symbols were read
	pending []byte // the beginning of an escape
	at      int64  // where the pending bytes, or else the next one, begin
}

func newView(r *reading) *view {
	size := 1
	for size < r.deep {
		size *= 2
	}
	return &view{reading: r, starts: make([]int64, size)}
}

// feed reads p and adds what it finds to hits.
func (v *view) feed(p []byte, atEnd bool, hits []hit) []hit {
	for _, b := range p {
		if len(v.pending) == 0 && int(b) != v.lead {
			if v.state == 0 && v.start[v.fold[b]] == 0 { // most bytes begin nothing
				v.at++
				continue
			}
			hits = v.symbol(v.fold[b], v.at, v.at+1, hits)
			v.at++
			continue
		}
		v.pending = append(v.pending, b)
		hits = v.resolve(false, hits)
	}
	if atEnd {
		hits = v.resolve(true, hits)
	}
	return hits
}

// resolve reads of the pending bytes what is clear.
func (v *view) resolve(atEnd bool, hits []hit) []hit {
	for len(v.pending) > 0 {
		meaning, n := []byte(nil), 1
		if int(v.pending[0]) == v.lead {
			meaning, n = v.escape(v.pending, atEnd)
		}
		if n == 0 {
			break
		}
		if meaning == nil {
			meaning = []byte{v.pending[0]}
		}
		for _, b := range meaning {
			hits = v.symbol(v.fold[b], v.at, v.at+int64(n), hits)
		}
		v.at += int64(n)
		v.pending = append(v.pending[:0], v.pending[n:]...)
	}
	return hits
}

// symbol reads b, which stands at [from, to) of the stream.
func (v *view) symbol(b byte, from, to int64, hits []hit) []hit {
	v.starts[v.read&int64(len(v.starts)-1)] = from
	v.read++
	v.state = v.next(v.state, b)
	if n := &v.nodes[v.state]; n.found > 0 {
		hits = append(hits, hit{v.start64(n.found), to, n.label})
	}
	return hits
}

// start64 is where the last n symbols begin in the stream.
func (v *view) start64(n int32) int64 { return v.starts[(v.read-int64(n))&int64(len(v.starts)-1)] }

// clear is how far the stream holds no beginning of a pattern.
func (v *view) clear() int64 {
	if depth := v.nodes[v.state].depth; depth > 0 {
		return v.start64(depth)
	}
	return v.at
}
