package suggest

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	keys := []string{"manifest", "name", "timeout", "dangerous", "permissions", "args", "abi", "at"}
	for _, tc := range []struct{ word, want string }{
		{"timeuot", "timeout"},
		{"permisions", "permissions"},
		{"Timeout", "timeout"},
		{"NAME", "name"},
		{"name", "name"},
		{"nme", "name"},
		{"arg", "args"},
		{"ab", "abi"},
		{"xy", ""},
		{"x", ""},
		{"", ""},
		{"network", ""},
		{"dangereuse", "dangerous"},
		{"completely-different", ""},
		{strings.Repeat("a", 200), ""},
	} {
		if got := Nearest(tc.word, keys); got != tc.want {
			t.Errorf("Nearest(%q) = %q, want %q", tc.word, got, tc.want)
		}
	}
}

func TestNearestPrefersTheNearerThenTheFirst(t *testing.T) {
	for _, tc := range []struct {
		word       string
		candidates []string
		want       string
	}{
		{"mode", []string{"nodes", "node"}, "node"},
		{"bat", []string{"cat", "rat"}, "cat"},
		{"same", []string{"SAME", "same"}, "same"},
		{"größe", []string{"grösse", "größen"}, "größen"},
		{"a", nil, ""},
		{"a", []string{""}, ""},
	} {
		if got := Nearest(tc.word, tc.candidates); got != tc.want {
			t.Errorf("Nearest(%q, %q) = %q, want %q", tc.word, tc.candidates, got, tc.want)
		}
	}
}

// slow computes the distance by its definition, without a band.
func slow(a, b []rune) int {
	switch {
	case len(a) == 0:
		return len(b)
	case len(b) == 0:
		return len(a)
	}
	n, m := len(a), len(b)
	cost := 1
	if a[n-1] == b[m-1] {
		cost = 0
	}
	d := min(slow(a[:n-1], b)+1, slow(a, b[:m-1])+1, slow(a[:n-1], b[:m-1])+cost)
	if n > 1 && m > 1 && a[n-1] == b[m-2] && a[n-2] == b[m-1] {
		d = min(d, slow(a[:n-2], b[:m-2])+1)
	}
	return d
}

func TestDistance(t *testing.T) {
	// All words of up to four letters over a small alphabet.
	words := []string{""}
	for from := 0; len(words) < 1+3+9+27+81; {
		to := len(words)
		for _, word := range words[from:to] {
			for _, letter := range "abc" {
				words = append(words, word+string(letter))
			}
		}
		from = to
	}
	for _, a := range words {
		for _, b := range words {
			want := slow([]rune(a), []rune(b))
			for limit := max(0, len(a)-len(b), len(b)-len(a)); limit <= 3; limit++ {
				got := Distance([]rune(a), []rune(b), limit)
				if got != want && (got <= limit || want <= limit) {
					t.Fatalf("Distance(%q, %q, %d) = %d, want %d", a, b, limit, got, want)
				}
			}
		}
	}
}

func FuzzNearest(f *testing.F) {
	f.Add("timeuot", "timeout")
	f.Add("", "x")
	f.Add("\xff\xfe", "日本")
	f.Fuzz(func(t *testing.T, word, candidate string) {
		got := Nearest(word, []string{candidate})
		if got != "" && got != candidate {
			t.Errorf("Nearest(%q, {%q}) = %q, not a candidate", word, candidate, got)
		}
	})
}
