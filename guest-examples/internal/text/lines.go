package text

import (
	"bufio"
	"io"

	"github.com/wasmtool/wasmtool/guest-examples/internal/bytescan"
)

// LineReader reads lines of any length in fixed space. A line ends at \n or
// \r\n, or at the end of the text if anything precedes it.
type LineReader struct {
	src  *bufio.Reader
	keep int
	line []byte
	err  error // the first error met, io.EOF at the end
}

// NewLineReader returns a reader of the lines of src that holds the first keep
// bytes of each. A *bufio.Reader of at least SniffLen bytes is used as it is.
func NewLineReader(src io.Reader, keep int) *LineReader {
	return &LineReader{src: bufio.NewReaderSize(src, SniffLen), keep: keep}
}

// Next returns the first bytes of the next line, without its end, and the
// length in bytes of the whole. start is valid until the next call. The error
// is io.EOF after the last line, or that of the source; it stays.
func (r *LineReader) Next() (start []byte, length int64, err error) {
	if r.err != nil {
		return nil, 0, r.err
	}
	r.line = r.line[:0]
	for {
		part, err := r.src.ReadSlice('\n')
		length += int64(len(part))
		r.line = append(r.line, part[:min(len(part), r.keep-len(r.line))]...)
		if err == bufio.ErrBufferFull {
			continue
		}
		if r.err = err; err != nil && (err != io.EOF || length == 0) {
			return nil, 0, err
		}
		break
	}
	if r.err == nil { // not a last line without an end
		length--
		r.line = r.line[:min(int64(len(r.line)), length)]
	}
	if n := len(r.line); int64(n) == length && n > 0 && r.line[n-1] == '\r' {
		r.line, length = r.line[:n-1], length-1
	}
	return r.line, length, nil
}

// Count passes over the lines that are left, as far as they lie within about
// limit bytes, and returns their number and whether there may be more.
func (r *LineReader) Count(limit int64) (lines int64, more bool, err error) {
	if r.err == io.EOF {
		return 0, false, nil
	}
	open := false // the last line seen has no end yet
	for limit > 0 {
		_, err := r.src.Peek(1)
		if err == io.EOF {
			if open {
				lines++
			}
			return lines, false, nil
		}
		if err != nil {
			return lines, false, err
		}
		block, _ := r.src.Peek(r.src.Buffered()) // which is there
		limit -= int64(len(block))
		lines += int64(bytescan.Count(block, '\n'))
		open = block[len(block)-1] != '\n'
		_, _ = r.src.Discard(len(block))
	}
	return lines, true, nil
}
