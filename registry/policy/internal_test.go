package policy

import (
	"regexp"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/wildcard"
)

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
