package mcpserver

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// errLineTooLong is the error of a line that was left out.
var errLineTooLong = errors.New("line too long")

// lineReader reads lines, none of them longer than most bytes.
type lineReader struct {
	r     *bufio.Reader
	most  int
	begun bool
}

func newLineReader(r io.Reader, most int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), most: most}
}

// next returns the next line that is not blank, without its end and the mark of the byte
// order that some programs put first. A line that is too long is skipped, and
// errLineTooLong tells so; the next call goes on after it. The line is the caller's.
func (l *lineReader) next() ([]byte, error) {
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

func (l *lineReader) read() ([]byte, error) {
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
			return nil, errLineTooLong
		default:
			return line, err
		}
	}
}
