package bash

import (
	"bytes"
	"io"
)

// reader reads lines for read and mapfile. Other commands may read what follows the lines, so from
// a pipe it reads single bytes. From a file it reads blocks, and seeks back in close.
type reader struct {
	in    io.Reader
	seek  io.Seeker // nil if in can't seek
	whole bool      // all of the input is wanted, so nothing is left for others
	block []byte    // what was read and not used yet
	err   error     // the error of reading after block
	one   [1]byte
}

// The sizes of the blocks of reader: the first of a call, and the largest.
const (
	firstBlock = 256
	lastBlock  = 64 << 10
)

func newReader(in io.Reader, whole bool) *reader {
	r := &reader{in: in, whole: whole}
	if s, ok := in.(io.Seeker); ok {
		if _, err := s.Seek(0, io.SeekCurrent); err == nil {
			r.seek = s
		}
	}
	return r
}

// close leaves the input after the last byte that was used.
func (r *reader) close() {
	if r.seek != nil && len(r.block) > 0 {
		_, _ = r.seek.Seek(-int64(len(r.block)), io.SeekCurrent) // newReader has shown that it can
	}
	r.block = nil
}

// more reads at least one further byte to the end of block, or sets err.
func (r *reader) more() {
	if r.err != nil {
		return
	}
	size := 1
	if r.seek != nil || r.whole {
		size = min(max(firstBlock, 2*len(r.block)), lastBlock)
	}
	if size == 1 {
		n, err := r.in.Read(r.one[:])
		r.block, r.err = r.one[:n], err // there is no block before
		return
	}
	block := make([]byte, len(r.block)+size)
	n, err := r.in.Read(block[copy(block, r.block):])
	r.block, r.err = block[:len(r.block)+n], err
}

// line returns the next line without the delimiter, if it ends in the block, and does not use it.
func (r *reader) line(delimiter byte) ([]byte, bool) {
	for from := 0; ; {
		if n := bytes.IndexByte(r.block[from:], delimiter); n >= 0 {
			return r.block[:from+n], true
		}
		from = len(r.block)
		if from >= lastBlock || r.seek == nil && !r.whole {
			return nil, false
		}
		if r.more(); len(r.block) == from {
			return nil, false
		}
	}
}

// next returns the next byte. ok is false if there is none, at the end or before the next call.
func (r *reader) next() (b byte, ok bool) {
	if len(r.block) == 0 {
		if r.more(); len(r.block) == 0 {
			return 0, false
		}
	}
	b = r.block[0]
	r.block = r.block[1:]
	return b, true
}
