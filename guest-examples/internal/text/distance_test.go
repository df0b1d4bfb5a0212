package text

import (
	"strings"
	"testing"
)

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "", 3},
		{"abc", "abc", 0},
		{"kitten", "sitting", 3},
		{"ab", "ba", 2},
		{strings.Repeat("x", 100), strings.Repeat("y", 100), 100},
	} {
		if got := Distance(test.a, test.b); got != test.want {
			t.Errorf("%q and %q: got %d, want %d", test.a, test.b, got, test.want)
		}
	}
}

func TestDistanceWithin(t *testing.T) {
	for _, test := range []struct {
		part, whole string
		want        int
	}{
		{"", "", 0},
		{"", "abc", 0},
		{"abc", "", 3},
		{"abc", "xxabcxx", 0},
		{"abc", "xxabxcxx", 1},
		{"abc", "xxacxx", 1},
		{"abc", "ab", 1},
		{"abc", "xyz", 3},
	} {
		if got := DistanceWithin(test.part, test.whole); got != test.want {
			t.Errorf("%q within %q: got %d, want %d", test.part, test.whole, got, test.want)
		}
	}
}
