package commands

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

var od = spec{
	name: "od", synopsis: "[-A RADIX] [-t TYPE]... [-N LENGTH] [-j SKIP] [-w[BYTES]] [-v] [FILE]...",
	options: "A,address-radix: t,format: a b c d f i l o s x B D e F h H I L O X N,read-bytes: j,skip-bytes: v,output-duplicates w,width::",
	note: "TYPE is a, c, or one of d, o, u and x with a size of 1, 2, 4 or 8, or f with 4 or 8, optionally followed by z. C, S, I, L, F and D are sizes\n" +
		"too. Numbers are in little-endian order.",
	run: runOd,
}

// odType is a type of od -t.
type odType struct {
	size  int // bytes of a cell
	width int // characters of a cell, without the space before it
	cell  func(data []byte) string
	text  bool // z: the row ends with the text
}

func runOd(p *process, o options, files []string) int {
	var types []odType
	old := map[string]string{
		"a": "a", "b": "o1", "c": "c", "d": "u2", "f": "fF", "i": "dI", "l": "dL", "o": "o2", "s": "d2", "x": "x2", "B": "o2", "D": "u4", "e": "fD",
		"F": "fD", "h": "x2", "H": "x4", "I": "dL", "L": "dL", "O": "o4", "X": "x4",
	}
	for _, opt := range o {
		text := old[opt.name]
		if opt.name == "t" {
			text = opt.value
		}
		more, err := odTypes(text)
		if err != nil {
			return p.fail("%v", err)
		}
		types = append(types, more...)
	}
	if len(types) == 0 {
		types, _ = odTypes("o2")
	}
	address, ok := map[string]string{"o": "%07o", "d": "%07d", "x": "%06x", "n": ""}[o.value("A", "o")]
	if !ok {
		return p.fail("invalid output address radix '%s'; it is o, d, x or n", o.value("A", ""))
	}
	width, err := p.odWidth(o, types)
	if err != nil {
		return p.fail("%v", err)
	}
	rows := odRows{p: p, types: types, address: address, width: width}
	rows.align()
	end := "\n"
	if address == "" {
		end = ""
	}
	return p.dump(o, files, width, "N", "j", rows.print, address+end)
}

// maxOdWidth limits the bytes of a row.
const maxOdWidth = 4096

// odWidth returns the bytes of a row, a multiple of the size of each type.
func (p *process) odWidth(o options, types []odType) (int, error) {
	unit := 1
	for _, t := range types {
		unit = max(unit, t.size) // all sizes are powers of two
	}
	if !o.has("w") {
		return 16, nil
	}
	if o.value("w", "") == "" {
		return 32, nil
	}
	n, err := strconv.Atoi(o.value("w", ""))
	if err != nil || n < 1 || n > maxOdWidth {
		return 0, fmt.Errorf("invalid -w argument '%s'; it is a number from 1 to %d", o.value("w", ""), maxOdWidth)
	}
	if n%unit != 0 {
		fmt.Fprintf(p.env.Stderr, "%s: warning: invalid width %d; using %d instead\n", p.name, n, unit)
		return unit, nil
	}
	return n, nil
}

// odTypes parses a list of types such as x1z or d4u1.
func odTypes(text string) ([]odType, error) {
	var types []odType
	for rest := text; rest != ""; {
		letter := rest[0]
		rest = rest[1:]
		size := 0
		sizes := map[byte]int{'C': 1, 'S': 2, 'I': 4, 'L': 8}
		if letter == 'f' {
			sizes = map[byte]int{'F': 4, 'D': 8}
		}
		switch digits := countDigits([]byte(rest)); {
		case letter == 'a' || letter == 'c':
			size = 1
		case digits > 0:
			size, _ = strconv.Atoi(rest[:digits])
			rest = rest[digits:]
		case rest != "" && sizes[rest[0]] > 0:
			size, rest = sizes[rest[0]], rest[1:]
		case letter == 'f':
			size = 8
		default:
			size = 4
		}
		t, ok := newOdType(letter, size)
		if !ok {
			return nil, fmt.Errorf("invalid type string '%s'; see od --help", text)
		}
		rest, t.text = strings.CutPrefix(rest, "z")
		types = append(types, t)
	}
	return types, nil
}

// newOdType returns the type of a letter and a size; ok is false if there is none.
func newOdType(letter byte, size int) (t odType, ok bool) {
	at := map[int]int{1: 0, 2: 1, 4: 2, 8: 3}
	column, known := at[size]
	widths := map[byte][4]int{'d': {4, 6, 11, 20}, 'u': {3, 5, 10, 20}, 'o': {3, 6, 11, 22}, 'x': {2, 4, 8, 16}, 'f': {0, 0, 15, 24}, 'a': {3}, 'c': {3}}[letter]
	if !known || widths[column] == 0 {
		return odType{}, false
	}
	t = odType{size: size, width: widths[column]}
	switch letter {
	case 'a':
		t.cell = func(d []byte) string { return odName(d[0]) }
	case 'c':
		t.cell = func(d []byte) string { return odChar(d[0]) }
	case 'd':
		shift := 64 - 8*size
		t.cell = func(d []byte) string { return strconv.FormatInt(int64(littleEndian(d)<<shift)>>shift, 10) }
	case 'u':
		t.cell = func(d []byte) string { return strconv.FormatUint(littleEndian(d), 10) }
	case 'o', 'x':
		format := "%0*" + string(letter)
		t.cell = func(d []byte) string { return fmt.Sprintf(format, t.width, littleEndian(d)) }
	case 'f':
		t.cell = func(d []byte) string {
			if size == 4 {
				return shortFloat(float64(math.Float32frombits(uint32(littleEndian(d)))), 32)
			}
			return shortFloat(math.Float64frombits(littleEndian(d)), 64)
		}
	}
	return t, true
}

func littleEndian(data []byte) uint64 {
	var full [8]byte
	copy(full[:], data)
	return binary.LittleEndian.Uint64(full[:])
}

// shortFloat formats a number with the fewest digits that identify it, as C's %g does.
func shortFloat(f float64, bits int) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 0):
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(f, 'g', -1, bits)), "+")
	}
	text := strconv.FormatFloat(f, 'e', -1, bits)
	mantissa, exponent, _ := strings.Cut(text, "e")
	digits := len(strings.Trim(strings.ReplaceAll(mantissa, ".", ""), "-"))
	if n, err := strconv.Atoi(exponent); err == nil && n >= -4 && n < digits {
		return strconv.FormatFloat(f, 'f', -1, bits)
	}
	return text
}

// odName returns the name of a character of 7 bits.
func odName(b byte) string {
	const names = "nul soh stx etx eot enq ack bel bs ht nl vt ff cr so si dle dc1 dc2 dc3 dc4 nak syn etb can em sub esc fs gs rs us sp"
	switch b &= 0x7f; {
	case b == 0x7f:
		return "del"
	case b <= ' ':
		return strings.Fields(names)[b]
	}
	return string(rune(b))
}

func odChar(b byte) string {
	if i := strings.IndexByte("\x00\a\b\f\n\r\t\v", b); i >= 0 {
		return `\` + "0abfnrtv"[i:i+1]
	}
	if b < ' ' || b >= 0x7f {
		return fmt.Sprintf("%03o", b)
	}
	return string(rune(b))
}

// odRows prints rows of od.
type odRows struct {
	p       *process
	types   []odType
	address string
	width   int
	spaces  []int // the width of a row of each type is padded to the widest row
}

// align computes the width of the rows of the types.
func (r *odRows) align() {
	widest := 0
	for _, t := range r.types {
		widest = max(widest, r.width/t.size*(t.width+1))
	}
	for _, t := range r.types {
		r.spaces = append(r.spaces, widest-r.width/t.size*t.width)
	}
}

func (r *odRows) print(p *process, offset int64, data []byte) {
	for i, t := range r.types {
		var row strings.Builder
		prefix := fmt.Sprintf(r.address, offset)
		if r.address == "" {
			prefix = ""
		}
		if i > 0 {
			prefix = strings.Repeat(" ", len(prefix))
		}
		row.WriteString(prefix)
		count, spaces := r.width/t.size, r.spaces[i]
		for cell := range count {
			// The spaces of the row are spread evenly over the cells.
			space := spaces*(count-cell)/count - spaces*(count-cell-1)/count
			if cell*t.size < len(data) {
				fmt.Fprintf(&row, "%*s", space+t.width, t.cell(data[cell*t.size:min((cell+1)*t.size, len(data))]))
			} else if t.text {
				row.WriteString(strings.Repeat(" ", space+t.width))
			}
		}
		if t.text {
			fmt.Fprintf(&row, "  >%s<", printable(data))
		}
		p.print(row.String() + "\n")
	}
}
