package grep

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/guest-examples/internal/tooltest"
)

var tree = fstest.MapFS{
	"README.md":          {Data: []byte("# Title\n\nfunc in prose\n")},
	"cmd/main.go":        {Data: []byte("package main\n\nfunc main() {\n\trun()\n}\n")},
	"cmd/run.go":         {Data: []byte("package main\r\n\r\nfunc run() {\r\n}\r\n")},
	"cmd/run_test.go":    {Data: []byte("package main\n\nfunc TestRun(t *testing.T) {}\n")},
	"lib/a.js":           {Data: []byte("function Foo() {}\nfoo()\nFOO\n")},
	"lib/numbers.txt":    {Data: []byte("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n")},
	"lib/noend.txt":      {Data: []byte("first\nlast")},
	"lib/utf16.txt":      {Data: []byte("\xff\xfew\x00i\x00d\x00e\x00\n\x00")},
	"lib/latin1.txt":     {Data: []byte("caf\xe9 special\n")},
	"bin/tool":           {Data: []byte("\x7fELF\x00func main")},
	".env":               {Data: []byte("SECRET=func\n")},
	".github/ci.yml":     {Data: []byte("run: func\n")},
	".git/config":        {Data: []byte("func\n")},
	"odd/new\nline.txt":  {Data: []byte("func odd\n")},
	"odd/pipe":           {Mode: fs.ModeNamedPipe},
	"wide/minified.js":   {Data: []byte(strings.Repeat("a=1;", 500) + "needle();" + strings.Repeat("b=2;", 500) + "\n")},
	"wide/line-2mib.txt": {Data: []byte(strings.Repeat("z", 3<<19) + "haystack" + strings.Repeat("z", 3<<19) + "\nhaystack\n")},
}

func TestRun(t *testing.T) {
	tests := []struct {
		name string
		args Args
		want string
	}{
		{
			"literal pattern",
			Args{Pattern: "func main"},
			"cmd/main.go:3:func main() {\n\n(2 hidden paths left out; set include_hidden to see them)\n",
		},
		{
			"order and names",
			Args{Pattern: "^func "},
			"README.md:3:func in prose\ncmd/main.go:3:func main() {\ncmd/run.go:3:func run() {\ncmd/run_test.go:3:func TestRun(t *testing.T) {}\n\"odd/new\\nline.txt\":1:func odd\n\n(2 hidden paths left out; set include_hidden to see them)\n",
		},
		{
			"glob by name",
			Args{Pattern: "func", Glob: "*.md"},
			"README.md:3:func in prose\n\n(2 hidden paths left out; set include_hidden to see them)\n",
		},
		{
			"glob by path below path",
			Args{Pattern: "^func", Path: "cmd", Glob: "!*_test.go"},
			"cmd/main.go:3:func main() {\ncmd/run.go:3:func run() {\n",
		},
		{
			"path is a file",
			Args{Pattern: "FUNC", Path: "/workspace/cmd/main.go", IgnoreCase: true, Glob: "*.md"},
			"cmd/main.go:3:func main() {\n",
		},
		{
			"hidden",
			Args{Pattern: "func", Path: ".", IncludeHidden: true, Glob: "{.env,*.yml}"},
			".env:1:SECRET=func\n.github/ci.yml:1:run: func\n",
		},
		{
			"hidden by glob",
			Args{Pattern: "func", Glob: ".github/**"},
			".github/ci.yml:1:run: func\n",
		},
		{
			"hidden by path",
			Args{Pattern: "func", Path: ".git"},
			".git/config:1:func\n",
		},
		{
			"ignoring case",
			Args{Pattern: "foo", Path: "lib", IgnoreCase: true},
			"lib/a.js:1:function Foo() {}\nlib/a.js:2:foo()\nlib/a.js:3:FOO\n",
		},
		{
			"literal",
			Args{Pattern: "foo()", Path: "lib", Literal: true},
			"lib/a.js:2:foo()\n",
		},
		{
			"literal ignoring case",
			Args{Pattern: "FOO()", Path: "lib", Literal: true, IgnoreCase: true},
			"lib/a.js:1:function Foo() {}\nlib/a.js:2:foo()\n",
		},
		{
			"end of a line with CRLF",
			Args{Pattern: `\{$`, Path: "cmd"},
			"cmd/main.go:3:func main() {\ncmd/run.go:3:func run() {\n",
		},
		{
			"empty lines",
			Args{Pattern: "^$", Path: "cmd"},
			"cmd/main.go:2:\ncmd/run.go:2:\ncmd/run_test.go:2:\n",
		},
		{
			"last line without an end",
			Args{Pattern: "last$", Path: "lib"},
			"lib/noend.txt:2:last\n",
		},
		{
			"UTF-16",
			Args{Pattern: "wide", Path: "lib"},
			"lib/utf16.txt:1:wide\n",
		},
		{
			"invalid UTF-8",
			Args{Pattern: "special", Path: "lib"},
			"lib/latin1.txt:1:caf\uFFFD special\n",
		},
		{
			"context",
			Args{Pattern: "^(2|8)$", Path: "lib/numbers.txt", Context: 1},
			"lib/numbers.txt-1-1\nlib/numbers.txt:2:2\nlib/numbers.txt-3-3\n--\nlib/numbers.txt-7-7\nlib/numbers.txt:8:8\nlib/numbers.txt-9-9\n",
		},
		{
			"context that overlaps",
			Args{Pattern: "^(2|4)$", Path: "lib/numbers.txt", Context: 2},
			"lib/numbers.txt-1-1\nlib/numbers.txt:2:2\nlib/numbers.txt-3-3\nlib/numbers.txt:4:4\nlib/numbers.txt-5-5\nlib/numbers.txt-6-6\n",
		},
		{
			"context in several files",
			Args{Pattern: "main", Path: "cmd", Context: 1, MaxResults: 2},
			"cmd/main.go:1:package main\ncmd/main.go-2-\ncmd/main.go:3:func main() {\ncmd/main.go-4-\trun()\n\n(2 of 4 matching lines in 3 files shown; narrow pattern, path or glob, or set max_results)\n",
		},
		{
			"files",
			Args{Pattern: "main", Path: "cmd", OutputMode: Files},
			"cmd/main.go\ncmd/run.go\ncmd/run_test.go\n",
		},
		{
			"some files",
			Args{Pattern: "main", Path: "cmd", OutputMode: Files, MaxResults: 1},
			"cmd/main.go\n\n(1 of 3 files with matches shown; narrow pattern, path or glob, or set max_results)\n",
		},
		{
			"count",
			Args{Pattern: "main", Path: "cmd", OutputMode: Count},
			"cmd/main.go:2\ncmd/run.go:1\ncmd/run_test.go:1\n",
		},
		{
			"some results",
			Args{Pattern: "[0-9]", Path: "lib", MaxResults: 2},
			"lib/numbers.txt:1:1\nlib/numbers.txt:2:2\n\n(2 of 10 matching lines in 1 file shown; narrow pattern, path or glob, or set max_results)\n",
		},
		{
			"nothing",
			Args{Pattern: "nowhere", Path: "bin"},
			"no matches (files searched: 1, binary files skipped: 0)\n",
		},
		{
			"nothing in what is text",
			Args{Pattern: "func main", Path: "bin"},
			"no matches (files searched: 0, binary files skipped: 1)\n",
		},
		{
			"nothing, without a text to look for",
			Args{Pattern: "[x-z]", Path: "bin"},
			"no matches (files searched: 0, binary files skipped: 1)\n",
		},
		{
			"no file",
			Args{Pattern: "func", Glob: "*.rs"},
			"no matches: no file was searched; check path and glob\n\n(2 hidden paths left out; set include_hidden to see them)\n",
		},
		{
			"match far into a line",
			Args{Pattern: `needle\(`, Path: "wide"},
			"wide/minified.js:1:…" + strings.Repeat("a=1;", 25) + "needle();" + strings.Repeat("b=2;", 98)[:391] + "…\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out tooltest.Output
			if err := Run(tree, test.args, &out); err != nil {
				t.Fatal(err)
			}
			if out.String() != test.want {
				t.Errorf("got:\n%.1000s\nwant:\n%.1000s", out.String(), test.want)
			}
		})
	}
}

func TestRun_hugeLine(t *testing.T) {
	var out tooltest.Output
	if err := Run(tree, Args{Pattern: "haystack", Path: "wide", OutputMode: Count}, &out); err != nil {
		t.Fatal(err)
	}
	if want := "wide/line-2mib.txt:2\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	out = tooltest.Output{}
	if err := Run(tree, Args{Pattern: "z", Path: "wide/line-2mib.txt", Context: 1}, &out); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out.String(), "\n"); got != 2 || out.Len() > 2000 {
		t.Errorf("got %d lines in %d bytes, want the match and a line of context", got, out.Len())
	}
}

func TestExcerptKeepsMarksWithTheirLetters(t *testing.T) {
	line := strings.Repeat("e\u0301", 2*MaxLineChars)
	for at := 0; at < len(line); at += len("e\u0301") {
		shown := strings.Trim(string(excerpt([]byte(line), at)), cutMark)
		if strings.Count(shown, "e\u0301")*len("e\u0301") != len(shown) {
			t.Fatalf("the excerpt around byte %d separates a letter from its accent: %q", at, shown)
		}
	}
}

func TestRun_outputLimit(t *testing.T) {
	fsys := fstest.MapFS{"f": {Data: []byte(strings.Repeat(strings.Repeat("ä", 490)+"\n", 2000))}}
	for _, context := range []int{0, 3} {
		t.Run(fmt.Sprint("context ", context), func(t *testing.T) {
			args := Args{Pattern: "ä", MaxResults: 1000}
			if context > 0 {
				args.Context = 3
			}
			var out tooltest.Output
			if err := Run(fsys, args, &out); err != nil {
				t.Fatal(err)
			}
			if out.Len() > MaxOutput+4*MaxLineChars {
				t.Errorf("the output has %d bytes", out.Len())
			}
			shown := strings.Count(out.String(), "ä\n")
			if want := fmt.Sprintf("(%d of 2000 matching lines in 1 file shown;", shown); !strings.Contains(out.String(), want) {
				t.Errorf("lacks %q, ends in %q", want, out.String()[out.Len()-150:])
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
		{"no pattern", Args{}, "the argument \"pattern\" is empty"},
		{"bad pattern", Args{Pattern: "func("}, "pattern: missing closing ): \"func(\"; correct it, or set literal to search for it literally"},
		{"lookahead", Args{Pattern: "a(?=b)"}, "RE2 syntax has no lookaround"},
		{"back reference", Args{Pattern: `(a)\1`}, "RE2 syntax has no lookaround and no backreferences"},
		{"huge repetition", Args{Pattern: "((a{1000}){1000}){1000}"}, "make it simpler"},
		{"line break", Args{Pattern: "a\nb"}, "grep matches within lines"},
		{"line break in the syntax", Args{Pattern: `{\n\s*}`}, "grep matches within lines"},
		{"long pattern", Args{Pattern: strings.Repeat("a", 5000)}, "the argument \"pattern\" is longer than 4096 bytes"},
		{"bad glob", Args{Pattern: "a", Glob: "[a"}, `glob: "[a" is not a valid glob`},
		{"missing path", Args{Pattern: "a", Path: "cdm"}, "path: cdm does not exist in the workspace"},
		{"outside", Args{Pattern: "a", Path: "/etc"}, "path: /etc is outside the workspace"},
		{"NUL", Args{Pattern: "a", Path: "a\x00"}, "the argument \"path\" contains a NUL byte"},
		{"binary file", Args{Pattern: "a", Path: "bin/tool"}, "path: bin/tool is a binary file; grep searches only text"},
		{"mode", Args{Pattern: "a", OutputMode: "lines"}, `output_mode is "lines"; it must be content, files or count`},
		{"context", Args{Pattern: "a", Context: -1}, "the argument \"context\" is -1"},
		{"max_results", Args{Pattern: "a", MaxResults: -5}, "max_results is -5"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := Run(tree, test.args, &tooltest.Output{})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// A glob that is a path finds its file, even if the file is ignored or hidden.
func TestGlobIsAPath(t *testing.T) {
	fsys := fstest.MapFS{".gitignore": {Data: []byte("out/\n")}, "out/.c": {Data: []byte("x\n")}, "a": {Data: []byte("x\n")}, "sub/out/.c": {Data: []byte("x\n")}}
	for _, test := range []struct{ path, glob, want string }{
		{"", "out/.c", "out/.c:1:x\n"},
		{"sub", "./out/.c", "sub/out/.c:1:x\n"},
		{"", "out/none", "no matches: no file was searched; check path and glob\n"},
		{"", "sub/out", "no matches: no file was searched; check path and glob\n"},
	} {
		var out tooltest.Output
		if err := Run(fsys, Args{Pattern: "x", Path: test.path, Glob: test.glob}, &out); err != nil || out.String() != test.want {
			t.Errorf("%s in %q: got %q, %v; want %q", test.glob, test.path, out.String(), err, test.want)
		}
	}
}

func TestRun_unreadable(t *testing.T) {
	for _, refused := range []string{"cmd/main.go", "lib"} {
		var out tooltest.Output
		if err := Run(tooltest.Refusing{FS: tree, Path: refused}, Args{Pattern: "func run"}, &out); err != nil {
			t.Fatal(err)
		}
		if want := "cmd/run.go:3:func run() {\n\n(2 hidden paths left out; set include_hidden to see them)\n\n(1 path could not be read: " + refused + ")\n"; out.String() != want {
			t.Errorf("%s: got %q, want %q", refused, out.String(), want)
		}
	}
	err := Run(tooltest.Refusing{FS: tree, Path: "lib"}, Args{Pattern: "x", Path: "lib"}, &tooltest.Output{})
	if err == nil || err.Error() != "path: lib can't be read: permission denied" {
		t.Errorf("got %v", err)
	}
}

func TestRun_links(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("needle\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.txt", filepath.Join(dir, "link.txt")); err != nil {
		t.Skip("no links here:", err)
	}
	if err := os.Symlink(".", filepath.Join(dir, "loop")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{".": "a.txt:1:needle\n", "link.txt": "link.txt:1:needle\n"} {
		var out tooltest.Output
		if err := Run(os.DirFS(dir), Args{Pattern: "needle", Path: path}, &out); err != nil || out.String() != want {
			t.Errorf("%s: got %q, %v; want %q", path, out.String(), err, want)
		}
	}
}

func TestScanner_failingReader(t *testing.T) {
	m, err := compile("a", false, false, false)
	if err != nil {
		t.Fatal(err)
	}
	failure := errors.New("disk on fire")
	s := scanner{matcher: m}
	if err := s.scan(failingReader{failure}, func(hit) bool { return true }); !errors.Is(err, failure) {
		t.Errorf("got %v", err)
	}
}

type failingReader struct{ err error }

func (r failingReader) Read([]byte) (int, error) { return 0, r.err }

func TestRequired(t *testing.T) {
	tests := []struct {
		pattern    string
		ignoreCase bool
		want       string
		fold       bool
	}{
		{pattern: "func main", want: "func main"},
		{pattern: `\bfunc\s+(\w+)Handler\(`, want: "Handler("},
		{pattern: "foo|barbaz", want: "foo barbaz"},
		{pattern: "(foo|bar)+x", want: "foo bar"},
		{pattern: "(abc){2,3}", want: "abc"},
		{pattern: "(abc)?d", want: "d"},
		{pattern: "a*"},
		{pattern: `\d+`},
		{pattern: "abc|.*"},
		{pattern: "a|b|c|d|e|f|g|h|i|ja"},
		{pattern: "Mixed", ignoreCase: true, want: "mixed", fold: true},
		{pattern: "Password", ignoreCase: true, want: "word", fold: true},
		{pattern: "SKS", ignoreCase: true},
		{pattern: "(?i:foo)|Bar", want: "foo bar", fold: true},
		{pattern: "(?i:foo)|ÉK", want: "foo Ék", fold: true},
		{pattern: `\x{FFFD}`},
	}
	for _, test := range tests {
		t.Run(test.pattern, func(t *testing.T) {
			m, err := compile(test.pattern, test.ignoreCase, false, false)
			if err != nil {
				t.Fatal(err)
			}
			var texts []string
			for _, n := range m.needles {
				texts = append(texts, string(n.Text))
				if n.Fold != test.fold {
					t.Errorf("%q has fold %v, want %v", n.Text, n.Fold, test.fold)
				}
			}
			if got := strings.Join(texts, " "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// FuzzScanner compares the results of the scanner with the results of matching each line.
func FuzzScanner(f *testing.F) {
	for _, seed := range []struct {
		pattern, text string
		fold          bool
	}{
		{"func main", "a\nfunc main\r\nb", false},
		{"^$", "\n\nx\n", false},
		{"foo|BAR", "bar\nFoo\n", true},
		{"k", "\u212a\nK\n", true},
		{"stra[sß]e", "Straße\n\u017ftrase\n", true},
		{`\x{FFFD}a`, "\xffa\n", false},
		{"(?i:xy)|ÉA|KS", "\u00c9A\nXY\nks\nKS\n", false},
		{`(a+)+$`, "aaaaaaaaaaaaaaab\n", false},
		{`\bx\z`, "x\ny x\nxy", false},
		{`(?s).`, "\r\n\r\r\n", false},
	} {
		f.Add(seed.pattern, seed.text, seed.fold)
	}
	f.Fuzz(func(t *testing.T, pattern, text string, fold bool) {
		m, err := compile(pattern, fold, false, false)
		if err != nil {
			return
		}
		if fold {
			pattern = "(?i)" + pattern
		}
		re := regexp.MustCompile(pattern)
		var want []string
		lines := strings.Split(text, "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		for i, line := range lines {
			if i < len(lines)-1 || strings.HasSuffix(text, "\n") {
				line = strings.TrimSuffix(line, "\r")
			}
			if re.MatchString(line) {
				want = append(want, fmt.Sprintf("%d:%s", i+1, line))
			}
		}
		var got []string
		s := scanner{matcher: m}
		if err := s.scan(strings.NewReader(text), func(h hit) bool {
			got = append(got, fmt.Sprintf("%d:%s", h.number, h.line))
			return true
		}); err != nil {
			t.Fatal(err)
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%q in %q: got %q, want %q", pattern, text, got, want)
		}
	})
}

func FuzzRun(f *testing.F) {
	f.Add("a", "*.go", ".", []byte("abc\n"))
	f.Add("[", "{a,{b}}", "../x", []byte("\xff\xfe"))
	f.Add("(?i)x|y", "!**/[a-z]*", "/workspace/a", []byte("x\x00"))
	f.Fuzz(func(t *testing.T, pattern, glob, path string, data []byte) {
		fsys := fstest.MapFS{"a/b.go": {Data: data}, "c": {Data: data}}
		var out tooltest.Output
		err := Run(fsys, Args{Pattern: pattern, Glob: glob, Path: path, Context: 1}, &out)
		if err == nil && !utf8.ValidString(out.String()) {
			t.Errorf("output is not UTF-8: %q", out.String())
		}
		if err != nil && !utf8.ValidString(err.Error()) {
			t.Errorf("error is not UTF-8: %q", err)
		}
	})
}

func TestRun_metadata(t *testing.T) {
	fsys := fstest.MapFS{".gitignore": {Data: []byte("out/\n")}, "a.go": {Data: []byte("x\nx\n")}, "b.go": {Data: []byte("x\n")}, "out/c.go": {Data: []byte("x\n")}}
	for _, test := range []struct {
		args      Args
		title     string
		count     float64
		truncated bool
		ignored   float64
	}{
		{Args{Pattern: "x"}, "Found 3 matching lines in 2 files", 3, false, 1},
		{Args{Pattern: "x", MaxResults: 1}, "Found 3 matching lines in 2 files", 3, true, 1},
		{Args{Pattern: "x", OutputMode: Files}, "Found 2 files", 2, false, 1},
		{Args{Pattern: "x", IncludeIgnored: true}, "Found 4 matching lines in 3 files", 4, false, 0},
		{Args{Pattern: "x", Path: "out"}, "Found 1 matching line in 1 file", 1, false, 0},
	} {
		var out tooltest.Output
		if err := Run(fsys, test.args, &out); err != nil {
			t.Fatal(err)
		}
		got := out.Result()
		if m := got.Metadata; got.Title != test.title || m["count"] != test.count || m["truncated"] != test.truncated || m["ignored"] != test.ignored || m["pattern"] != "x" {
			t.Errorf("%+v: got %q and %v", test.args, got.Title, m)
		}
		if told := strings.Contains(out.String(), "1 path ignored by .gitignore"); told != (test.ignored > 0) {
			t.Errorf("%+v: the text reports what was ignored: %v", test.args, told)
		}
	}
}

func TestRun_words(t *testing.T) {
	fsys := fstest.MapFS{"a": {Data: []byte("1\nsetting\nset x\n2\nunset\nreset(set)\nSET\n3\n")}}
	for _, test := range []struct {
		args Args
		want string
	}{
		{Args{Pattern: "set", Word: true}, "a:3:set x\na:6:reset(set)\n"},
		{Args{Pattern: "set", Word: true, IgnoreCase: true, Literal: true}, "a:3:set x\na:6:reset(set)\na:7:SET\n"},
		{Args{Pattern: "un|re", Word: true}, "no matches (files searched: 1, binary files skipped: 0)\n"},
		{Args{Pattern: "set x", Before: 1}, "a-2-setting\na:3:set x\n"},
		{Args{Pattern: "set x", After: 1}, "a:3:set x\na-4-2\n"},
		{Args{Pattern: "set x", Context: 1, After: 2}, "a-2-setting\na:3:set x\na-4-2\na-5-unset\n"},
	} {
		var out tooltest.Output
		if err := Run(fsys, test.args, &out); err != nil {
			t.Fatal(err)
		}
		if out.String() != test.want {
			t.Errorf("%+v: got\n%s\nwant\n%s", test.args, out.String(), test.want)
		}
	}
	for _, args := range []Args{{Pattern: "a)(b", Word: true}, {Pattern: "a", After: -1}} {
		var out tooltest.Output
		if err := Run(fsys, args, &out); err == nil || out.Len() > 0 {
			t.Errorf("%+v: got %v", args, err)
		}
	}
}

// The details have the place of each line that the text shows.
func TestRun_details(t *testing.T) {
	fsys := fstest.MapFS{"a.txt": {Data: []byte("x\ny\nx\n")}, "b.txt": {Data: []byte("x\n")}}
	for _, test := range []struct {
		args Args
		want string
	}{
		{Args{Pattern: "x"}, `{"count":3,"fileCount":2,"truncated":false,"matches":[{"path":"a.txt","line":1},{"path":"a.txt","line":3},{"path":"b.txt","line":1}]}`},
		{Args{Pattern: "x", Context: 1}, `{"count":3,"fileCount":2,"truncated":false,"matches":[{"path":"a.txt","line":1},{"path":"a.txt","line":3},{"path":"b.txt","line":1}]}`},
		{Args{Pattern: "x", MaxResults: 1}, `{"count":3,"fileCount":2,"truncated":true,"matches":[{"path":"a.txt","line":1}]}`},
		{Args{Pattern: "x", OutputMode: Count}, `{"count":2,"fileCount":2,"truncated":false,"matches":[{"path":"a.txt","count":2},{"path":"b.txt","count":1}]}`},
		{Args{Pattern: "x", OutputMode: Files, MaxResults: 1}, `{"count":2,"fileCount":2,"truncated":true,"matches":[{"path":"a.txt"}]}`},
		{Args{Pattern: "z"}, `{"count":0,"fileCount":0,"truncated":false,"matches":[]}`},
	} {
		var out tooltest.Output
		if err := Run(fsys, test.args, &out); err != nil {
			t.Fatal(err)
		}
		want := `{"pattern":"` + test.args.Pattern + `","searchPath":".","ignored":0,"hidden":0,` + test.want[1:]
		tooltest.SameJSON(t, out.Result().Structured, want)
	}
}
