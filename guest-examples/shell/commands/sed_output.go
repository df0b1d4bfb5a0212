package commands

import (
	"fmt"
	"io"
	"strings"
)

// sedOutput is standard output or a file.
type sedOutput struct {
	io.WriteCloser
	// stdout is the same as WriteCloser, for calls without an interface, or nil.
	stdout *process
	// missing is set if the last line has no line end yet, because the input has none there. Only
	// further output adds the line end.
	missing bool
}

// print writes the pattern space.
func (s *stream) print(out *sedOutput) {
	s.completeLine(out)
	size := len(s.space)
	if out.missing = !s.ended; s.ended {
		s.space = append(s.space, s.end) // to write the line at once
	}
	s.emit(out, s.space)
	s.space = s.space[:size]
}

// printText writes lines that are not from the input.
func (s *stream) printText(text string) {
	s.completeLine(s.out)
	s.emit(s.out, append([]byte(strings.TrimSuffix(text, "\n")), s.end))
}

// completeLine writes the missing line end of the previous line.
func (s *stream) completeLine(out *sedOutput) {
	if out.missing {
		s.emit(out, []byte{s.end})
		out.missing = false
	}
}

func (s *stream) emit(out *sedOutput, text []byte) {
	var err error
	if out.stdout != nil {
		_, err = out.stdout.Write(text)
	} else {
		_, err = out.Write(text)
	}
	switch {
	case err == nil || s.p.outErr != nil:
	case out == s.out:
		s.p.outErr, s.failed = err, true
	case s.unwritten == nil:
		s.unwritten = err
	}
}

// unambiguous returns the output of the command l: unprintable bytes as escapes, and lines wrapped
// at width. 0 means any width.
func unambiguous(text []byte, width int, end byte) []byte {
	var out []byte
	column := 0
	for _, b := range text {
		piece := string([]byte{b})
		if i := strings.IndexByte("\a\b\f\n\r\t\v\\", b); i >= 0 {
			piece = `\` + `abfnrtv\`[i:i+1]
		} else if b < ' ' || b >= 0x7f {
			piece = fmt.Sprintf(`\%03o`, b)
		}
		if width > 0 && column+len(piece) > width-1 {
			out = append(out, '\\', end)
			column = 0
		}
		out = append(out, piece...)
		column += len(piece)
	}
	return append(out, "$\n"...)
}
