package pdftext

import (
	"strings"

	"github.com/ledongthuc/pdf"
)

// defaultWidth is the width of a glyph without a known width, as a fraction of the font size.
const defaultWidth = 0.5

// perMille is the unit of widths in files, as a fraction of the font size.
const perMille = 0.001

// simpleWidths returns the widths of a simple font.
func simpleWidths(value pdf.Value) func(uint32) float64 {
	unit := perMille
	if m := value.Key("FontMatrix"); m.Len() == 6 { // a Type 3 font
		unit = abs(m.Index(0).Float64())
	}
	first, list := value.Key("FirstChar").Int64(), value.Key("Widths")
	missing := value.Key("FontDescriptor").Key("MissingWidth").Float64()
	widths := make([]float64, min(list.Len(), 1<<8))
	for i := range widths {
		widths[i] = list.Index(i).Float64() * unit
	}
	base := value.Key("BaseFont").Name()
	return func(code uint32) float64 {
		if i := int64(code) - first; i >= 0 && i < int64(len(widths)) {
			return widths[i]
		}
		if len(widths) > 0 {
			return missing * unit
		}
		return standardWidth(base, code)
	}
}

// compositeWidths returns the widths of the descendant of a composite font. It treats codes as
// glyph numbers, which is right for nearly all files.
func compositeWidths(value pdf.Value) func(uint32) float64 {
	standard := 1.0
	if w := value.Key("DW"); !w.IsNull() {
		standard = w.Float64() * perMille
	}
	single := map[uint32]float64{}
	type span struct {
		first, last uint32
		width       float64
	}
	var spans []span
	list := value.Key("W")
	for i := 0; i+1 < min(list.Len(), maxOperands); {
		first := uint32(list.Index(i).Int64())
		next := list.Index(i + 1)
		if next.Kind() == pdf.Array { // widths of consecutive glyphs
			for j := range min(next.Len(), maxOperands) {
				single[first+uint32(j)] = next.Index(j).Float64() * perMille
			}
			i += 2
			continue
		}
		spans = append(spans, span{first, uint32(next.Int64()), list.Index(i+2).Float64() * perMille})
		i += 3
	}
	return func(code uint32) float64 {
		if w, ok := single[code]; ok {
			return w
		}
		for _, s := range spans {
			if code >= s.first && code <= s.last {
				return s.width
			}
		}
		return standard
	}
}

// standardWidth returns the width of a code in one of the standard fonts, whose widths a file may
// omit. For bold and slanted fonts it uses the widths of the regular font, which are close enough
// to find the ends of words.
func standardWidth(font string, code uint32) float64 {
	const first = ' '
	widths := helvetica[:]
	switch {
	case strings.Contains(font, "Courier"):
		return 0.6
	case strings.Contains(font, "Times"):
		widths = times[:]
	}
	if i := int64(code) - first; i >= 0 && i < int64(len(widths)) {
		return float64(widths[i]) * perMille
	}
	return defaultWidth
}

// The widths of the ASCII characters, from the space on.
var (
	helvetica = [...]uint16{
		278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
		556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
		611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
		667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
		222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
	}
	times = [...]uint16{
		250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333, 250, 278, 500, 500, 500,
		500, 500, 500, 500, 500, 500, 500, 278, 278, 564, 564, 564, 444, 921, 722, 667, 667, 722, 611,
		556, 722, 722, 333, 389, 722, 611, 889, 722, 722, 556, 722, 667, 556, 611, 722, 722, 944, 722,
		722, 611, 333, 278, 333, 469, 500, 333, 444, 500, 444, 500, 444, 333, 500, 500, 278, 278, 500,
		278, 778, 500, 500, 500, 500, 333, 389, 278, 500, 500, 722, 500, 500, 444, 480, 200, 480, 541,
	}
)

func abs(f float64) float64 {
	if f < 0 {
		return -f
	}
	return f
}
