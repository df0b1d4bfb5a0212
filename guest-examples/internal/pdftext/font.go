package pdftext

import (
	"strings"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"
	"golang.org/x/text/encoding/charmap"
)

// font maps codes to their text and their width.
type font struct {
	// wide reports that codes have two bytes.
	wide   bool
	glyphs map[uint32]glyph // glyphs seen so far
	find   func(code uint32) glyph
}

// glyph is the text and the width that one code draws.
type glyph struct {
	text  string // its text
	known bool   // the file says what the text is
	width float64
}

// glyph returns the glyph of a code.
func (f *font) glyph(code uint32) glyph {
	g, ok := f.glyphs[code]
	if !ok {
		g = f.find(code)
		if g.known {
			g.text = clean(g.text)
		} else {
			g.text = string(utf8.RuneError)
		}
		f.glyphs[code] = g
	}
	return g
}

// codes splits a text into its codes.
func (f *font) codes(s string) func(yield func(code uint32, size int) bool) {
	return func(yield func(uint32, int) bool) {
		step := 1
		if f.wide {
			step = 2
		}
		for ; len(s) > 0; s = s[min(step, len(s)):] {
			size := min(step, len(s))
			if !yield(code(s[:size]), size) {
				return
			}
		}
	}
}

// fontOf returns a font, and loads it unless another page has already loaded it.
func (x *extractor) fontOf(value pdf.Value) *font {
	key := value.String()
	f, ok := x.fonts[key]
	if !ok {
		f = &font{glyphs: map[uint32]glyph{}}
		if !try(func() { x.load(f, value) }) {
			f.find = func(uint32) glyph { return glyph{width: defaultWidth} }
		}
		x.fonts[key] = f
	}
	return f
}

// load reads the properties of a font.
func (x *extractor) load(f *font, value pdf.Value) {
	var unicode *cmap
	if stream := value.Key("ToUnicode"); stream.Kind() == pdf.Stream {
		unicode = parseCMap(x.stream(stream))
	}
	var letters func(uint32) (string, bool)
	var width func(uint32) float64
	if value.Key("Subtype").Name() == "Type0" {
		f.wide = unicode == nil || unicode.width != 1
		letters, width = compositeLetters(value), compositeWidths(value.Key("DescendantFonts").Index(0))
	} else {
		letters, width = x.simpleLetters(value), simpleWidths(value)
	}
	f.find = func(code uint32) glyph {
		g := glyph{width: width(code)}
		if unicode != nil {
			g.text, g.known = unicode.lookup(code)
		}
		if !g.known || strings.Trim(g.text, "\x00") == "" {
			g.text, g.known = letters(code)
		}
		return g
	}
}

// compositeLetters returns a function that gives the text of a code of a composite font if the map
// ToUnicode lacks the code. Most such codes are only glyph numbers, whose text is unknown.
func compositeLetters(value pdf.Value) func(uint32) (string, bool) {
	encoding := value.Key("Encoding").Name()
	utf16 := strings.Contains(encoding, "-UCS2-") || strings.Contains(encoding, "-UTF16-")
	return func(code uint32) (string, bool) {
		if !utf16 {
			return "", false
		}
		return string(rune(code)), true
	}
}

// simpleLetters returns a function that gives the text of a simple font's 256 codes.
func (x *extractor) simpleLetters(value pdf.Value) func(uint32) (string, bool) {
	encoding := value.Key("Encoding")
	base := encoding.Name()
	if encoding.Kind() == pdf.Dict {
		base = encoding.Key("BaseEncoding").Name()
	}
	named := map[uint32]string{}
	if base == "" {
		x.builtIn(named, value.Key("FontDescriptor").Key("FontFile"))
	}
	code := uint32(0)
	differences := encoding.Key("Differences")
	for i := range min(differences.Len(), maxOperands) {
		switch d := differences.Index(i); d.Kind() {
		case pdf.Integer:
			code = uint32(d.Int64())
		case pdf.Name:
			named[code] = d.Name()
			code++
		}
	}
	symbolic := base == "" && value.Key("FontDescriptor").Key("Flags").Int64()&4 != 0
	subtype := value.Key("Subtype").Name()
	return func(code uint32) (string, bool) {
		if name, ok := named[code]; ok {
			if text, ok := x.names.text(name); ok {
				return text, true
			}
			// The name may be derived from the code, such as a65 for code 65.
			return string(rune(code)), code >= ' ' && code <= '~'
		}
		if code == '\t' || code == '\n' || code == '\r' { // a font has these codes only by mistake
			return " ", true
		}
		r := baseRune(base, subtype, byte(code))
		if symbolic && (r < ' ' || r > '~') {
			return "", false
		}
		return string(r), r >= ' ' && r != utf8.RuneError
	}
}

// builtIn reads the names that a Type 1 font gives its codes. The font begins with a program that
// puts each name into an array.
func (x *extractor) builtIn(named map[uint32]string, program pdf.Value) {
	l := lexer{data: x.stream(program)}
	for {
		operands, op := l.instruction()
		if op.kind == end || op.text == "eexec" {
			return
		}
		if op.text == "put" && len(operands) == 2 && operands[0].number >= 0 && operands[0].number < 256 && operands[1].kind == name {
			named[uint32(operands[0].number)] = operands[1].text
		}
	}
}

// baseRune returns the character of a code in a standard encoding.
func baseRune(encoding, subtype string, code byte) rune {
	switch {
	case encoding == "MacRomanEncoding":
		return charmap.Macintosh.DecodeByte(code)
	case encoding == "WinAnsiEncoding" || subtype == "TrueType":
		return charmap.Windows1252.DecodeByte(code)
	case code == '\'':
		return '’'
	case code == '`':
		return '‘'
	case code < 0x80:
		return rune(code)
	}
	for i, r := range []rune(standardHigh) {
		if code == standardFrom+byte(i) && r != ' ' {
			return r
		}
	}
	return utf8.RuneError
}

// standardHigh is the upper part of the built-in encoding of Type 1 fonts, with spaces for unused
// codes.
const (
	standardFrom = 0xa1
	standardHigh = "¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ –†‡· ¶•‚„”»…‰ ¿ `´ˆ˜¯˘˙¨ ˚¸ ˝˛ˇ—                Æ ª    ŁØŒº     æ   ı  łøœß"
)
