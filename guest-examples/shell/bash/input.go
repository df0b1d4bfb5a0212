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
	size  int       // of the last block that was read
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

// reader returns the reader for an input. Between two calls of read, it may have a block that is
// not used yet.
func (s *shell) reader(in io.Reader) *reader {
	if _, ok := in.(io.Seeker); !ok {
		return newReader(in, false)
	}
	s.mu.Lock()
	if r := s.kept; r != nil && r.in == in {
		s.kept = nil
		s.mu.Unlock()
		return r
	}
	s.mu.Unlock()
	s.leave()
	return newReader(in, false)
}

// keep keeps the reader until another command than read runs, or a file is opened: either could
// see where the input is, or change the file.
func (s *shell) keep(r *reader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.seek == nil || r.err != nil || s.kept != nil {
		r.close()
		return
	}
	s.kept = r
}

// leave leaves the input of the kept reader where read ended.
func (s *shell) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept != nil {
		s.kept.close()
		s.kept = nil
	}
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
		size = min(max(firstBlock, 2*r.size), lastBlock)
		r.size = size
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
