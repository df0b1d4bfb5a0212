package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/wasmtool/wasmtool/guest-examples/internal/tooltest"
)

func TestResolve(t *testing.T) {
	tests := []struct{ value, want, err string }{
		{value: ".", want: "."},
		{value: "/workspace", want: "."},
		{value: "/workspace/", want: "."},
		{value: "/workspace/a/b.txt", want: "a/b.txt"},
		{value: "a//b/./c/../d", want: "a/b/d"},
		{value: "./a/", want: "a"},
		{value: "a/..", want: "."},
		{value: "...", want: "..."},
		{value: "workspace/a", want: "workspace/a"},
		{value: "", err: "the argument \"path\" is empty"},
		{value: "..", err: ".. is outside the workspace; give a path relative to the workspace or under /workspace"},
		{value: "../x", err: "outside"},
		{value: "a/../../x", err: "outside"},
		{value: "/", err: "outside"},
		{value: "/etc/passwd", err: "path: /etc/passwd is outside the workspace; paths of the host are not available, so give the path relative to the workspace or under /workspace"},
		{value: "/workspace-evil/x", err: "outside"},
		{value: "/workspace/../etc", err: "outside"},
		{value: "//workspace/../etc", err: "outside"},
		{value: "a\x00b", err: "NUL"},
		{value: "a\xffb", err: "UTF-8"},
		{value: "../\n", err: `"../\n" is outside`},
	}
	for _, test := range tests {
		t.Run(test.value, func(t *testing.T) {
			got, err := Resolve(nil, "path", test.value)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("got %q, %v; want an error with %q", got, err, test.err)
				}
				return
			}
			if err != nil || got != test.want {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func FuzzResolve(f *testing.F) {
	for _, seed := range []string{"", ".", "..", "a/../..", "/workspace/x", "/workspace/../x", "a\x00", "\xff", "//", "a/./b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		name, err := Resolve(nil, "path", value)
		if err != nil {
			return
		}
		if !fs.ValidPath(name) || strings.ContainsRune(name, 0) {
			t.Errorf("%q gives %q, which may lead outside", value, name)
		}
	})
}

func TestDisplay(t *testing.T) {
	for name, want := range map[string]string{
		"a b/ü.txt":     "a b/ü.txt",
		"a\nb":          `"a\nb"`,
		"\x1b[31mred":   `"\x1b[31mred"`,
		"bad\xffutf8":   `"bad\xffutf8"`,
		"abc\u202etxt.": `"abc\u202etxt."`,
	} {
		if got := Display(name); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestExplain(t *testing.T) {
	fsys := fstest.MapFS{
		"src/main.go":       {},
		"src/main_test.go":  {},
		"src/mail.go":       {},
		"src/margin.go":     {},
		"docs/manifest.md":  {},
		"README.md":         {},
		"f0.txt":            {},
		"f1.txt":            {},
		"f2.txt":            {},
		"f3.txt":            {},
		"internal/deep/x.c": {},
	}
	tests := []struct{ name, want string }{
		{"src/main.og", "path: src/main.og does not exist in the workspace; did you mean src/main.go?"},
		{"src/main", "path: src/main does not exist in the workspace; did you mean src/main.go or src/main_test.go?"},
		{"src/maim.go", "path: src/maim.go does not exist in the workspace; did you mean src/mail.go or src/main.go?"},
		{"f4.txt", "path: f4.txt does not exist in the workspace; did you mean f0.txt or f1.txt or f2.txt?"},
		{`..\x`, `path: ..\x does not exist in the workspace`},
		{"scr/main.go", "path: scr/main.go does not exist in the workspace; did you mean src/main.go?"},
		{"readme.MD", "path: readme.MD does not exist in the workspace; did you mean README.md?"},
		{"src/zzz", "path: src/zzz does not exist in the workspace"},
		{`src\main.go`, `path: src\main.go does not exist in the workspace; did you mean src/main.go?`},
		{"doc/manifests.md", "path: doc/manifests.md does not exist in the workspace; did you mean docs?"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := fs.Stat(fsys, test.name)
			if got := Explain(fsys, "path", test.name, err).Error(); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestExplain_otherCauses(t *testing.T) {
	refused := &fs.PathError{Op: "open", Path: "/home/me/a", Err: fs.ErrPermission}
	got := Explain(fstest.MapFS{}, "path", "a", refused).Error()
	if want := "path: a can't be read: permission denied"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	missing := os.DirFS(filepath.Join(t.TempDir(), "missing"))
	if got := Explain(missing, "path", "a", fs.ErrNotExist).Error(); !strings.Contains(got, "no workspace") {
		t.Errorf("got %s, want an error that there is no workspace", got)
	}
}

func TestWalker(t *testing.T) {
	fsys := fstest.MapFS{
		"a/b/c.txt":          {},
		"a/.hidden/x.txt":    {},
		"a/.env":             {},
		"a/z.txt":            {},
		"a/sub/.git/config":  {},
		"a/module/.git":      {}, // as in a submodule
		".git/hooks/example": {},
		"b.txt":              {},
	}
	tests := []struct {
		name   string
		walker Walker
		want   string
	}{
		{"all", Walker{Start: "."}, "a/b/c.txt a/z.txt b.txt"},
		{"hidden", Walker{Start: ".", Hidden: true}, "a/.env a/.hidden/x.txt a/b/c.txt a/z.txt b.txt"},
		{"directory", Walker{Start: "a/b"}, "a/b/c.txt"},
		{"hidden start", Walker{Start: "a/.hidden"}, "a/.hidden/x.txt"},
		{"start in .git", Walker{Start: ".git"}, ".git/hooks/example"},
		{"one level", Walker{Start: ".", MaxDepth: 1}, "b.txt"},
		{"two levels", Walker{Start: ".", MaxDepth: 2}, "a/z.txt b.txt"},
		{"a level below a directory", Walker{Start: "a", MaxDepth: 1}, "a/z.txt"},
		{"file", Walker{Start: "a/.env"}, "a/.env"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.walker.FS = fsys
			var got []string
			var unread Unread
			var leftOut LeftOut
			test.walker.Unread, test.walker.LeftOut = &unread, &leftOut
			err := test.walker.Walk(func(name string, _ fs.DirEntry) error {
				got = append(got, name)
				return nil
			})
			if note := unread.Note("directory"); err != nil || note != "" || strings.Join(got, " ") != test.want {
				t.Errorf("got %q, %q, %v; want %q", got, note, err, test.want)
			}
		})
	}
}

func TestWalker_collectsUnreadableDirectories(t *testing.T) {
	fsys := tooltest.Refusing{FS: fstest.MapFS{"a/x": {}, "b/y": {}}, Path: "a"}
	var got []string
	var unread Unread
	err := Walker{FS: fsys, Start: ".", Unread: &unread}.Walk(func(name string, _ fs.DirEntry) error {
		got = append(got, name)
		return nil
	})
	note := unread.Note("directory")
	if err != nil || note != "\n(1 directory could not be read: a)\n" || !slices.Equal(got, []string{"b/y"}) {
		t.Errorf("got %q, %q, %v; want b/y and one directory that can't be read", got, note, err)
	}
	if err := (Walker{FS: fsys, Start: "a"}).Walk(nil); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v at the start, want the error", err)
	}
}

func TestUnread(t *testing.T) {
	var unread Unread
	for _, test := range []struct{ add, want string }{
		{"a", "\n(1 path could not be read: a)\n"},
		{"b\n", "\n(2 paths could not be read: a, \"b\\n\")\n"},
		{"c", "\n(3 paths could not be read: a, \"b\\n\", c)\n"},
		{"d", "\n(4 paths could not be read: a, \"b\\n\", c and 1 more)\n"},
	} {
		unread.Add(test.add)
		if got := unread.Note("path"); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestFilter(t *testing.T) {
	tests := []struct {
		glob string
		yes  string
		no   string
	}{
		{"", "a.go .env d/e", ""},
		{"*.go", "a.go d/e/a.go", "a.js a.go/b"},
		{"!*.go", "a.js d/x", "a.go d/a.go"},
		{"cmd/**/*.go", "cmd/a.go cmd/x/y/a.go", "a.go x/cmd/a.go"},
		{"/cmd/*.go", "cmd/a.go", "cmd/x/a.go"},
		{"./cmd/*.go", "cmd/a.go", "x/cmd/a.go"},
		{"!vendor/**", "a.go x/vendor/a.go", "vendor/x/a.go"},
		{"*.{ts,tsx}", "a.ts d/a.tsx", "a.t"},
		{"[a-c]?.md", "b1.md", "d1.md"},
		{`\*.md`, "*.md", "a.md"},
		{"[[:upper:]]*", "README d/Make", "readme d/make"},
		{"[^/]*.go", "a.go", "d/a.go"},
		{"?.md", "é.md", "ab.md"},
	}
	for _, test := range tests {
		t.Run(test.glob, func(t *testing.T) {
			filter, err := NewFilter("glob", test.glob)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range strings.Fields(test.yes) {
				if !filter.Selects(name) {
					t.Errorf("%s is left out", name)
				}
			}
			for _, name := range strings.Fields(test.no) {
				if filter.Selects(name) {
					t.Errorf("%s is selected", name)
				}
			}
		})
	}
}

func TestParseGlob_errors(t *testing.T) {
	for glob, want := range map[string]string{
		"[a":                        `glob: "[a" is not a valid glob: a [ is not closed; put a \ before a literal one`,
		"{a,b":                      "not a valid glob: a { is not closed",
		"a\\":                       "not a valid glob: no character follows",
		"[[:x:]]":                   "there is no class [:x:]",
		"a{b,[/]}":                  "a / in brackets matches nothing",
		strings.Repeat("{a,b}", 10): "more than 1000 combinations",
		strings.Repeat("a", 1025):   "longer than 1024",
	} {
		if _, err := ParseGlob("glob", glob); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: got %v, want an error with %q", glob, err, want)
		}
	}
}

func TestNamesHidden(t *testing.T) {
	for glob, want := range map[string]bool{
		".env": true, "**/.env*": true, ".github/**": true, "{.a,b}/*": true, "{a,.b}": true,
		"*.go": false, "a.b/c": false, "": false, "[.]env": false,
	} {
		parsed, err := ParseGlob("glob", glob)
		if got := parsed.NamesHidden(); err != nil || got != want {
			t.Errorf("%q: got %v, %v", glob, got, err)
		}
	}
}
