package text

import (
	"bufio"
	"io"

	"github.com/wasmtool/wasmtool/guest-examples/internal/bytescan"
)

// LineReader reads lines of any length in constant memory. A line ends at \n or \r\n. Text after
// the last line end is also a line.
type LineReader struct {
	src  *bufio.Reader
	keep int
	line []byte
	err  error // the first error; io.EOF at the end
}

// NewLineReader returns a reader of the lines of src that keeps the first keep bytes of each. A
// *bufio.Reader with a buffer of at least SniffLen bytes is used directly.
func NewLineReader(src io.Reader, keep int) *LineReader {
	return &LineReader{src: bufio.NewReaderSize(src, SniffLen), keep: keep}
}

// Next returns the first bytes of the next line, without its line end, and the length of the whole
// line in bytes. The result start is valid until the next call. The error is io.EOF after the last
// line, or an error of the source; later calls return it again.
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
	if r.err == nil { // the line has a line end, which length includes
		length--
		r.line = r.line[:min(int64(len(r.line)), length)]
	}
	if n := len(r.line); int64(n) == length && n > 0 && r.line[n-1] == '\r' {
		r.line, length = r.line[:n-1], length-1
	}
	return r.line, length, nil
}

// Count skips the remaining lines within about limit bytes. It returns their number, and whether
// there may be more.
func (r *LineReader) Count(limit int64) (lines int64, more bool, err error) {
	if r.err == io.EOF {
		return 0, false, nil
	}
	open := false // the last line has no line end yet
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
		block, _ := r.src.Peek(r.src.Buffered()) // no error, since these bytes are already buffered
		limit -= int64(len(block))
		lines += int64(bytescan.Count(block, '\n'))
		open = block[len(block)-1] != '\n'
		_, _ = r.src.Discard(len(block))
	}
	return lines, true, nil
}
