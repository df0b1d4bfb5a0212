package files_test

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/files"
)

func TestDeniedPaths(t *testing.T) {
	tests := []struct {
		pattern         string
		denied, allowed []string
	}{
		{
			"**/.env",
			[]string{".env", "a/.env", "a/b/.env", ".env/x", "a/.env/b/c"},
			[]string{"a", "env", ".envrc", "a/.env2", "x.env"},
		},
		{
			".git/**",
			[]string{".git", ".git/config", ".git/hooks/x"},
			[]string{"a/.git", ".gitignore", ".github/x"},
		},
		{"dir/", []string{"dir", "dir/x"}, []string{"a/dir", "dirx"}},
		{"dir", []string{"dir", "dir/x"}, []string{"a/dir", "dirx"}},
		{"a/*.key", []string{"a/x.key", "a/.key", "a/x.key/y"}, []string{"x.key", "a/b/x.key", "a/x.keys"}},
		{"**/*.{pem,key}", []string{"x.pem", "a/b/x.key"}, []string{"x.txt"}},
		{"**/secret*/**", []string{"secrets", "a/secret", "a/secret/b"}, []string{"a/xsecret"}},
		{"**", []string{"a", "a/b"}, nil},
		{"a/**/z", []string{"a/z", "a/b/z", "a/b/c/z/y"}, []string{"a", "z", "a/b"}},
		{"[A-F]x", []string{"Ax", "fx", "cX"}, []string{"gx"}},
		{"[A-z]y", []string{"Ay", "zy", "_y"}, nil},
		{`\[x]`, []string{"[x]", "[X]/y"}, []string{"x"}},
		{"nul?", []string{"nulx", "nulé", "nule\u0301"}, []string{"nul"}},
		// Letter case.
		{".GIT/**", []string{".git", ".Git/config"}, nil},
		{"**/.env", []string{".ENV", "a/.eNv"}, nil},
		{"stra\u00dfe", []string{"STRASSE", "strasse", "Stra\u1e9ee"}, nil},
		{"kelvin", []string{"\u212aelvin", "KELVIN"}, nil},
		{"file", []string{"F\u0131LE", "\ufb01le"}, nil},
		{"\u03c3", []string{"\u03a3", "\u03c2"}, nil},
		// Unicode normalisation form.
		{"caf\u00e9", []string{"cafe\u0301", "CAFE\u0301", "CAF\u00c9/x"}, []string{"cafe"}},
		{"cafe\u0301", []string{"caf\u00e9"}, nil},
		// Invisible characters.
		{".git", []string{".g\u200cit", "\ufeff.git", ".gi\u00adt"}, nil},
		{".g\u200dit", []string{".git"}, nil},
	}
	for _, test := range tests {
		t.Run(test.pattern, func(t *testing.T) {
			dir := t.TempDir()
			view := newFS(t, read("w", dir, test.pattern)).View("/w")
			// No file exists. An allowed path is therefore reported as missing, and a denied one as
			// denied.
			for want, names := range map[error][]string{fs.ErrPermission: test.denied, fs.ErrNotExist: test.allowed} {
				for _, name := range names {
					for op, do := range map[string]func(string) error{
						"open":     func(n string) error { _, err := view.Open(n, 0); return err },
						"stat":     func(n string) error { _, err := view.Stat(n); return err },
						"lstat":    func(n string) error { _, err := view.Lstat(n); return err },
						"readlink": func(n string) error { _, err := view.Readlink(n); return err },
					} {
						for _, spelt := range []string{name, "/" + name, "x/../" + name} {
							if err := do(spelt); !errors.Is(err, want) {
								t.Errorf("%s %s: got %v, want %v", op, spelt, err, want)
							}
						}
					}
				}
			}
		})
	}
}

// TestDeniedPathsHideWhetherTheyExist checks that no answer depends on whether a denied path
// exists.
func TestDeniedPathsHideWhetherTheyExist(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{".env": canary, "a/.env": canary, "a/f": "fine", ".git/config": canary, "g/.git/config": "fine"})
	view := newFS(t, read("w", dir, "**/.env", ".git/**")).View("/w")
	for _, name := range []string{".env", ".env/", "a/.env", "b/.env", ".git", ".git/", ".git/config", ".git/none", ".git/config/x", ".GIT/config", "a/../.env"} {
		_, openErr := view.Open(name, 0)
		_, statErr := view.Stat(name)
		_, lstatErr := view.Lstat(name)
		_, readlinkErr := view.Readlink(name)
		for _, err := range []error{openErr, statErr, lstatErr} {
			var pathErr *fs.PathError
			if !errors.As(err, &pathErr) || pathErr.Err != fs.ErrPermission {
				t.Errorf("%s: got %v", name, err)
			}
		}
		if strings.HasSuffix(name, "/") {
			continue // a path that ends in a slash never names a link
		}
		if !errors.Is(readlinkErr, fs.ErrPermission) {
			t.Errorf("readlink %s: got %v", name, readlinkErr)
		}
	}
	if got := list(t, view, "."); !slices.Equal(got, []string{"a", "g"}) {
		t.Errorf("list .: got %q", got)
	}
	if got := list(t, view, "a"); !slices.Equal(got, []string{"f"}) {
		t.Errorf("list a: got %q", got)
	}
	if got, err := readFile(view, "g/.git/config"); err != nil || got != "fine" {
		t.Errorf("read g/.git/config: got %q, %v", got, err)
	}
}

func TestValidateDeny(t *testing.T) {
	for _, good := range []string{"a", "**/.env", ".git/**", "dir/", "**", "{a,b}/[x-z]?", `\{`} {
		if err := files.ValidateDeny(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for bad, want := range map[string]string{
		"":                           "is empty",
		"/":                          "slash",
		"{a,/b}":                     "slash",
		"{a,}":                       "element",
		"/etc":                       "slash",
		"a//b":                       "element",
		"./a":                        "element",
		"a/../b":                     "element",
		"..":                         "element",
		"[":                          "not a valid pattern",
		"[]":                         "not a valid pattern",
		"{a":                         "not a valid pattern",
		"a}":                         "not a valid pattern",
		`a\`:                         "not a valid pattern",
		"a\x00":                      "UTF-8",
		"a\xff":                      "UTF-8",
		strings.Repeat("a", 257):     "longer",
		strings.Repeat("{a,b}", 7):   "alternatives",
		strings.Repeat("{a,b,c}", 6): "alternatives",
		"a***":                       "has three asterisks in a row; write * or **",
		"a*{*,b}*":                   "has three asterisks in a row",
	} {
		if err := files.ValidateDeny(bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", bad, err, want)
		}
	}
	many := slices.Repeat([]string{"{a,b,c,d}"}, 17)
	if _, err := files.New(grants(read("w", t.TempDir(), many...)), files.Options{}); err == nil || !strings.Contains(err.Error(), "more than 64") {
		t.Errorf("68 patterns: %v", err)
	}
}
