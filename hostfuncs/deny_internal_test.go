package hostfuncs

import (
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
)

// FuzzDenies checks the list against the plain meaning: what the pattern matches,
// as doublestar reads it with its braces, is denied with all below, in whatever
// letter case.
func FuzzDenies(f *testing.F) {
	for _, pattern := range []string{"**/.env", ".git/**", "a/*/c", "**/x/**/y", "{a,b/**}", "{a/**,b}", "[a-z]*", "**", "a/**/b", "*", `\*`, "a{,/b}", "**/**", "{a,{b,c}/d}e", "[{]x,}", `\{a,b}`, "{a,[,}]}", "?"} {
		for _, path := range []string{".env", "a/b/c", "x/y", ".git/config", "b", "a/b/.env/c", "\u0344"} {
			f.Add(pattern, path)
		}
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		list, err := newDenyList([]string{pattern})
		if err != nil {
			return
		}
		rel, _, err := cleanPath(name)
		if err != nil || rel == "." || !doublestar.MatchUnvalidated(strings.TrimSuffix(pattern, "/"), rel) {
			return
		}
		for _, denied := range []string{rel, rel + "/below", rel + "/b/e/l/o/w", strings.ToUpper(rel), strings.ToLower(rel)} {
			if strings.ContainsAny(pattern, "[") && denied != rel && !strings.HasPrefix(denied, rel+"/") {
				continue // a class may tell letter case apart
			}
			if !list.denies(denied) {
				t.Errorf("%q matches %q but does not deny %q", pattern, rel, denied)
			}
		}
	})
}

func TestExpandBraces(t *testing.T) {
	for pattern, want := range map[string][]string{
		"a":            {"a"},
		"{a}":          {"a"},
		"x{a,b}y":      {"xay", "xby"},
		"{a,b}{c,d}":   {"ac", "ad", "bc", "bd"},
		"{a,{b,c}d}":   {"a", "bd", "cd"},
		"a{,/b}":       {"a", "a/b"},
		`\{a,b\}`:      {`\{a,b\}`},
		"[{,}]{a,[,]}": {"[{,}]a", "[{,}][,]"},
		"a,b":          {"a,b"},
	} {
		if got, ok := expandBraces(pattern); !ok || !slices.Equal(got, want) {
			t.Errorf("%q: got %q, %v", pattern, got, ok)
		}
	}
}

func TestWindowsNames(t *testing.T) {
	for name, want := range map[string]bool{
		"GIT~1": true, "a~9.txt": true, "x~~2": true, ".git.": true, ".git ": true, "...": true,
		".": false, "a~": false, "a~b": false, ".git": false, "a.b": false,
	} {
		if got := isWindowsAlias(name); got != want {
			t.Errorf("isWindowsAlias(%q) is %v", name, got)
		}
	}
	for name, want := range map[string]bool{`a\b`: true, "a:b": true, "C:": true, "f::$DATA": true, "a.b~1": false} {
		if got := hasWindowsSyntax(name); got != want {
			t.Errorf("hasWindowsSyntax(%q) is %v", name, got)
		}
	}
}
