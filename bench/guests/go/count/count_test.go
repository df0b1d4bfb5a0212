package count

import "testing"

func TestCount(t *testing.T) {
	for text, want := range map[string]Answer{
		"":                  {},
		"one":               {Lines: 1, Words: 1, Bytes: 3, Letters: 3, Longest: 3},
		"one two\n":         {Lines: 1, Words: 2, Bytes: 8, Letters: 6, Longest: 3},
		"\n\nlonger, word":  {Lines: 3, Words: 2, Bytes: 14, Letters: 10, Longest: 7},
		"caf\u00e9\t\u20ac": {Lines: 1, Words: 2, Bytes: 9, Letters: 3, Longest: 5},
	} {
		if got, err := Count(Input{Text: &text}); err != nil || got != want {
			t.Errorf("%q: got %+v, %v; want %+v", text, got, err, want)
		}
	}
	if _, err := Count(Input{}); err == nil {
		t.Error("no error without a text")
	}
}
