package policy

import (
	"regexp"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
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

// A rule can name each kind of permission.
func TestRulesCanNameEachKind(t *testing.T) {
	for _, kind := range capability.Kinds() {
		_, alone := parsePermissionPattern(string(kind))
		_, all := parsePermissionPattern(string(kind) + ":*")
		_, anywhere := parsePermissionPattern(string(kind) + ":any")
		if alone != nil && all != nil && anywhere != nil {
			t.Errorf("%s: %v, %v, %v", kind, alone, all, anywhere)
		}
	}
}
