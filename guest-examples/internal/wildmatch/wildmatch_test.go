package wildmatch

import (
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	for _, test := range []struct{ pattern, matches, others string }{
		{"a", "a", "b aa"},
		{"*", "a .a", "a/b"},
		{"a*c", "ac abc abbc", "a/c acd"},
		{"**", "a a/b", ""},
		{"**/b", "b a/b a/a/b", "ab a/ab"},
		{"a/**", "a/b a/b/c", "a b"},
		{"a/**/b", "a/b a/x/b a/x/y/b", "ab a/xb"},
		{"a**b", "ab axb", "a/b"},
		{"**/*b*/c", "b/c a/xbx/c", "b/x/c"},
		{"a/*/**", "a/b/c a/b/c/d", "a/b"},
		{"?", "a", "/ ab é"},
		{"[a-c]x", "ax cx", "dx -x"},
		{"[!a-c]x", "dx", "ax"},
		{"[^a]", "b", "a /"},
		{"[]-]", "] -", "a"},
		{"[]a]", "] a", "b"},
		{"[a-]", "a -", "b"},
		{"[a\\-z]", "a - z", "b"},
		{"[\\]]", "]", "\\"},
		{"[--0]", "- . 0", "/ 1"},
		{"[[:upper:]]", "A", "a"},
		{"[[:digit:][:space:]_]", "1 _", "a"},
		{"[![:alpha:]]", "1", "a"},
		{"[[:upper]", "[ : u", "A"},
		{"[[:nosuch:]]", "", "n :"},
		{"a[/]b", "", "a/b ab"},
		{"[z-a]", "", "z a"},
		{"[a", "", "[a a"},
		{"a\\", "", "a a\\"},
		{"\\*", "*", "a"},
		{"", "", "a"},
	} {
		for _, path := range strings.Fields(test.matches) {
			if !Match(test.pattern, path) {
				t.Errorf("%s does not match %s", test.pattern, path)
			}
		}
		for _, path := range strings.Fields(test.others) {
			if Match(test.pattern, path) {
				t.Errorf("%s matches %s", test.pattern, path)
			}
		}
	}
}

// Patterns of many stars end after a bounded number of steps. This test would not end otherwise.
func TestManyStars(t *testing.T) {
	for _, pattern := range []string{strings.Repeat("*a", 200) + "*b", strings.Repeat("**/", 200) + "b", strings.Repeat("**/*a*/", 100) + "b"} {
		if Match(pattern, strings.Repeat("a", 2000)) || Match(pattern, strings.Repeat("aaaa/", 400)+"c") {
			t.Errorf("%.20s matches", pattern)
		}
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("**/a*[[:alpha:]-z]", "b/abc")
	f.Add("[^]\\]", "/")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if Match(pattern, path) && len(pattern) == 0 && path != "" {
			t.Errorf("an empty pattern matches %q", path)
		}
	})
}
