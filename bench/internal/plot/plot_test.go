package plot

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

// elements counts the elements of a document, which must be well formed.
func elements(t *testing.T, document string) map[string]int {
	t.Helper()
	count := make(map[string]int)
	for d := xml.NewDecoder(strings.NewReader(document)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return count
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, document)
		}
		if start, ok := token.(xml.StartElement); ok {
			count[start.Name.Local]++
		}
	}
}

func TestSVG(t *testing.T) {
	chart := Chart{
		Title: "a < b & c", X: Axis{Label: "callers"}, Y: Axis{Label: "µs"},
		Series: []Series{
			{Name: "one", Points: []Point{{1, 10}, {10, 200}, {100, 3000}}},
			{Name: "two", Colour: 7, Dashed: true, Points: []Point{{1, 5}, {0, 5}, {5, 0}, {5, math.Inf(1)}}},
			{Name: "none"},
		},
	}
	svg := Figure{Title: "figure", Charts: []Chart{chart, {Title: "empty"}}}.SVG()
	count := elements(t, svg)
	if count["polyline"] != 2 || count["circle"] != 4 || count["path"] != 3 {
		t.Errorf("got %d lines, %d points, %d legends; want 2, 4, 3", count["polyline"], count["circle"], count["path"])
	}
	for _, want := range []string{"a &lt; b &amp; c", ">1000<", ">figure<", ">two<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %q in\n%s", want, svg)
		}
	}
	if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Errorf("a coordinate is not a number in\n%s", svg)
	}
}

func TestScale(t *testing.T) {
	s := newScale([]float64{3, 40, 900}, 0, 300)
	for _, test := range []struct{ value, want float64 }{{1, 0}, {10, 100}, {100, 200}, {1000, 300}} {
		if got := s.place(test.value); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%v is at %v, want %v", test.value, got, test.want)
		}
	}
	if got := len(newScale([]float64{10, 10}, 0, 100).ticks()); got != 2 {
		t.Errorf("one value has %d ticks, want 2", got)
	}
}
