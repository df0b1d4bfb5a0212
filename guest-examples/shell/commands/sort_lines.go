package commands

import (
	"bytes"
	"encoding/binary"
	"io"
	"runtime"

	"github.com/wasmtool/wasmtool/guest-examples/internal/bytescan"
)

// sortLine is a line in the buffer of a sorting. It has no pointers: a guest collects garbage only
// while it runs, and would otherwise look at every line that sorting moves.
type sortLine struct {
	// code orders lines by their first key, where the codes of two lines differ.
	code       uint64
	start, end uint32
}

// sorting has all lines to sort. In data, each line is followed by its line end.
type sorting struct {
	*sorter
	data  []byte
	end   byte
	lines []sortLine
	// skip is the number of bytes that all first keys have in common.
	skip    int
	reduced []byte
}

// add reads the lines of a file.
func (s *sorting) add(p *process, r io.Reader) error {
	before := len(s.data)
	data, err := p.appendAll(s.data, r)
	if err != nil {
		return err
	}
	if s.data = data; len(data) > before && data[len(data)-1] != s.end {
		s.data = append(s.data, s.end)
	}
	return nil
}

// text returns a line without its line end.
func (s *sorting) text(l sortLine) []byte { return s.data[l.start:l.end] }

// sort splits the data into lines and sorts them. It returns early if the command must stop.
func (s *sorting) sort(p *process) {
	s.lines = make([]sortLine, 0, bytescan.Count(s.data, s.end))
	for at := 0; at < len(s.data); {
		n := bytes.IndexByte(s.data[at:], s.end)
		s.lines = append(s.lines, sortLine{start: uint32(at), end: uint32(at + n)})
		at += n + 1
	}
	if s.coding() == byText {
		s.findSkip()
	}
	for i := range s.lines {
		s.lines[i].code = s.codeOf(s.text(s.lines[i]))
	}
	const block = 12
	for low := 0; low < len(s.lines); low += block {
		s.insert(s.lines[low:min(low+block, len(s.lines))])
	}
	from, to := s.lines, make([]sortLine, len(s.lines))
	for size, work := block, 0; size < len(from); size *= 2 {
		for low := 0; low < len(from); low += 2 * size {
			middle, high := min(low+size, len(from)), min(low+2*size, len(from))
			s.merge(to[low:high], from[low:middle], from[middle:high])
			if work += high - low; work < 1<<16 {
				continue
			}
			work = 0
			if runtime.Gosched(); p.stopped() {
				return
			}
		}
		from, to = to, from
	}
	s.lines = from
}

// insert sorts a few lines.
func (s *sorting) insert(lines []sortLine) {
	for i := 1; i < len(lines); i++ {
		line := lines[i]
		at := i
		for ; at > 0 && s.less(line, lines[at-1]); at-- {
			lines[at] = lines[at-1]
		}
		lines[at] = line
	}
}

// merge merges two sorted lists into to. Equal lines of the first list come first.
func (s *sorting) merge(to, a, b []sortLine) {
	if len(b) == 0 || !s.less(b[0], a[len(a)-1]) {
		copy(to[copy(to, a):], b)
		return
	}
	for len(a) > 0 && len(b) > 0 {
		if s.less(b[0], a[0]) {
			to[0], b = b[0], b[1:]
		} else {
			to[0], a = a[0], a[1:]
		}
		to = to[1:]
	}
	copy(to[copy(to, a):], b)
}

func (s *sorting) less(a, b sortLine) bool {
	if a.code != b.code {
		return a.code < b.code
	}
	return s.compareSame(a, b) < 0
}

// compareSame compares lines that have the same code.
func (s *sorting) compareSame(a, b sortLine) int {
	from := 0
	if len(s.keys) > 0 && s.decides(a.code) {
		from = 1
	}
	return s.compareFrom(from, s.text(a), s.text(b))
}

// coding is the way in which codes are made of keys.
type coding int

const (
	byComparing coding = iota // all codes are 0
	byText
	byNumber
)

func (s *sorting) coding() coding {
	switch {
	case len(s.keys) == 0:
		return byText
	case s.keys[0].numeric:
		return byNumber
	case s.keys[0].human || s.keys[0].general || s.keys[0].month || s.keys[0].version:
		return byComparing
	}
	return byText
}

// firstKey returns the text that is compared first. It is valid until the next call.
func (s *sorting) firstKey(line []byte) []byte {
	if len(s.keys) == 0 {
		return line
	}
	k := &s.keys[0]
	line = k.of(line, s.separator)
	if k.fold || k.dictionary || k.printing {
		s.reduced = k.appendReduced(s.reduced[:0], line)
		line = s.reduced
	}
	return line
}

// findSkip sets skip.
func (s *sorting) findSkip() {
	var common []byte
	for i, line := range s.lines {
		key := s.firstKey(s.text(line))
		if i == 0 {
			common = bytes.Clone(key)
		}
		n := 0
		for n < len(common) && n < len(key) && common[n] == key[n] {
			n++
		}
		if common = common[:n]; n == 0 {
			break
		}
	}
	s.skip = len(common)
}

func (s *sorting) codeOf(line []byte) uint64 {
	code := uint64(0)
	switch s.coding() {
	case byText:
		code = textCode(s.firstKey(line)[s.skip:])
	case byNumber:
		code = parseDecimal(s.firstKey(line)).code()
	}
	if s.reversed() {
		return ^code
	}
	return code
}

func (s *sorting) reversed() bool {
	return len(s.keys) == 0 && s.reverse || len(s.keys) > 0 && s.keys[0].reverse
}

// decides reports whether first keys with this code are equal.
func (s *sorting) decides(code uint64) bool {
	if s.reversed() {
		code = ^code
	}
	switch s.coding() {
	case byText:
		return code&0xff < 8
	case byNumber:
		return code&1 == code>>63^1
	}
	return false
}

// textCode returns the first seven bytes of a text, and its length up to 8. So codes have the order
// of the texts, and only codes of texts with eight bytes or more do not tell them apart.
func textCode(text []byte) uint64 {
	var first [8]byte
	copy(first[:], text)
	return binary.BigEndian.Uint64(first[:])&^0xff | uint64(min(len(text), 8))
}

// code returns a number with the order of decimals: the sign, the number of whole digits, the first
// 16 digits, and a bit that is set if further digits follow. All bits of a negative number are
// inverted.
func (d decimal) code() uint64 {
	const most, digits = 255, 16
	value, rest := uint64(0), len(d.whole)+len(d.fraction) > digits
	for i := range digits {
		value *= 10
		switch {
		case i < len(d.whole):
			value += uint64(d.whole[i] - '0')
		case i-len(d.whole) < len(d.fraction):
			value += uint64(d.fraction[i-len(d.whole)] - '0')
		}
	}
	if len(d.whole) >= most {
		value = 0 // all of these numbers have the same code
	}
	code := 1<<63 | uint64(min(len(d.whole), most))<<55 | value<<1
	if rest {
		code |= 1
	}
	if d.negative {
		return ^code
	}
	return code
}
