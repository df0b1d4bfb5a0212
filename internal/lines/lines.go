// Package lines reads the lines of a stream whose writer is not trusted to end them.
package lines

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// ErrTooLong is the error of a line that was left out.
var ErrTooLong = errors.New("line too long")

// Reader reads lines, none of them longer than it was made for. It is for one goroutine;
// the zero value is not usable.
type Reader struct {
	r     *bufio.Reader
	most  int
	begun bool
}

// New returns a Reader of lines of at most so many bytes; most is at least 1.
func New(r io.Reader, most int) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, 64<<10), most: most}
}

// Next returns the next line that is not blank, without its end and the mark of the byte
// order that some programs put first. A line that is too long is skipped, and
// ErrTooLong tells so; the next call goes on after it. The line is the caller's.
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
				err = nil // the last line has no end; the next read tells the end again
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
		if tooLong = tooLong || len(line)+len(part) > l.most+1; tooLong {
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
