package pdftext

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/ledongthuc/pdf"
)

// names caches the texts of glyph names. "" means that the name is unknown.
type names map[string]string

// text returns the text of a glyph name, such as "é" for "eacute".
func (n names) text(name string) (text string, known bool) {
	text, met := n[name]
	if !met {
		base, _, _ := strings.Cut(name, ".") // a.alt is a variant of a, and .notdef has no text
		var parts []string
		for part := range strings.SplitSeq(base, "_") { // f_f_i is a ligature of three letters
			parts = append(parts, textOf(part))
		}
		if text = strings.Join(parts, ""); base == "" {
			text = ""
		}
		n[name] = text
	}
	return text, text != ""
}

// textOf returns the text of a name without parts.
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

// listed returns the text of a name in Adobe's glyph list. The library has the list but only
// exposes it through the encoding of a font in a file, so listed creates such a file.
func listed(name string) string {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r <= '#' || r > '~' || isDelimiter(byte(r)) }) {
		return ""
	}
	const padding = "% the library needs at least a hundred bytes, so this fills the file.\n"
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
