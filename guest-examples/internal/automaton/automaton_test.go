package automaton

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestSameAsRegexp compares matches of expressions made at random with package regexp.
func TestSameAsRegexp(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"a", "b", "ab", ".", "[ab]", "[^a]", "a*", "b+", "(a|bb)", "(ab)*", "x?", "^", "$", "|", "a{2,3}", `\n`, "(?i:B)", "", "é", `\b`, "(a*)*"}
	for range 3000 {
		expression := "(?s)"
		for range 1 + random.IntN(5) {
			expression += pieces[random.IntN(len(pieces))]
		}
		re, err := regexp.Compile(expression)
		if err != nil {
			continue
		}
		re.Longest()
		m := New(expression)
		if m == nil {
			if !strings.Contains(expression, `\b`) {
				t.Fatalf("%q is not supported", expression)
			}
			continue
		}
		for range 20 {
			text := make([]byte, random.IntN(12))
			for i := range text {
				text[i] = "aabbxB\n"[random.IntN(7)]
			}
			limit := random.IntN(4) - 1
			var want []int
			for _, match := range re.FindAllIndex(text, limit) {
				want = append(want, match...)
			}
			if limit == 0 {
				want = nil
			}
			if got, ok := m.AppendAll(nil, text, limit); !ok || !slices.Equal(got, want) {
				t.Fatalf("%q in %q: %v, %v, want %v", expression, text, got, ok, want)
			}
			if found, ok := m.Match(text); !ok || found != re.Match(text) {
				t.Fatalf("%q in %q: %v, %v", expression, text, found, ok)
			}
		}
	}
}

func TestUnable(t *testing.T) {
	if _, ok := New("b").Match([]byte("aé")); ok {
		t.Error("text that is not ASCII is matched")
	}
	if _, ok := New("a*b").Match([]byte(strings.Repeat("a", 1000))); ok {
		t.Error("matching takes quadratic time")
	}
	if _, ok := New("(a|b)*a(a|b){12}$").Match([]byte(strings.Repeat("aabbabab", 1000))); ok {
		t.Error("the states are not limited")
	}
	if New("a{400}b{400}") != nil {
		t.Error("a large expression is accepted")
	}
}

func TestNoMatch(t *testing.T) {
	for expression, want := range map[string]int{"ab": 3, "abc+": 3, "a": 0, "b*": 0, "^ab": 0, "xy": 4, "(?i:ab)": 0} {
		if got := New(expression).NoMatch([]byte("aa ab")); got != want {
			t.Errorf("%s: %d, want %d", expression, got, want)
		}
	}
}
