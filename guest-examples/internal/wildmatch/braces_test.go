package wildmatch

import (
	"slices"
	"strings"
	"testing"
)

func TestExpand(t *testing.T) {
	for glob, want := range map[string]string{
		"a":             "a",
		"{a,b}":         "a b",
		"x{a,b}y{c,d}z": "xaycz xaydz xbycz xbydz",
		"{a,{b,c}d}":    "a bd cd",
		"{a}":           "a",
		"a}b":           "a}b",
		`\{a,b}`:        `\{a,b}`,
		`{a\,b,c}`:      `a\,b c`,
		"[{]a{b,c}":     "[{]ab [{]ac",
		"{[,],x}":       "[,] x",
		"{a/**,b}/c":    "a/**/c b/c",
		"[a{b,c}":       "[ab [ac",
	} {
		got, problem := Expand(glob)
		if problem != "" || !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: got %q, %q; want %s", glob, got, problem, want)
		}
	}
	for glob, want := range map[string]string{
		"{a,b":                      "a { is not closed",
		"a{b,{c}":                   "a { is not closed",
		strings.Repeat("{a,b}", 10): "more than 1000 combinations",
		strings.Repeat("{", 1000):   "a { is not closed",
	} {
		if got, problem := Expand(glob); !strings.Contains(problem, want) || got != nil {
			t.Errorf("%.20s: got %d patterns, %q; want %q", glob, len(got), problem, want)
		}
	}
}

func TestCheck(t *testing.T) {
	for pattern, want := range map[string]string{
		"[a-z]*?**/[!x]": "",
		"[[:alpha:]/]":   "",
		"[^/]":           "",
		"[/]":            "a / in brackets matches nothing",
		"a[//]b":         "a / in brackets matches nothing",
		"[a":             "a [ is not closed",
		"[]":             "a [ is not closed",
		`[a\`:            "a [ is not closed",
		`a\`:             `no character follows the last \`,
		"[[:letter:]]":   "there is no class [:letter:]; use alnum",
	} {
		if got := Check(pattern); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", pattern, got, want)
		}
	}
}

func TestMatchText(t *testing.T) {
	for _, test := range []struct {
		pattern, path string
		want          bool
	}{
		{"?", "é", true},
		{"[à-ü]", "é", true},
		{"[!a]", "é", true},
		{"[^/]*.go", "x.go", true},
		{"a[^x]b", "a/b", false},
		{"*é", "aé", true},
		{"?", "\xff", true},
		{"[[:upper:]]*", "README", true},
	} {
		if got := MatchText(test.pattern, test.path); got != test.want {
			t.Errorf("%s and %s: got %v", test.pattern, test.path, got)
		}
	}
}

func TestLiteralEnd(t *testing.T) {
	for pattern, want := range map[string]string{
		"**/*_test.go": "_test.go",
		"**/go.mod":    "go.mod",
		"README":       "README",
		"[a-z]":        "",
		"src/**":       "",
		`a\*b`:         "b",
		`a\bc`:         "bc",
		"*é":           "é",
	} {
		if got := LiteralEnd(pattern); got != want {
			t.Errorf("%s: got %q, want %q", pattern, got, want)
		}
	}
}

// The literal end never excludes a path that the pattern matches.
func FuzzLiteralEnd(f *testing.F) {
	f.Add("**/*.go", "a/b.go")
	f.Add("**/x", "x")
	f.Add("a/**", "a")
	f.Add(`*\]\`, "a]")
	f.Add("[é-]c", "éc")
	f.Add("\uFFFD", "\xff")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		for _, matches := range []bool{MatchText(pattern, path), Match(pattern, path)} {
			if matches && !strings.HasSuffix(path, LiteralEnd(pattern)) {
				t.Errorf("%q matches %q, which does not end in %q", pattern, path, LiteralEnd(pattern))
			}
		}
	})
}
