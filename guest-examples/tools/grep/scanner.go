package grep

import (
	"bytes"
	"io"

	"github.com/wasmtool/wasmtool/guest-examples/internal/bytescan"
)

const (
	// blockSize is the size of the blocks that are searched, in bytes.
	blockSize = 256 << 10
	// maxLine limits the length of a line, in bytes, that is searched in one piece.
	maxLine = 1 << 20
)

// hit is a line that matches.
type hit struct {
	number int64  // 1-based
	line   []byte // without its line end; valid only until found returns
	at     int    // the offset of the match in line; 0 if the whole line can be shown
}

// scanner finds the matching lines of files, one file at a time.
type scanner struct {
	matcher *matcher
	block   []byte
	last    int64 // the line number of the last hit
}

// scan calls the function found for each matching line of r in order, until found returns false.
// Lines that are longer than maxLine are searched in pieces.
func (s *scanner) scan(r io.Reader, found func(hit) bool) error {
	if s.block == nil {
		s.block = make([]byte, blockSize)
	}
	s.last = 0
	filled, number := 0, int64(1)
	for {
		n, err := io.ReadFull(r, s.block[filled:])
		last := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !last {
			return err
		}
		filled += n
		whole := filled
		if !last {
			whole = bytes.LastIndexByte(s.block[:filled], '\n') + 1
			if whole == 0 && filled < maxLine {
				s.block = append(s.block, make([]byte, len(s.block))...)
				continue
			}
			if whole == 0 {
				whole = filled
			}
		}
		lines := s.block[:whole]
		breaks := 0
		if !last {
			breaks = bytescan.Count(lines, '\n')
		}
		if !s.lines(dropReturns(lines), number, found) || last {
			return nil
		}
		number += int64(breaks)
		filled = copy(s.block, s.block[whole:filled])
	}
}

// whole does the same as scan for content that is completely in memory. It may change content. The
// parameter plain says that content has no carriage returns.
func (s *scanner) whole(content []byte, plain bool, found func(hit) bool) {
	if !plain {
		content = dropReturns(content)
	}
	s.last = 0
	s.lines(content, 1, found)
}

// lines searches a block of lines without carriage returns. number is the number of the first line
// in the block.
func (s *scanner) lines(block []byte, number int64, found func(hit) bool) bool {
	if len(block) == 0 {
		return true
	}
	block = bytes.TrimSuffix(block, []byte("\n"))
	next := s.candidates(block)
	counted := 0
	for at := next(0); at >= 0; {
		start := bytes.LastIndexByte(block[:at], '\n') + 1
		end := len(block)
		if length := bytes.IndexByte(block[at:], '\n'); length >= 0 {
			end = at + length
		}
		line := block[start:end]
		if s.matcher.certain || s.matcher.re.Match(line) {
			number += int64(bytescan.Count(block[counted:start], '\n'))
			counted = start
			// Report a very long line only once, because all its pieces have the same number.
			if number != s.last && !found(hit{number, line, s.place(line)}) {
				return false
			}
			s.last = number
		}
		if end == len(block) {
			break
		}
		at = next(end + 1)
	}
	return true
}

// place returns the offset of the match in a line that is too long to be shown whole. Otherwise it
// returns 0.
func (s *scanner) place(line []byte) int {
	if len(line) <= MaxLineChars {
		return 0
	}
	return s.matcher.re.FindIndex(line)[0]
}

// candidates returns a function that searches block from the start of a line. It returns an offset
// in the next line that may match, or -1.
func (s *scanner) candidates(block []byte) func(from int) int {
	if len(s.matcher.needles) == 0 {
		// Try every line: matching line by line is as fast as matching the block, because the
		// regexp package has a faster engine for short texts.
		return func(from int) int { return from }
	}
	return newFinder(s.matcher.needles, block).find
}

// dropReturns removes the \r of each \r\n. It changes block.
func dropReturns(block []byte) []byte {
	if bytescan.Index(block, '\r', '\r') < 0 {
		return block
	}
	from := bytes.Index(block, []byte("\r\n"))
	if from < 0 {
		return block
	}
	kept := block[:from]
	for rest := block[from:]; len(rest) > 0; {
		// rest begins with \r\n. Skip the \r.
		rest = rest[1:]
		next := bytes.Index(rest, []byte("\r\n"))
		if next < 0 {
			return append(kept, rest...)
		}
		kept = append(kept, rest[:next]...)
		rest = rest[next:]
	}
	return kept
}
