// Package text distinguishes text from binary data, and reads UTF-8 as well as UTF-16 with a byte
// order mark.
package text

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/wasmtool/wasmtool/guest-examples/internal/bytescan"
)

// SniffLen is the number of bytes at the start of a file that decide whether it is text.
const SniffLen = 4096

// ErrBinary is returned for data that is not text.
var ErrBinary = errors.New("not a text file")

// NewReader returns the text of src as UTF-8. It drops a byte order mark, and decodes UTF-16 that
// begins with such a mark. Everything else is unchanged, so invalid UTF-8 stays invalid. The buffer
// of src must have at least SniffLen bytes. The error is [ErrBinary], or an error of reading src.
func NewReader(src *bufio.Reader) (io.Reader, error) {
	head, err := src.Peek(SniffLen)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case IsUTF16(head):
		return transform.NewReader(src, utf16Decoder()), nil
	case isBinary(head):
		return nil, ErrBinary
	case bytes.HasPrefix(head, markUTF8):
		if _, err := src.Discard(len(markUTF8)); err != nil {
			return nil, err
		}
	}
	return src, nil
}

// Decode is [NewReader] for a complete text. The result may be a part of data. The result plain
// says that the text has no control characters except tabs and line feeds; callers then need no
// separate checks.
func Decode(data []byte) (decoded []byte, plain bool, err error) {
	if IsUTF16(data) {
		decoded, err = utf16Decoder().Bytes(data)
		return decoded, false, err
	}
	plain = bytescan.Plain(data)
	if !plain && isBinary(data[:min(len(data), SniffLen)]) {
		return nil, false, ErrBinary
	}
	return bytes.TrimPrefix(data, markUTF8), plain, nil
}

// IsUTF16 reports whether head begins with a byte order mark of UTF-16.
func IsUTF16(head []byte) bool {
	return bytes.HasPrefix(head, markUTF16LE) || bytes.HasPrefix(head, markUTF16BE)
}

func utf16Decoder() *encoding.Decoder {
	return unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder()
}

// control has a 1 for each control character that does not occur in texts.
var control = [256]uint8{
	0x01: 1, 0x02: 1, 0x03: 1, 0x04: 1, 0x05: 1, 0x06: 1, 0x07: 1, 0x0e: 1, 0x0f: 1, 0x10: 1, 0x11: 1, 0x12: 1, 0x13: 1,
	0x14: 1, 0x15: 1, 0x16: 1, 0x17: 1, 0x18: 1, 0x19: 1, 0x1a: 1, 0x1c: 1, 0x1d: 1, 0x1e: 1, 0x1f: 1, 0x7f: 1,
}

// isBinary reports whether head has a NUL byte, or whether more than three tenths of its bytes are
// control characters.
func isBinary(head []byte) bool {
	switch {
	case bytescan.Plain(head): // a single check that most texts pass
		return false
	case bytescan.Index(head, 0, 0) >= 0:
		return true
	}
	// Most texts stay below the limit even if tabs and line ends are counted as control characters.
	maximum := len(head) * 3 / 10
	return bytescan.CountControl(head) > maximum && bytescan.Sum(head, &control) > maximum
}
