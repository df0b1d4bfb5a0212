package measure

import (
	"math"
	"testing"
	"time"
)

func durations(from, to int) []time.Duration {
	var list []time.Duration
	for i := to; i >= from; i-- { // not sorted
		list = append(list, time.Duration(i))
	}
	return list
}

func TestSummarise(t *testing.T) {
	for _, test := range []struct {
		name string
		in   []time.Duration
		want Summary
	}{
		{"none", nil, Summary{}},
		{"one", durations(7, 7), Summary{1, 7, 7, 7, 7, 7}},
		{"two", durations(1, 2), Summary{2, 1, 1, 2, 2, 2}},
		{"three", durations(1, 3), Summary{3, 1, 2, 3, 3, 3}},
		{"hundred", durations(1, 100), Summary{100, 1, 50, 90, 99, 100}},
		{"two hundred", durations(1, 200), Summary{200, 1, 100, 180, 198, 200}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Summarise(test.in); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestRatio(t *testing.T) {
	for _, test := range []struct {
		a, b time.Duration
		want float64
	}{{6, 3, 2}, {3, 6, 0.5}, {0, 3, 0}, {3, 0, 0}} {
		if got := Ratio(test.a, test.b); got != test.want {
			t.Errorf("Ratio(%d, %d) is %v, want %v", test.a, test.b, got, test.want)
		}
	}
}

func TestGeometricMean(t *testing.T) {
	for _, test := range []struct {
		in   []float64
		want float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{1, 4}, 2}, {[]float64{0.5, 1, 2}, 1}} {
		if got := GeometricMean(test.in); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("GeometricMean(%v) is %v, want %v", test.in, got, test.want)
		}
	}
}
