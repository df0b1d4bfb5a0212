package secret

// reading holds the patterns to find and defines which bytes are treated as equal. Several streams
// may share a reading.
type reading struct {
	*automaton
	fold [256]byte // maps each byte to the byte that is compared in its place
	// begins holds the bytes that begin a pattern. The field wakes holds these bytes and the bytes
	// that begin an escape. As long as no pattern has begun, only the bytes in wakes matter.
	begins, wakes [256]bool
	broken        bool // line ends are allowed between symbols
}

// view is the state of a reading in one stream. It reads the raw text, the text without
// percent-encoding and the text without JSON escapes. All three are the same as long as there is no
// escape.
type view struct {
	*reading
	at      int64 // number of bytes read
	raw     cursor
	decoded [2]decoder
	buf     [4]byte
}

// decoder reads a text and decodes one kind of escape, whose first byte is lead.
type decoder struct {
	cursor
	lead    byte
	apart   bool   // the state of the decoder differs from the cursor of the raw text
	pending []byte // beginning of an escape at the end of the last piece
	next    int64  // position of the pending bytes, or of the next byte
	buf     [4]byte
}

func newView(r *reading) *view {
	v := &view{reading: r}
	v.decoded[0].lead, v.decoded[1].lead = leadPercent, leadJSON
	return v
}

// reset prepares v for another stream.
func (v *view) reset() {
	v.at = 0
	v.raw = cursor{jumps: v.raw.jumps[:0]}
	for i := range v.decoded {
		d := &v.decoded[i]
		d.apart, d.pending = false, d.pending[:0]
	}
}

// feed reads p and appends the secrets that it finds to hits.
func (v *view) feed(p []byte, atEnd bool, hits []hit) []hit {
	for i := 0; i < len(p); i++ {
		if !v.decoded[0].apart && !v.decoded[1].apart {
			if i, hits = v.feedShared(p, i, hits); i == len(p) {
				break
			}
		}
		hits = v.feedApart(p[i:], v.at+int64(i), hits)
	}
	v.at += int64(len(p))
	for i := range v.decoded {
		if d := &v.decoded[i]; atEnd && d.apart {
			hits = d.resolve(v.reading, true, hits)
		}
	}
	return hits
}

// feedShared reads p from index i up to the next escape that matters, and returns the index of that
// escape.
func (v *view) feedShared(p []byte, i int, hits []hit) (int, []hit) {
	for ; i < len(p); i++ {
		b := p[i]
		switch {
		case v.raw.state == 0 && !v.wakes[b]: // most bytes begin no pattern and no escape
		case b == leadPercent || b == leadJSON:
			n := v.idle(p[i:])
			if n == 0 {
				return i, hits
			}
			i += n - 1
		default:
			at := v.at + int64(i)
			hits = v.raw.symbol(v.reading, b, at, at+1, hits)
		}
	}
	return i, hits
}

// idle returns the length of the escape at the beginning of p if the escape cannot be part of a
// pattern: no pattern is partly matched, and none begins in the escape, raw or decoded. Otherwise
// it returns 0. Most escapes are idle.
func (v *view) idle(p []byte) int {
	if v.raw.state != 0 {
		return 0
	}
	meaning, n := unescape(p[0], p, false, v.buf[:0])
	for _, b := range p[:n] {
		if v.begins[b] {
			return 0
		}
	}
	for _, b := range meaning {
		if v.begins[b] {
			return 0
		}
	}
	return n
}

// feedApart reads the byte p[0]. The parameter at is its position in the stream.
func (v *view) feedApart(p []byte, at int64, hits []hit) []hit {
	for i := range v.decoded {
		if d := &v.decoded[i]; !d.apart && d.lead == p[0] {
			d.copyFrom(&v.raw)
			d.apart, d.next = true, at
		}
	}
	if v.raw.state != 0 || v.begins[p[0]] {
		hits = v.raw.symbol(v.reading, p[0], at, at+1, hits)
	}
	for i := range v.decoded {
		d := &v.decoded[i]
		if !d.apart {
			continue
		}
		hits = d.read(v.reading, p, at, hits)
		if d.next == at+1 && d.state == 0 && v.raw.state == 0 {
			d.apart = false
		}
	}
	return hits
}

// read reads the byte p[0], or the escape that it begins. The parameter at is the position of the
// byte in the stream.
func (d *decoder) read(r *reading, p []byte, at int64, hits []hit) []hit {
	switch {
	case len(d.pending) > 0:
		d.pending = append(d.pending, p[0])
		return d.resolve(r, false, hits)
	case d.next > at: // this byte was part of an escape
		return hits
	case p[0] != d.lead && d.state == 0 && !r.begins[p[0]]:
		d.next++
		return hits
	}
	n := d.step(r, p, false, &hits)
	if n == 0 {
		d.pending = append(d.pending, p[0])
	}
	return hits
}

// resolve reads the pending bytes as far as their meaning is known.
func (d *decoder) resolve(r *reading, atEnd bool, hits []hit) []hit {
	for len(d.pending) > 0 {
		n := d.step(r, d.pending, atEnd, &hits)
		if n == 0 {
			break
		}
		d.pending = append(d.pending[:0], d.pending[n:]...)
	}
	return hits
}

// step reads the byte or escape at the beginning of p and returns its length, or 0 if the length is
// not known yet.
func (d *decoder) step(r *reading, p []byte, atEnd bool, hits *[]hit) int {
	meaning, n := []byte(nil), 1
	if p[0] == d.lead {
		meaning, n = unescape(d.lead, p, atEnd, d.buf[:0])
	}
	if n > 0 && meaning == nil {
		meaning = append(d.buf[:0], p[0])
	}
	for _, b := range meaning {
		if d.state == 0 && !r.begins[b] {
			continue
		}
		*hits = d.symbol(r, b, d.next, d.next+int64(n), *hits)
	}
	d.next += int64(n)
	return n
}

// settled returns the position before which no unfinished pattern begins.
func (v *view) settled() int64 {
	settled := v.raw.settled(v.reading, v.at)
	for i := range v.decoded {
		if d := &v.decoded[i]; d.apart {
			settled = min(settled, d.cursor.settled(v.reading, d.next))
		}
	}
	return settled
}
