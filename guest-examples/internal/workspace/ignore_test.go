package workspace

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestWalker_ignored(t *testing.T) {
	fsys := fstest.MapFS{
		".gitignore":           {Data: []byte("# a comment\n*.log\n!keep.log\n/build\nnode_modules/\ndoc/*.txt\n**/gen/**\nbad[\n\n{x}\r\n")},
		"a.go":                 {},
		"a.log":                {},
		"keep.log":             {},
		"build/out":            {},
		"sub/build/in":         {},
		"node_modules/m/x.js":  {},
		"sub/node_modules":     {}, // a file
		"doc/a.txt":            {},
		"doc/deep/a.txt":       {},
		"sub/gen/x":            {},
		"{x}":                  {},
		"x":                    {},
		"sub/.gitignore":       {Data: []byte("!*.log\nlocal\n")},
		"sub/b.log":            {},
		"sub/local":            {},
		"local":                {},
		"sub/inner/.gitignore": {Data: []byte("/*\n!c.go\n")},
		"sub/inner/c.go":       {},
		"sub/inner/d.go":       {},
	}
	for _, test := range []struct {
		start   string
		ignored bool
		want    string
		leftOut int
	}{
		{".", false, "a.go doc/deep/a.txt keep.log local sub/b.log sub/build/in sub/inner/c.go sub/node_modules x", 8},
		{"sub/inner", false, "sub/inner/c.go", 1},
		{"sub/inner", true, "sub/inner/c.go sub/inner/d.go", 0},
		{"build", false, "build/out", 0}, // the caller named it
	} {
		var unread Unread
		var leftOut LeftOut
		var got []string
		w := Walker{FS: fsys, Start: test.start, Ignored: test.ignored, Unread: &unread, LeftOut: &leftOut}
		err := w.Walk(func(name string, _ fs.DirEntry) error {
			got = append(got, name)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(got)
		if strings.Join(got, " ") != test.want || leftOut.Ignored != test.leftOut {
			t.Errorf("%s: got %q and %d left out, want %q and %d", test.start, got, leftOut.Ignored, test.want, test.leftOut)
		}
	}
}

func TestParseIgnore_bounds(t *testing.T) {
	fsys := fstest.MapFS{".gitignore": {Data: []byte(strings.Repeat("a\n", 40000))}}
	if rules := loadIgnore(fsys, ".", "", nil); len(rules) != maxIgnoreRules {
		t.Errorf("got %d rules, want %d", len(rules), maxIgnoreRules)
	}
}
