package pdftext

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

type point struct{ x, y float64 }

// fragment is a text drawn by one operator.
type fragment struct {
	text       string
	start, end point
	along      point // direction of reading, of length 1
	size       float64
}

// The distances that separate words, table cells, lines and paragraphs, as fractions of the
// letter size.
const (
	wordGap      = 0.15
	cellGap      = 2
	backward     = 1.2 // distance that the text may go back in its line, for accents
	lineGap      = 0.5
	paragraphGap = 1.8
)

// lines joins fragments to lines in drawing order. Nearly all programs draw in reading order,
// including columns, which sorting by position would mix.
type lines struct {
	b    strings.Builder
	last fragment
	some bool
}

func (l *lines) size() int {
	return l.b.Len()
}

// add adds a fragment.
func (l *lines) add(f fragment) {
	if f.text == "" {
		return
	}
	if l.some {
		if l.again(f) {
			return
		}
		l.b.WriteString(l.between(f))
	}
	l.b.WriteString(f.text)
	l.last, l.some = f, true
}

// again reports whether f repeats the last text at nearly the same place, as fake bold does.
func (l *lines) again(f fragment) bool {
	near := 0.1 * f.size
	return f.text == l.last.text && strings.TrimSpace(f.text) != "" &&
		math.Hypot(f.start.x-l.last.start.x, f.start.y-l.last.start.y) < near
}

// between returns the separator between a fragment and the previous one.
func (l *lines) between(f fragment) string {
	size := max(f.size, l.last.size)
	dx, dy := f.start.x-l.last.end.x, f.start.y-l.last.end.y
	d := l.last.along
	gap, down := dx*d.x+dy*d.y, dx*d.y-dy*d.x
	turned := f.along.x*d.x+f.along.y*d.y < 0.9
	switch {
	case turned || abs(down) > paragraphGap*size:
		return "\n\n"
	case abs(down) > lineGap*size || gap < -backward*size:
		return "\n"
	case gap > cellGap*size:
		return "  "
	case gap > wordGap*min(f.size, l.last.size) && !strings.HasSuffix(l.last.text, " ") && !strings.HasPrefix(f.text, " "):
		return " "
	}
	return ""
}

// text returns the lines without trailing space and without repeated empty lines.
func (l *lines) text() string {
	var b strings.Builder
	empty := 0
	for line := range strings.SplitSeq(l.b.String(), "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			empty++
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n\n"[:min(1+empty, 2)])
		}
		b.WriteString(line)
		empty = 0
	}
	return b.String()
}

// unit returns the direction of a vector, with length 1.
func unit(x, y float64) point {
	length := math.Hypot(x, y)
	if length == 0 || math.IsInf(length, 0) || math.IsNaN(length) {
		return point{x: 1}
	}
	return point{x / length, y / length}
}

// letterForms replaces presentation forms, such as ligatures, and the private characters that
// office programs draw as bullets.
var letterForms = strings.NewReplacer(
	"\ufb00", "ff", "\ufb01", "fi", "\ufb02", "fl", "\ufb03", "ffi", "\ufb04", "ffl", "\ufb05", "st", "\ufb06", "st",
	"\u00a0", " ", "\u00ad", "-", "\u2126", "Ω", "\uf0b7", "•", "\uf0a7", "•",
)

// clean returns a text in readable form, without control characters.
func clean(s string) string {
	s = strings.ToValidUTF8(letterForms.Replace(s), string(utf8.RuneError))
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, s)
}
