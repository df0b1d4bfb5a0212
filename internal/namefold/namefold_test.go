package namefold

import (
	"strings"
	"testing"
)

func TestFold(t *testing.T) {
	for name, tt := range map[string]struct {
		a, b             string
		same, compatible bool
	}{
		"case":                   {".ENV", ".env", true, true},
		"another name":           {"env", ".env", false, false},
		"composed, decomposed":   {"caf\u00e9", "cafe\u0301", true, true},
		"capital with an accent": {"CAF\u00c9", "cafe\u0301", true, true},
		"sharp s":                {"stra\u00dfe", "STRASSE", true, true},
		"dotless i":              {"\u0131d", "ID", true, true},
		"Kelvin sign":            {"\u212aey", "key", true, true},
		"long s":                 {"\u017fecret", "secret", true, true},
		"zero-width joiner":      {"se\u200dcret", "secret", true, true},
		"soft hyphen":            {"se\u00adcret", "secret", true, true},
		"variation selector":     {"se\ufe0fcret", "secret", true, true},
		"Hangul filler":          {"se\u3164cret", "secret", true, true},
		"tag characters":         {"se\U000e0041cret", "secret", true, true},
		"reversed order":         {"se\u202ecret", "secret", true, true},
		"full-width letters":     {"\uff53ecret", "secret", false, true},
		"a ligature":             {"\ufb01le", "file", true, true},
		"full-width slash":       {"a\uff0fb", "a/b", false, true},
		"full-width star":        {"\uff0a", "*", false, true},
		"ellipsis":               {"\u2026", "...", false, true},
	} {
		if got := Fold(tt.a) == Fold(tt.b); got != tt.same {
			t.Errorf("%s: Fold gives %v", name, got)
		}
		if got := FoldCompatible(tt.a) == FoldCompatible(tt.b); got != tt.compatible {
			t.Errorf("%s: FoldCompatible gives %v", name, got)
		}
	}
}

// A pattern and a path are folded separately, so folding must not change their structure.
func FuzzFold(f *testing.F) {
	f.Add("a/\uff0f*\u2024?")
	f.Add("\u0130\u0345\u1e9e\ufb03[a-\u0131]")
	f.Fuzz(func(t *testing.T, s string) {
		folded := Fold(s)
		if again := Fold(folded); again != folded {
			t.Errorf("%q becomes %q and then %q", s, folded, again)
		}
		const special = "/*?[]{}\\!^,."
		for _, c := range special {
			if got, want := strings.Count(folded, string(c)), strings.Count(s, string(c)); got != want {
				t.Errorf("%q has %d of %q, and %q has %d", folded, got, c, s, want)
			}
		}
	})
}
