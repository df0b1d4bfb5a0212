// Package plot draws line charts as SVG with only the standard library.
package plot

import (
	"encoding/xml"
	"fmt"
	"math"
	"strings"
)

// Figure is one or more charts side by side under one title.
type Figure struct {
	Title  string
	Charts []Chart
}

// Chart is a set of lines over two logarithmic axes.
type Chart struct {
	Title  string
	X, Y   Axis
	Series []Series
}

// Axis has the labels of an axis. Format formats the number at a tick; nil prints the number.
type Axis struct {
	Label  string
	Format func(float64) string
}

// Series is a line. Series with the same Colour, an index from 0, belong together.
type Series struct {
	Name   string
	Colour int
	Dashed bool
	Points []Point
}

// Point is a point of a line. It is drawn only if both values are above 0.
type Point struct{ X, Y float64 }

// The size of a chart and its margins in pixels.
const (
	chartWidth  = 470.0
	chartHeight = 400.0
	left        = 82.0
	right       = 15.0
	top         = 75.0
	bottom      = 55.0
	legendRow   = 18.0
)

// colours are distinguishable for people with colour blindness.
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"}

// SVG returns the figure as an SVG document. Equal figures give equal documents.
func (f Figure) SVG() string {
	rows := 0
	for _, c := range f.Charts {
		rows = max(rows, (len(c.Series)+1)/2)
	}
	width := chartWidth * float64(max(1, len(f.Charts)))
	height := chartHeight + float64(rows)*legendRow + 10
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g" font-family="sans-serif" font-size="12">`+"\n",
		width, height, width, height)
	fmt.Fprintf(&b, `<rect width="%g" height="%g" fill="#ffffff"/>`+"\n", width, height)
	text(&b, width/2, 26, `text-anchor="middle" font-size="16" font-weight="bold"`, f.Title)
	for i, c := range f.Charts {
		fmt.Fprintf(&b, `<g transform="translate(%g 0)">`+"\n", float64(i)*chartWidth)
		c.draw(&b)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// text writes a line of text at a position.
func text(b *strings.Builder, x, y float64, attributes, s string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" fill="#222222" %s>`, x, y, attributes)
	// Writing to a strings.Builder never fails.
	_ = xml.EscapeText(b, []byte(s))
	b.WriteString("</text>\n")
}

func (c Chart) draw(b *strings.Builder) {
	x := newScale(c.values(func(p Point) float64 { return p.X }), left, chartWidth-right)
	y := newScale(c.values(func(p Point) float64 { return p.Y }), chartHeight-bottom, top)
	text(b, (left+chartWidth-right)/2, 56, `text-anchor="middle" font-size="14"`, c.Title)
	for _, tick := range y.ticks() {
		at := y.place(tick)
		line(b, left, at, chartWidth-right, at)
		text(b, left-6, at+4, `text-anchor="end"`, c.Y.write(tick))
	}
	for _, tick := range x.ticks() {
		at := x.place(tick)
		line(b, at, top, at, chartHeight-bottom)
		text(b, at, chartHeight-bottom+17, `text-anchor="middle"`, c.X.write(tick))
	}
	text(b, (left+chartWidth-right)/2, chartHeight-bottom+38, `text-anchor="middle"`, c.X.Label)
	middle := (top + chartHeight - bottom) / 2
	text(b, 16, middle, fmt.Sprintf(`text-anchor="middle" transform="rotate(-90 16 %.1f)"`, middle), c.Y.Label)
	for i, s := range c.Series {
		s.draw(b, x, y)
		s.legend(b, left+float64(i%2)*(chartWidth-left)/2, chartHeight+float64(i/2)*legendRow)
	}
}

// values returns of(p) for each point p that is drawn.
func (c Chart) values(of func(Point) float64) []float64 {
	var list []float64
	for _, s := range c.Series {
		for _, p := range s.drawn() {
			list = append(list, of(p))
		}
	}
	return list
}

func line(b *strings.Builder, x1, y1, x2, y2 float64) {
	fmt.Fprintf(b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#dddddd"/>`+"\n", x1, y1, x2, y2)
}

func (a Axis) write(v float64) string {
	if a.Format == nil {
		return fmt.Sprintf("%g", v)
	}
	return a.Format(v)
}

// drawn returns the points that can be drawn.
func (s Series) drawn() []Point {
	var list []Point
	for _, p := range s.Points {
		if p.X > 0 && p.Y > 0 && !math.IsInf(p.X, 0) && !math.IsInf(p.Y, 0) {
			list = append(list, p)
		}
	}
	return list
}

func (s Series) stroke() string {
	stroke := fmt.Sprintf(`stroke="%s" stroke-width="2" fill="none"`, colours[s.Colour%len(colours)])
	if s.Dashed {
		stroke += ` stroke-dasharray="5 4"`
	}
	return stroke
}

func (s Series) draw(b *strings.Builder, x, y scale) {
	var places []string
	for _, p := range s.drawn() {
		places = append(places, fmt.Sprintf("%.1f,%.1f", x.place(p.X), y.place(p.Y)))
	}
	if len(places) == 0 {
		return
	}
	fmt.Fprintf(b, `<polyline points="%s" %s/>`+"\n", strings.Join(places, " "), s.stroke())
	for _, p := range s.drawn() {
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", x.place(p.X), y.place(p.Y), colours[s.Colour%len(colours)])
	}
}

func (s Series) legend(b *strings.Builder, x, y float64) {
	fmt.Fprintf(b, `<path d="M%.1f %.1fh26" %s/>`+"\n", x, y, s.stroke())
	text(b, x+32, y+4, "", s.Name)
}

// scale maps values to positions on a logarithmic axis.
type scale struct {
	low, high float64 // logarithms, rounded to integers
	from, to  float64 // pixels
}

func newScale(values []float64, from, to float64) scale {
	low, high := 0.0, 1.0
	for i, v := range values {
		log := math.Log10(v)
		if i == 0 {
			low, high = math.Floor(log), math.Ceil(log)
		}
		low, high = min(low, math.Floor(log)), max(high, math.Ceil(log))
	}
	if high == low {
		high++
	}
	return scale{low, high, from, to}
}

func (s scale) place(v float64) float64 {
	return s.from + (math.Log10(v)-s.low)/(s.high-s.low)*(s.to-s.from)
}

// ticks returns the powers of ten on the axis.
func (s scale) ticks() []float64 {
	var list []float64
	for e := s.low; e <= s.high; e++ {
		list = append(list, math.Pow(10, e))
	}
	return list
}
