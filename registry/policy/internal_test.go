package policy

import (
	"regexp"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/wildcard"
)

func TestPlainIsOneTextForEachNumber(t *testing.T) {
	for _, same := range [][]string{
		{"0", "-0", "0.0", "0e5", "-0.00E-3"},
		{"1", "1.0", "1e0", "10e-1", "0.1e1", "1.0E+0"},
		{"-120", "-1.2e2", "-12E1", "-0.12e+3"},
		{"9007199254740993", "9007199254740.993e3"},
		{"1e999999999999", "10e999999999998"},
	} {
		for _, literal := range same {
			if got := plain(literal); got != plain(same[0]) {
				t.Errorf("%s is %s, and %s is %s", literal, got, same[0], plain(same[0]))
			}
		}
	}
	different := []string{"0", "1", "-1", "10", "0.1", "9007199254740992", "9007199254740993", "1e999999999", "12", "1.2"}
	seen := map[string]string{}
	for _, literal := range different {
		if other, twice := seen[plain(literal)]; twice {
			t.Errorf("%s and %s are one number", literal, other)
		}
		seen[plain(literal)] = literal
	}
}

func FuzzWildcard(f *testing.F) {
	f.Add("a*b*", "axxbyy")
	f.Add("*a*a", "aa")
	f.Add("a*a", "a")
	f.Add("**", "")
	f.Fuzz(func(t *testing.T, pattern, s string) {
		re, err := regexp.Compile(`(?s)\A` + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, `.*`) + `\z`)
		if err != nil || strings.ToValidUTF8(s+pattern, "") != s+pattern {
			t.Skip()
		}
		if got := wildcard.Match(pattern, s); got != re.MatchString(s) {
			t.Errorf("Match(%q, %q) = %v", pattern, s, got)
		}
	})
}
