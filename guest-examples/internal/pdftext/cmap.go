package pdftext

import "unicode/utf16"

// maxRanges limits the ranges of a map, because a lookup searches all of them.
const maxRanges = 20_000

// cmap maps the codes of a font to text.
type cmap struct {
	width  int // bytes of a code: 1 or 2; 0 if unknown
	single map[uint32]string
	ranges []codeRange
}

// codeRange maps consecutive codes to consecutive characters, or to the strings of a list.
type codeRange struct {
	low, high uint32
	first     string // UTF-16
	list      []token
}

// parseCMap parses a map and skips damaged parts.
func parseCMap(data []byte) *cmap {
	m := &cmap{single: map[uint32]string{}}
	l := lexer{data: data}
	for {
		operands, op := l.instruction()
		if op.kind == end {
			return m
		}
		switch op.text {
		case "endcodespacerange":
			for _, t := range operands {
				m.width = max(m.width, min(len(t.text), 2))
			}
		case "endbfchar":
			for ; len(operands) >= 2; operands = operands[2:] {
				m.single[code(operands[0].text)] = fromUTF16(operands[1].text)
			}
		case "endbfrange":
			for ; len(operands) >= 3 && len(m.ranges) < maxRanges; operands = operands[3:] {
				m.ranges = append(m.ranges, codeRange{code(operands[0].text), code(operands[1].text), operands[2].text, operands[2].list})
			}
		}
	}
}

// lookup returns the text of a code.
func (m *cmap) lookup(c uint32) (string, bool) {
	if s, ok := m.single[c]; ok {
		return s, true
	}
	for _, r := range m.ranges {
		if c < r.low || c > r.high {
			continue
		}
		at := c - r.low
		if r.list != nil {
			if int64(at) < int64(len(r.list)) {
				return fromUTF16(r.list[at].text), true
			}
			continue
		}
		b := []byte(r.first)
		for i := len(b) - 1; i >= 0 && at > 0; i-- {
			at += uint32(b[i])
			b[i] = byte(at)
			at >>= 8
		}
		return fromUTF16(string(b)), true
	}
	return "", false
}

// code returns the first four bytes of a code as a big-endian number.
func code(s string) uint32 {
	n := uint32(0)
	for i := range min(len(s), 4) {
		n = n<<8 | uint32(s[i])
	}
	return n
}

func fromUTF16(s string) string {
	if len(s) == 1 {
		return string(rune(s[0])) // one byte is not valid UTF-16, but many files contain it
	}
	units := make([]uint16, len(s)/2)
	for i := range units {
		units[i] = uint16(s[2*i])<<8 | uint16(s[2*i+1])
	}
	return string(utf16.Decode(units))
}
