package files

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
)

// FuzzDenies compares denyList with the definition: a path is denied if, with braces expanded and
// in any letter case, doublestar matches the path or one of its parents.
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
				continue // a class may distinguish letter case
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

func TestMayLieBelow(t *testing.T) {
	for _, test := range []struct {
		pattern string
		yes, no []string
	}{
		{"**/.env", []string{"a", "a/b", "x"}, nil},
		{".env", nil, []string{"a", "a/b"}},
		{".git/**", nil, []string{"src", "src/.git"}},
		{"a/*.key", []string{"a", "A"}, []string{"b", "a/b", "b/a"}},
		{"a/b/c", []string{"a", "a/b"}, []string{"a/c", "b"}},
		{"a/*/c", []string{"a", "a/b", "a/x"}, []string{"b", "a/x/d"}},
		{"a/**/z", []string{"a", "a/b/c"}, []string{"b"}},
		{"[A-C]/x", []string{"a", "B"}, []string{"d"}},
		{"caf\u00e9/x", []string{"CAFE\u0301"}, []string{"cafe"}},
	} {
		list, err := newDenyList([]string{test.pattern})
		if err != nil {
			t.Fatal(err)
		}
		for _, rel := range test.yes {
			if !list.mayLieBelow(rel) {
				t.Errorf("%s: mayLieBelow(%s) is false", test.pattern, rel)
			}
		}
		for _, rel := range test.no {
			if list.mayLieBelow(rel) {
				t.Errorf("%s: mayLieBelow(%s) is true", test.pattern, rel)
			}
		}
	}
	if denyList(nil).mayLieBelow("a") {
		t.Error("mayLieBelow is true without patterns")
	}
}

// FuzzMayLieBelow checks that mayLieBelow returns true for all parents of a denied path.
func FuzzMayLieBelow(f *testing.F) {
	for _, seed := range [][2]string{{"**/.env", "a/.env"}, {"a/*/c", "a/b/c/d"}, {"[a/b]/c", "a/c"}, {"{a,b/c}/d", "b/c/d"}, {`\[x/y`, "[x/y"}, {"a\u200b/b", "A/B"}, {"?/x", "\u0149/x"}, {"a**b/c", "axxb/c"}, {"a*******/*/c", "a/b/c/d"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		list, err := newDenyList([]string{pattern})
		if err != nil {
			t.Skip("the pattern is not valid")
		}
		rel, _, err := cleanPath(name)
		if err != nil || !list.denies(rel) {
			t.Skip("the pattern does not deny the path")
		}
		for dir := path.Dir(rel); dir != "."; dir = path.Dir(dir) {
			if !list.denies(dir) && !list.mayLieBelow(dir) {
				t.Errorf("%q denies %q, but mayLieBelow(%q) is false", pattern, rel, dir)
			}
		}
	})
}
