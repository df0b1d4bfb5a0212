// Package text tells text from binary data and reads any of the encodings that
// announce themselves as UTF-8.
package text

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// SniffLen is how many bytes at the start of a file decide whether it is text.
const SniffLen = 4096

// ErrBinary is what NewReader returns for data that is not text.
var ErrBinary = errors.New("not a text file")

// NewReader returns the text of src as UTF-8: a byte order mark is dropped, and
// UTF-16 with one is decoded. Anything else passes as it is, so invalid UTF-8
// stays invalid. The buffer of src must hold at least SniffLen bytes. The error
// is ErrBinary or that of reading src.
func NewReader(src *bufio.Reader) (io.Reader, error) {
	head, err := src.Peek(SniffLen)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}), bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		decoder := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder()
		return transform.NewReader(src, decoder), nil
	case isBinary(head):
		return nil, ErrBinary
	case bytes.HasPrefix(head, []byte{0xef, 0xbb, 0xbf}):
		if _, err := src.Discard(3); err != nil {
			return nil, err
		}
	}
	return src, nil
}

// isBinary reports whether head holds a NUL byte or consists of control
// characters to more than three tenths.
func isBinary(head []byte) bool {
	control := 0
	for _, b := range head {
		switch {
		case b == 0:
			return true
		case b == 0x7f, b < ' ' && (b < '\b' || b > '\r') && b != 0x1b:
			control++
		}
	}
	return control*10 > len(head)*3
}
