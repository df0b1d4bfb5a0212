package glob

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/guest-examples/internal/toolabi"
	"github.com/wasmtool/wasmtool/guest-examples/internal/tooltest"
)

// at returns a file whose modification time is the given number of minutes after a fixed time.
func at(minutes int) *fstest.MapFile {
	return &fstest.MapFile{ModTime: time.Date(2026, 1, 1, 0, minutes, 0, 0, time.UTC)}
}

var tree = fstest.MapFS{
	"main.go":              at(1),
	"go.mod":               at(9),
	"cmd/tool/main.go":     at(5),
	"cmd/tool/main_a.go":   at(3),
	"cmd/tool/main_b.go":   at(3),
	"cmd/readme.md":        at(2),
	"web/app.ts":           at(4),
	"web/app.tsx":          at(6),
	"web/{x}.ts":           at(7),
	".env":                 at(1),
	".github/w/ci.yml":     at(1),
	".github/w/.hidden":    at(1),
	".git/config":          at(1),
	"odd/new\nline.go.txt": at(1),
	"odd/pipe.txt":         {Mode: fs.ModeNamedPipe},
}

func TestRun(t *testing.T) {
	tests := []struct {
		name string
		args Args
		want string
	}{
		{"newest first, then by name", Args{Pattern: "**/*.go"}, "cmd/tool/main.go\ncmd/tool/main_a.go\ncmd/tool/main_b.go\nmain.go\n\n(2 hidden paths left out; set include_hidden to see them)\n"},
		{"in the directory only", Args{Pattern: "*.go"}, "main.go\n\n(2 hidden paths left out; set include_hidden to see them)\n"},
		{"below path", Args{Pattern: "*/*.go", Path: "cmd"}, "cmd/tool/main.go\ncmd/tool/main_a.go\ncmd/tool/main_b.go\n"},
		{"absolute path", Args{Pattern: "*.md", Path: "/workspace/cmd"}, "cmd/readme.md\n"},
		{"absolute pattern", Args{Pattern: "/workspace/cmd/**/*.md"}, "cmd/readme.md\n"},
		{"fixed directory in front", Args{Pattern: "./cmd//tool/*_?.go"}, "cmd/tool/main_a.go\ncmd/tool/main_b.go\n"},
		{"out of a directory and in again", Args{Pattern: "../web/*.tsx", Path: "cmd"}, "web/app.tsx\n"},
		{"one file", Args{Pattern: "cmd/readme.md"}, "cmd/readme.md\n"},
		{"alternatives", Args{Pattern: "web/*.{ts,tsx}"}, "web/{x}.ts\nweb/app.tsx\nweb/app.ts\n"},
		{"alternatives with slashes", Args{Pattern: "{web,cmd/tool}/{app.ts,main.go}"}, "cmd/tool/main.go\nweb/app.ts\n\n(2 hidden paths left out; set include_hidden to see them)\n"},
		{"escaped", Args{Pattern: `web/\{x\}.*`}, "web/{x}.ts\n"},
		{"limit", Args{Pattern: "**/*.go", Limit: 2}, "cmd/tool/main.go\ncmd/tool/main_a.go\n\n(the newest 2 of 4 files shown; narrow pattern or path, or set limit)\n\n(2 hidden paths left out; set include_hidden to see them)\n"},
		{"hidden by pattern", Args{Pattern: "**/.env"}, ".env\n"},
		{"hidden directory by pattern", Args{Pattern: ".github/**/*.yml"}, ".github/w/ci.yml\n\n(1 hidden path left out; set include_hidden to see them)\n"},
		{"hidden in a hidden directory", Args{Pattern: ".github/**"}, ".github/w/ci.yml\n\n(1 hidden path left out; set include_hidden to see them)\n"},
		{"hidden", Args{Pattern: "**/.*", IncludeHidden: true}, ".env\n.github/w/.hidden\n"},
		{".git by name", Args{Pattern: "*", Path: ".git"}, ".git/config\n"},
		{"odd name, no pipe", Args{Pattern: "odd/*.txt"}, "\"odd/new\\nline.go.txt\"\n"},
		{"nothing", Args{Pattern: "cmd/*.rs"}, "no files match\n"},
		{"nothing, with a hint", Args{Pattern: "*.md"}, "no files match; *.md searches only the directory itself, **/*.md also those below it\n\n(2 hidden paths left out; set include_hidden to see them)\n"},
		{"POSIX classes", Args{Pattern: "web/[[:alpha:]]*.ts"}, "web/app.ts\n"},
		{"a set without a slash", Args{Pattern: "web/[^/]*.tsx"}, "web/app.tsx\n"},
		{"the path of a hidden file", Args{Pattern: ".github/w/.hidden"}, ".github/w/.hidden\n"},
		{"directories don't count", Args{Pattern: "cmd"}, "no files match; cmd searches only the directory itself, **/cmd also those below it\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out tooltest.Output
			if err := Run(tree, test.args, &out); err != nil {
				t.Fatal(err)
			}
			if out.String() != test.want {
				t.Errorf("got:\n%s\nwant:\n%s", out.String(), test.want)
			}
		})
	}
}

func TestRun_errors(t *testing.T) {
	tests := []struct {
		name string
		args Args
		want string
	}{
		{"no pattern", Args{}, "the argument \"pattern\" is empty; use **/* to list all files"},
		{"bad pattern", Args{Pattern: "{a"}, `pattern: "{a" is not a valid glob`},
		{"a slash in brackets", Args{Pattern: "cmd[/]*.md"}, `pattern: "cmd[/]*.md" is not a valid glob: a / in brackets matches nothing`},
		{"an unknown class", Args{Pattern: "[[:letter:]]"}, "there is no class [:letter:]"},
		{"pattern outside", Args{Pattern: "../*"}, "pattern: .. is outside the workspace"},
		{"pattern outside by far", Args{Pattern: "/etc/*"}, "pattern: /etc is outside the workspace"},
		{"pattern out of path", Args{Pattern: "../../*", Path: "cmd"}, "outside the workspace"},
		{"dots after a wildcard", Args{Pattern: "*/../../x"}, "pattern: .. can't follow a wildcard"},
		{"path outside", Args{Pattern: "*", Path: "/"}, "path: / is outside the workspace"},
		{"NUL", Args{Pattern: "a\x00/*"}, "the argument \"pattern\" contains a NUL byte"},
		{"missing directory", Args{Pattern: "cdm/*.go"}, "path or pattern: cdm does not exist in the workspace"},
		{"path is a file", Args{Pattern: "*", Path: "main.go"}, "main.go is not a directory"},
		{"limit", Args{Pattern: "*", Limit: -1}, "the argument \"limit\" is -1; it must be at least 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out tooltest.Output
			err := Run(tree, test.args, &out)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %q, %v; want the error %s", out.String(), err, test.want)
			}
		})
	}
}

func TestRun_keepsTheNewestOfMany(t *testing.T) {
	fsys := fstest.MapFS{}
	for i := range 3000 {
		// Neither the names nor the order of the walk are in the order of the times.
		fsys[fmt.Sprintf("f%04d", i*7%3000)] = at(i)
	}
	var out tooltest.Output
	if err := Run(fsys, Args{Pattern: "*", Limit: 3}, &out); err != nil {
		t.Fatal(err)
	}
	want := "f2993\nf2986\nf2979\n\n(the newest 3 of 3000 files shown; narrow pattern or path, or set limit)\n"
	if out.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", out.String(), want)
	}
}

func TestRun_links(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("nowhere", filepath.Join(dir, "link")); err != nil {
		t.Skip("no links here:", err)
	}
	if err := os.Symlink(".", filepath.Join(dir, "loop")); err != nil {
		t.Fatal(err)
	}
	var out tooltest.Output
	if err := Run(os.DirFS(dir), Args{Pattern: "**/l*k"}, &out); err != nil || out.String() != "link\n" {
		t.Errorf("got %q, %v", out.String(), err)
	}
}

func FuzzRun(f *testing.F) {
	f.Add("**/*.go", ".", 1)
	f.Add("{a,{b,c}}/[!x]", "/workspace/a", 0)
	f.Add("../*", "a", -1)
	f.Add("/workspace/**", "..", 5)
	f.Add("\x97", "a", 1)
	f.Fuzz(func(t *testing.T, pattern, path string, limit int) {
		fsys := fstest.MapFS{"a/b.go": {}, "a/c/d": {}, ".e": {}}
		var out tooltest.Output
		err := Run(fsys, Args{Pattern: pattern, Path: path, Limit: toolabi.Int(limit)}, &out)
		if err == nil && !utf8.ValidString(out.String()) {
			t.Errorf("output is not UTF-8: %q", out.String())
		}
		if err != nil && !utf8.ValidString(err.Error()) {
			t.Errorf("error is not UTF-8: %q", err)
		}
	})
}

// A pattern without wildcards finds its file, even if the file is ignored or hidden.
func TestExactPath(t *testing.T) {
	fsys := fstest.MapFS{".gitignore": {Data: []byte("out/\n*.log\n")}, "out/.c/d.go": {}, "a.log": {}, "b.log": {}}
	for _, pattern := range []string{"a.log", "out/.c/d.go"} {
		var out tooltest.Output
		if err := Run(fsys, Args{Pattern: pattern}, &out); err != nil || out.String() != pattern+"\n" {
			t.Errorf("%s: got %q, %v", pattern, out.String(), err)
		}
	}
}

func TestRun_metadata(t *testing.T) {
	fsys := fstest.MapFS{".gitignore": {Data: []byte("out/\n")}, "src/a.go": {}, "src/b.go": {}, "out/c.go": {}}
	var out tooltest.Output
	if err := Run(fsys, Args{Pattern: "**/*.go", Limit: 1}, &out); err != nil {
		t.Fatal(err)
	}
	want := "src/a.go\n\n(the newest 1 of 2 files shown; narrow pattern or path, or set limit)\n\n(1 path ignored by .gitignore; set include_ignored to see them)\n(1 hidden path left out; set include_hidden to see them)\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	got := out.Result()
	metadata := map[string]any{"pattern": "**/*.go", "searchPath": ".", "count": 2., "truncated": true, "ignored": 1., "hidden": 1.}
	if got.Title != "Found 2 files" || !maps.Equal(got.Metadata, metadata) {
		t.Errorf("got %q and %v", got.Title, got.Metadata)
	}
	out = tooltest.Output{}
	if err := Run(fsys, Args{Pattern: "**/*.go", IncludeIgnored: true}, &out); err != nil || out.Result().Title != "Found 3 files" {
		t.Errorf("got %q, %v", out.Result().Title, err)
	}
}

// The details have the listed paths as they are, and not as they are shown.
func TestRun_details(t *testing.T) {
	for _, test := range []struct {
		args Args
		want string
	}{
		{Args{Pattern: "**/*.go", Limit: 1}, `{"pattern":"**/*.go","searchPath":".","files":["cmd/tool/main.go"],"count":4,"truncated":true,"ignored":0,"hidden":2}`},
		{Args{Pattern: "*.txt", Path: "odd"}, `{"pattern":"*.txt","searchPath":"odd","files":["odd/new\nline.go.txt"],"count":1,"truncated":false,"ignored":0,"hidden":0}`},
		{Args{Pattern: "*.rs", Path: "cmd"}, `{"pattern":"*.rs","searchPath":"cmd","files":[],"count":0,"truncated":false,"ignored":0,"hidden":0}`},
	} {
		var out tooltest.Output
		if err := Run(tree, test.args, &out); err != nil {
			t.Fatal(err)
		}
		tooltest.SameJSON(t, out.Result().Structured, test.want)
	}
}
