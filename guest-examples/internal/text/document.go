package text

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// Document is the content of a text file, split so that its text can be changed while all other
// bytes are kept.
type Document struct {
	// Text is the text in UTF-8, with the line ends of the file. For an unknown encoding it is
	// the bytes of the file. An unpaired surrogate of UTF-16 is encoded as three bytes like a
	// character of UTF-8.
	Text []byte
	// Unknown reports that the file has bytes that are not UTF-8, so only its ASCII characters are
	// certain.
	Unknown bool

	mark []byte    // the byte order mark
	wide byteOrder // the byte order of UTF-16; nil for other encodings
	tail []byte    // an odd byte at the end of UTF-16
}

type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

var (
	markUTF8    = []byte{0xef, 0xbb, 0xbf}
	markUTF16LE = []byte{0xff, 0xfe}
	markUTF16BE = []byte{0xfe, 0xff}
)

// ParseDocument splits the content of a file. The error is ErrBinary, by the same criteria as for
// [NewReader]. data may become part of the Document.
func ParseDocument(data []byte) (Document, error) {
	var d Document
	switch {
	case bytes.HasPrefix(data, markUTF16LE):
		d.mark, d.wide = markUTF16LE, binary.LittleEndian
	case bytes.HasPrefix(data, markUTF16BE):
		d.mark, d.wide = markUTF16BE, binary.BigEndian
	case bytes.HasPrefix(data, markUTF8):
		d.mark = markUTF8
	}
	d.Text = data[len(d.mark):]
	if d.wide != nil {
		d.narrow()
	} else {
		d.Unknown = !utf8.Valid(d.Text)
	}
	if isBinary(d.Text[:min(len(d.Text), SniffLen)]) {
		return Document{}, ErrBinary
	}
	return d, nil
}

// Encoding names the encoding of the file, with its byte order mark. Files with equal Text and
// equal names have equal bytes.
func (d Document) Encoding() string {
	switch {
	case d.wide == nil && len(d.mark) > 0:
		return "UTF-8 with a byte order mark"
	case d.wide == nil:
		return "UTF-8"
	}
	name := "UTF-16 (big-endian)"
	if d.wide == byteOrder(binary.LittleEndian) {
		name = "UTF-16 (little-endian)"
	}
	if len(d.tail) > 0 {
		name += fmt.Sprintf(" with the byte %#02x after the last character", d.tail[0])
	}
	return name
}

// narrow converts Text from UTF-16 to UTF-8.
func (d *Document) narrow() {
	src := d.Text
	even := len(src) &^ 1
	src, d.tail = src[:even], src[even:]
	text := make([]byte, 0, len(src)/2+len(src)/8)
	for i := 0; i < len(src); i += 2 {
		r := rune(d.wide.Uint16(src[i:]))
		if !utf16.IsSurrogate(r) {
			text = utf8.AppendRune(text, r)
			continue
		}
		if i+4 <= len(src) {
			if whole := utf16.DecodeRune(r, rune(d.wide.Uint16(src[i+2:]))); whole != utf8.RuneError {
				text = utf8.AppendRune(text, whole)
				i += 2
				continue
			}
		}
		// utf8.AppendRune would append U+FFFD for a surrogate.
		text = append(text, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
	}
	d.Text = text
}

// Bytes returns the content of the file with text instead of Text. The result may share memory
// with text.
func (d Document) Bytes(text []byte) []byte {
	if d.wide == nil && len(d.mark) == 0 {
		return text
	}
	data := make([]byte, 0, len(d.mark)+2*len(text)+len(d.tail))
	data = append(data, d.mark...)
	if d.wide == nil {
		return append(data, text...)
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r == utf8.RuneError && size == 1 && i+3 <= len(text): // an unpaired surrogate
			size = 3
			data = d.wide.AppendUint16(data, uint16(text[i])<<12|uint16(text[i+1]&0x3f)<<6|uint16(text[i+2]&0x3f))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			data = d.wide.AppendUint16(d.wide.AppendUint16(data, uint16(high)), uint16(low))
		default:
			data = d.wide.AppendUint16(data, uint16(r))
		}
		i += size
	}
	return append(data, d.tail...)
}
