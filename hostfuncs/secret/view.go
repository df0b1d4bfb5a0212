package secret

// reading is what to find and which bytes count as the same. Streams share it.
type reading struct {
	*automaton
	fold [256]byte // what a byte counts as
	// begins are the bytes that begin a pattern; wakes are those as well as the ones that
	// begin an escape, which are all that matter before a pattern has begun.
	begins, wakes [256]bool
	broken        bool // line ends may stand between symbols
}

// view is the state of a reading in one stream: of the text as it stands, and with either
// kind of escape undone. All three are at one as long as there is no escape.
type view struct {
	*reading
	at      int64 // how much of the stream was read
	raw     cursor
	decoded [2]decoder
	buf     [4]byte
}

// decoder reads a text with the escapes undone that begin with lead.
type decoder struct {
	cursor
	lead    byte
	apart   bool   // it is elsewhere than the cursor of the raw text
	pending []byte // the beginning of an escape that the last piece ended in
	next    int64  // where the pending bytes, or else the next one to read, begin
	buf     [4]byte
}

func newView(r *reading) *view {
	v := &view{reading: r}
	v.decoded[0].lead, v.decoded[1].lead = leadPercent, leadJSON
	return v
}

// reset makes v ready for another stream.
func (v *view) reset() {
	v.at = 0
	v.raw = cursor{jumps: v.raw.jumps[:0]}
	for i := range v.decoded {
		d := &v.decoded[i]
		d.apart, d.pending = false, d.pending[:0]
	}
}

// feed reads p and adds what it finds to hits.
func (v *view) feed(p []byte, atEnd bool, hits []hit) []hit {
	for i := 0; i < len(p); i++ {
		if !v.decoded[0].apart && !v.decoded[1].apart {
			if i, hits = v.together(p, i, hits); i == len(p) {
				break
			}
		}
		hits = v.apart(p[i:], v.at+int64(i), hits)
	}
	v.at += int64(len(p))
	for i := range v.decoded {
		if d := &v.decoded[i]; atEnd && d.apart {
			hits = d.resolve(v.reading, true, hits)
		}
	}
	return hits
}

// together reads p from i on up to the next escape, and returns where that is.
func (v *view) together(p []byte, i int, hits []hit) (int, []hit) {
	for ; i < len(p); i++ {
		b := p[i]
		switch {
		case v.raw.state == 0 && !v.wakes[b]: // most bytes begin nothing
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

// idle is the length of the escape that p begins with, where no pattern has begun and none
// begins in it, however it is read; else 0. Most escapes are such.
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

// apart reads one byte, the first of p, which stands at at.
func (v *view) apart(p []byte, at int64, hits []hit) []hit {
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

// read reads the first byte of p, which stands at at, or the escape that it begins.
func (d *decoder) read(r *reading, p []byte, at int64, hits []hit) []hit {
	switch {
	case len(d.pending) > 0:
		d.pending = append(d.pending, p[0])
		return d.resolve(r, false, hits)
	case d.next > at: // it was part of an escape
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

// resolve reads of the pending bytes what is clear.
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

// step reads the byte or escape that p begins with, and returns how long it is, or 0 where
// that is not clear yet.
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

// clear is up to where the stream holds no beginning of a pattern.
func (v *view) clear() int64 {
	clear := v.raw.clear(v.reading, v.at)
	for i := range v.decoded {
		if d := &v.decoded[i]; d.apart {
			clear = min(clear, d.cursor.clear(v.reading, d.next))
		}
	}
	return clear
}
