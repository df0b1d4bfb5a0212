// Package lines reads lines of limited length from a stream whose writer is not trusted.
package lines

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// ErrTooLong is the error for a line that was skipped because it is too long.
var ErrTooLong = errors.New("line too long")

// Reader reads lines and skips lines that are too long. It must be used by only one goroutine. Use
// [New] to create one.
type Reader struct {
	r        *bufio.Reader
	maxBytes int
	begun    bool
}

// New returns a Reader of lines of at most maxBytes bytes. maxBytes must be at least 1.
func New(r io.Reader, maxBytes int) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, 64<<10), maxBytes: maxBytes}
}

// Next returns the next line that is not blank, without the white space around the line. It removes
// a byte order mark at the beginning of the stream. It skips a line that is too long and returns
// ErrTooLong; the next call returns the line after it. The caller owns the returned line.
func (l *Reader) Next() ([]byte, error) {
	for {
		line, err := l.read()
		if !l.begun {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
			l.begun = true
		}
		line = bytes.TrimSpace(line)
		if len(line) > 0 || err != nil {
			if len(line) > 0 && errors.Is(err, io.EOF) {
				err = nil // the last line has no line feed; the next read returns io.EOF again
			}
			return line, err
		}
	}
}

func (l *Reader) read() ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := l.r.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > l.maxBytes+1; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case tooLong && (err == nil || errors.Is(err, io.EOF)):
			return nil, ErrTooLong
		default:
			return line, err
		}
	}
}
