package pdftext

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/ledongthuc/pdf"
)

// names are the texts of glyphs by their names, as far as they were met. "" is one that
// nobody knows.
type names map[string]string

// text returns the text of a glyph, such as "fi" or "é" for "eacute".
func (n names) text(name string) (text string, known bool) {
	text, met := n[name]
	if !met {
		base, _, _ := strings.Cut(name, ".") // a.alt is a form of a, and .notdef nothing
		var parts []string
		for part := range strings.SplitSeq(base, "_") { // f_f_i is the ligature of three
			parts = append(parts, textOf(part))
		}
		if text = strings.Join(parts, ""); base == "" {
			text = ""
		}
		n[name] = text
	}
	return text, text != ""
}

// textOf is the text of a name that has no parts.
func textOf(name string) string {
	if len(name) == 1 {
		return name
	}
	hex, unicode := strings.CutPrefix(name, "uni")
	if unicode && len(hex) >= 4 && len(hex)%4 == 0 && strings.Trim(hex, "0123456789ABCDEF") == "" {
		return fromUTF16((&lexer{data: []byte("<" + hex + ">")}).hex())
	}
	return listed(name)
}

// listed is the text of a name of Adobe's list of glyphs. The library has that list, and
// tells of it by the encoding of a font in a file only; so here is such a file.
func listed(name string) string {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r <= '#' || r > '~' || isDelimiter(byte(r)) }) {
		return ""
	}
	const padding = "% the library wants a hundred bytes, which this file would not have else.\n"
	var b bytes.Buffer
	b.WriteString(header + padding)
	at := b.Len()
	fmt.Fprintf(&b, "xref\n0 1\n0000000000 65535 f \ntrailer\n<</Size 1/Encoding<</Differences[0/%s]>>>>\nstartxref\n%d\n%%%%EOF", name, at)
	reader, err := pdf.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		return ""
	}
	font := pdf.Font{V: reader.Trailer()}
	return strings.Trim(font.Encoder().Decode("\x00"), "\x00")
}
