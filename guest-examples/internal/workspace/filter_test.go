package workspace

import (
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
)

func TestLiteralEnd(t *testing.T) {
	for glob, want := range map[string]string{
		"**/*_test.go": "_test.go",
		"**/go.mod":    "go.mod",
		"README":       "README",
		"*.{go,md}":    "",
		"*.{go,md}.in": ".in",
		"[a-z]":        "",
		"src/**":       "",
		`a\*b`:         "b",
		`a\bc`:         "bc",
		"*\uFFFD":      "",
	} {
		if got := LiteralEnd(glob); got != want {
			t.Errorf("%s: got %q, want %q", glob, got, want)
		}
	}
}

// The suffix never excludes a path that the glob matches.
func FuzzLiteralEnd(f *testing.F) {
	f.Add("**/*.go", "a/b.go")
	f.Add("**/x", "x")
	f.Add("a/**", "a")
	f.Add(`*\]\`, "a]")
	f.Add("{a,b}c", "bc")
	f.Add("\uFFFD", "\xff")
	f.Fuzz(func(t *testing.T, glob, name string) {
		if doublestar.ValidatePattern(glob) && doublestar.MatchUnvalidated(glob, name) && !strings.HasSuffix(name, LiteralEnd(glob)) {
			t.Errorf("%q matches %q, which does not end in %q", glob, name, LiteralEnd(glob))
		}
	})
}
