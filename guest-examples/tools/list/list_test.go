package list

import (
	"fmt"
	"io/fs"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/wasmtool/wasmtool/guest-examples/internal/tooltest"
)

var workspaceFiles = fstest.MapFS{
	".env":              {Data: []byte("A=1\n")},
	".git/config":       {},
	".gitignore":        {Data: []byte("node_modules/\n")},
	"README.md":         {Data: []byte("hello\n")},
	"cmd/a/main.go":     {Data: []byte("x")},
	"cmd/a/deep/x.go":   {},
	"node_modules/m.js": {},
	"empty":             {Mode: fs.ModeDir},
	"link":              {Mode: fs.ModeSymlink, Data: []byte("README.md")},
	"odd\nname":         {},
}

func TestRun(t *testing.T) {
	const leftOutNote = "\n(1 path ignored by .gitignore; set include_ignored to see them)\n(2 hidden paths left out; set include_hidden to see them)\n"
	for _, test := range []struct {
		name string
		args Args
		want string
	}{
		{"as it is", Args{}, "README.md (6 bytes)\ncmd/\n  a/\nempty/\nlink (link)\n\"odd\\nname\" (0 bytes)\n\n(3 files, 3 directories)\n" + leftOutNote},
		{"one level", Args{Path: "/workspace", Depth: 1}, "README.md (6 bytes)\ncmd/\nempty/\nlink (link)\n\"odd\\nname\" (0 bytes)\n\n(3 files, 2 directories)\n" + leftOutNote},
		{"a directory", Args{Path: "cmd/", Depth: 9}, "a/\n  deep/\n    x.go (0 bytes)\n  main.go (1 byte)\n\n(2 files, 2 directories)\n"},
		{"hidden and ignored", Args{IncludeHidden: true, IncludeIgnored: true, Depth: 1, Limit: 3}, ".env (4 bytes)\n.gitignore (14 bytes)\nREADME.md (6 bytes)\n\n(3 of 8 entries shown: 5 files, 3 directories; give path or depth, or set limit)\n"},
		{"nothing", Args{Path: "empty"}, "(empty has nothing to show)\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out tooltest.Output
			if err := Run(workspaceFiles, test.args, &out); err != nil {
				t.Fatal(err)
			}
			if out.String() != test.want {
				t.Errorf("got\n%s\nwant\n%s", out.String(), test.want)
			}
		})
	}
}

func TestRun_metadata(t *testing.T) {
	var out tooltest.Output
	if err := Run(workspaceFiles, Args{Limit: 1}, &out); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"path": ".", "files": 3., "directories": 3., "hidden": 2., "ignored": 1., "truncated": true}
	if got := out.Result(); got.Title != "Listed ." || !maps.Equal(got.Metadata, want) {
		t.Errorf("got %q and %v", got.Title, got.Metadata)
	}
}

func TestRun_errors(t *testing.T) {
	for _, test := range []struct {
		args Args
		want string
	}{
		{Args{Path: "README.md"}, "path: README.md is a file, not a directory; use read"},
		{Args{Path: "cmf"}, "path: cmf does not exist in the workspace; did you mean cmd?"},
		{Args{Path: "../x"}, "path: ../x is outside the workspace"},
		{Args{Depth: -1}, "the argument \"depth\" is -1; it must be at least 1"},
		{Args{Limit: -1}, "the argument \"limit\" is -1; it must be at least 1"},
	} {
		var out tooltest.Output
		if err := Run(workspaceFiles, test.args, &out); err == nil || !strings.Contains(err.Error(), test.want) || out.Len() > 0 {
			t.Errorf("%+v: got %v, want %s", test.args, err, test.want)
		}
	}
}

// Entries after the limit are counted, but not shown.
func TestRun_large(t *testing.T) {
	fsys := fstest.MapFS{}
	for i := range 3000 {
		fsys[fmt.Sprintf("%s%d", strings.Repeat("n", 100), i)] = &fstest.MapFile{}
	}
	var out tooltest.Output
	if err := Run(fsys, Args{Limit: 1000000}, &out); err != nil {
		t.Fatal(err)
	}
	if out.Len() > maxOutput+500 || !strings.Contains(out.String(), "of 3000 entries shown: 3000 files, 0 directories") {
		t.Errorf("got %d bytes that end in %q", out.Len(), out.String()[out.Len()-200:])
	}
}

func TestRun_details(t *testing.T) {
	fsys := fstest.MapFS{"a.txt": {Data: []byte("abc")}, "dir/b": {}, "pipe": {Mode: fs.ModeNamedPipe}}
	for _, test := range []struct {
		args Args
		want string
	}{
		{Args{}, `{"path":".","files":3,"directories":1,"truncated":false,"ignored":0,"hidden":0,"entries":[{"path":"a.txt","kind":"file","size":3},` +
			`{"path":"dir","kind":"directory"},{"path":"dir/b","kind":"file","size":0},{"path":"pipe","kind":"other"}]}`},
		{Args{Path: "dir", Limit: 1}, `{"path":"dir","files":1,"directories":0,"truncated":false,"ignored":0,"hidden":0,"entries":[{"path":"dir/b","kind":"file","size":0}]}`},
		{Args{Limit: 1}, `{"path":".","files":3,"directories":1,"truncated":true,"ignored":0,"hidden":0,"entries":[{"path":"a.txt","kind":"file","size":3}]}`},
	} {
		var out tooltest.Output
		if err := Run(fsys, test.args, &out); err != nil {
			t.Fatal(err)
		}
		tooltest.SameJSON(t, out.Result().Structured, test.want)
	}
}
