package edit

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// apply makes one edit and returns the new content and the report.
func apply(data []byte, shown string, edit Edit) (changed, report []byte, err error) {
	done, err := Apply(data, shown, []Edit{edit}, func(int) string { return "" })
	if err != nil {
		return nil, nil, err
	}
	return done.Content, done.Report(shown, 1), nil
}

func TestApply(t *testing.T) {
	tests := []struct {
		name           string
		data, old, new string
		all            bool
		want           string
		diff           string // parts that the report must contain
	}{
		{name: "one line", data: "a\nb\nc\n", old: "b", new: "x", want: "a\nx\nc\n", diff: "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"},
		{name: "delete a line", data: "a\nb\nc\n", old: "b\n", want: "a\nc\n", diff: "@@ -1,3 +1,2 @@\n a\n-b\n c\n"},
		{name: "delete all", data: "a\n", old: "a\n", want: "", diff: "@@ -1 +0,0 @@\n-a\n"},
		{name: "within a line", data: "f(a, b)\n", old: "a, b", new: "b", want: "f(b)\n", diff: "-f(a, b)\n+f(b)\n"},
		{name: "several lines", data: "a\nb\nc\n", old: "a\nb", new: "a\nx\nb", want: "a\nx\nb\nc\n", diff: "@@ -1,3 +1,4 @@\n a\n+x\n b\n c\n"},
		{name: "no end of the last line", data: "a\nb", old: "b", new: "c", want: "a\nc", diff: "-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"},
		{name: "end of the last line is added", data: "a", old: "a", new: "a\n", want: "a\n", diff: "-a\n\\ No newline at end of file\n+a\n"},

		{name: "all", data: "a b a\nc\na\n", old: "a", new: "xx", all: true, want: "xx b xx\nc\nxx\n", diff: "3 replacements\n--- f\n+++ f\n@@ -1,3 +1,3 @@\n-a b a\n+xx b xx\n c\n-a\n+xx\n"},
		{name: "all is one", data: "a\n", old: "a", new: "b", all: true, want: "b\n", diff: "1 replacement\n"},
		{name: "all without overlap", data: "aaaaa", old: "aa", new: "b", all: true, want: "bba"},

		// Special characters of patterns are literal in old_string and new_string.
		{name: "dollar signs", data: "cost\n", old: "cost", new: "$& $1 $$ ${a} \\1 \\0 %s %d", want: "$& $1 $$ ${a} \\1 \\0 %s %d\n"},
		{name: "pattern in old_string", data: "abc a.c [x]* \\1 $\n", old: "a.c [x]* \\1 $", new: "", want: "abc \n"},
		{name: "all with dollar signs", data: "a a", old: "a", new: "$&\\n", all: true, want: "$&\\n $&\\n"},
		{name: "curly quotes stay", data: "“a” ‘b’ it’s\n", old: "it’s", new: "it's “so”", want: "“a” ‘b’ it's “so”\n"},
		{name: "NUL far in the file", data: strings.Repeat("a", 5000) + "\x00x", old: "x", new: "y", want: strings.Repeat("a", 5000) + "\x00y"},

		{name: "CRLF", data: "a\r\nb\r\nc\r\n", old: "b\nc", new: "x\ny\nz", want: "a\r\nx\r\ny\r\nz\r\n", diff: " a\n-b\n-c\n+x\n+y\n+z\n"},
		{name: "CRLF, all", data: "a\r\nb\r\na\r\n", old: "a\n", new: "x\ny\n", all: true, want: "x\r\ny\r\nb\r\nx\r\ny\r\n"},
		{name: "CRLF, delete", data: "a\r\nb\r\nc\r\n", old: "b\n", want: "a\r\nc\r\n"},
		{name: "CRLF, at the start", data: "a\r\nb\r\n", old: "a\n", new: "n\na\n", want: "n\r\na\r\nb\r\n"},
		{name: "CRLF, at the end", data: "a\r\nb\r\n", old: "b\n", new: "b\nn\n", want: "a\r\nb\r\nn\r\n"},
		{name: "CRLF, the end without one", data: "a\r\nb", old: "\nb", new: "\nb\nn", want: "a\r\nb\r\nn"},
		{name: "CRLF, line end first", data: "a\r\nb\r\n", old: "\nb", new: "", want: "a\r\n"},
		{name: "CRLF in new_string already", data: "a\r\nb\r\n", old: "b", new: "x\r\ny\nz", want: "a\r\nx\r\ny\r\nz\r\n"},
		{name: "CRLF in a line", data: "a\r\nb\r\n", old: "b", new: "x\ny", want: "a\r\nx\r\ny\r\n"},
		{name: "CRLF spelt out", data: "a\r\nb\r\n", old: "a\r\nb", new: "x\r\ny", want: "x\r\ny\r\n"},
		{name: "CRLF to LF", data: "a\r\nb\r\n", old: "a\r\n", new: "a\n", want: "a\nb\r\n", diff: "-a\\r\n+a\n b\\r\n"},
		{name: "LF to CRLF", data: "a\nb\n", old: "a\n", new: "a\r\n", want: "a\r\nb\n", diff: "-a\n+a\\r\n b\n"},
		{name: "all CRLF to LF", data: "a\r\nb\r\n", old: "\r\n", new: "\n", all: true, want: "a\nb\n"},
		{name: "CR alone", data: "a\rb\rc", old: "\rb", new: "\rx", want: "a\rx\rc"},
		{name: "CR before CRLF", data: "a\r\r\nb\r\n", old: "\nb", new: "\nx", want: "a\r\r\nx\r\n"},

		{name: "mixed, match with both", data: "a\r\nb\nc\r\nd\n", old: "a\nb\nc", new: "a\nb\nx", want: "a\r\nb\nx\r\nd\n", diff: " a\n b\n-c\n+x\n d\n"},
		{name: "mixed, line put in", data: "a\r\nb\nc\n", old: "a\nb\nc", new: "a\nx\nb\nc", want: "a\r\nx\nb\nc\n"},
		{name: "mixed, line taken out", data: "a\r\nb\r\nc\nd\n", old: "a\nb\nc\nd", new: "a\nc\nd", want: "a\r\nc\nd\n"},
		{name: "mixed, in a CRLF line", data: "a\nb\r\nc\n", old: "b", new: "x\ny", want: "a\nx\r\ny\r\nc\n"},
		{name: "mixed, in an LF line", data: "a\r\nb\nc\n", old: "b", new: "x\ny", want: "a\r\nx\ny\nc\n"},
		{name: "mixed, after the last line end", data: "a\nb\r\nc", old: "c", new: "x\ny", want: "a\nb\r\nx\r\ny"},
		{name: "mixed, spelt out", data: "a\r\nb\nc\n", old: "b", new: "x\r\ny", want: "a\r\nx\r\ny\nc\n"},
		{name: "mixed, all", data: "a\r\nb\na\nb\r\n", old: "a\nb", new: "a\nb\nc", all: true, want: "a\r\nb\r\nc\na\nb\nc\r\n"},

		{name: "byte order mark", data: "\xef\xbb\xbfa\nb\n", old: "a\n", new: "ä\n", want: "\xef\xbb\xbfä\nb\n"},
		{name: "UTF-16 LE", data: "\xff\xfea\x00\r\x00\n\x00b\x00", old: "a\nb", new: "ü\n😀", want: "\xff\xfe\xfc\x00\r\x00\n\x00\x3d\xd8\x00\xde"},
		{name: "UTF-16 BE", data: "\xfe\xff\x00a\x00b", old: "b", new: "ü", want: "\xfe\xff\x00a\x00\xfc"},
		{name: "UTF-16 that is broken elsewhere", data: "\xff\xfea\x00\x00\xd8b\x00\x00\xdcc\x00\xff", old: "b", new: "x", want: "\xff\xfea\x00\x00\xd8x\x00\x00\xdcc\x00\xff"},
		{name: "no match across characters of UTF-16", data: "\xff\xfe\x00a\x00b\x61\x00", old: "a", new: "x", want: "\xff\xfe\x00a\x00b\x78\x00"},
		{name: "GBK and CRLF", data: "\xc4\xe3\xba\xc3\r\nport = 80\r\n\xd6\xd0\x41\r\n", old: "port = 80\n", new: "port = 81\nx = 1\n", want: "\xc4\xe3\xba\xc3\r\nport = 81\r\nx = 1\r\n\xd6\xd0\x41\r\n"},
		{name: "Latin-1", data: "caf\xe9 = 1\n", old: " = 1", new: " = 2", want: "caf\xe9 = 2\n"},
		{name: "Latin-1, all", data: "\xe9\n1\n\xe9\n1\n", old: "\n1", new: "", all: true, want: "\xe9\n\xe9\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			data := []byte(test.data)
			got, report, err := apply(data, "f", Edit{OldString: test.old, NewString: test.new, ReplaceAll: test.all})
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
			if !strings.Contains(string(report), test.diff) {
				t.Errorf("got the report\n%s\nwant it to contain\n%s", report, test.diff)
			}
			if string(data) != test.data {
				t.Error("the previous content was overwritten")
			}
		})
	}
}

func TestApply_errors(t *testing.T) {
	code := "package a\n\nfunc f(x int) {\n\tg(x)\n\th(\"it’s\")\n}\n"
	tests := []struct {
		name           string
		data, old, new string
		all            bool
		want           string
	}{
		{name: "several", data: "a\nb\na\n", old: "a", want: "old_string matches 2 places in f, at lines 1, 3; include more of the surrounding text to make it unique, or set replace_all"},
		{name: "many", data: strings.Repeat("a\n", 50), old: "a", want: "matches 50 places in f, at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …;"},
		{name: "several but for line ends", data: "a\r\nb\na\nb\n", old: "a\nb", want: "matches 2 places in f, at lines 1, 3;"},
		{name: "overlapping", data: "x\naaa", old: "aa", want: "old_string matches overlapping places in f, from line 2 on"},
		{name: "no change by line ends", data: "a\r\nb\r\n", old: "a\nb", new: "a\r\nb", want: "f would not change: with the line ends of the file, new_string equals old_string"},
		{name: "binary", data: "a\x00b", old: "a", want: "file_path: f is a binary file of 3 bytes; edit changes only text files"},
		{name: "too large afterwards", data: strings.Repeat("a", 1<<20), old: "a", new: strings.Repeat("b", 100), all: true, want: "the file would be larger than the limit of 10485760 bytes"},
		{name: "too large in UTF-16", data: "\xff\xfea\x00", old: "a", new: strings.Repeat("b", 6<<20), want: "the file would be larger"},

		{name: "other characters in an unknown encoding", data: "caf\xe9", old: "caf", new: "käf", want: "new_string has the character 'ä', but the encoding of f is unknown"},
		{name: "other characters wanted in an unknown encoding", data: "caf\xe9", old: "café", want: "old_string has the character 'é', but the encoding of f is unknown"},
		{name: "second half of a character", data: "\n\xc5\x5c\n", old: `\`, new: "/", want: "old_string matches line 2 of f after a byte that is not ASCII"},
		{name: "second half of a character, all", data: "a\n\x81\x61\n", old: "a", new: "b", all: true, want: "old_string matches line 2 of f after"},

		{name: "missing", data: "abc\n", old: "zzzzzz", want: "old_string is not in f, nor is anything similar; use read to see the file"},
		{name: "missing in an empty file", old: "a", want: "old_string is not in f, which is empty"},
		{name: "white space within a line", data: "x = f(a,  b)\n", old: "f(a, b)", want: `old_string would match at line 1 except for white space: line 1 is "x = f(a,  b)", but old_string has "f(a, b)"`},
		{name: "two places but for white space", data: "\ta\n\tb\nx\n  a\n  b\n", old: "a\nb\n", want: "old_string would match at line 1 except for white space"},
		{name: "white space, all", data: "\ta\n", old: "  a", all: true, want: "except for white space"},
		{name: "blank lines", data: "a\n\n\n", old: " \n \n", want: "old_string is not in f"},
		{name: "quotes", data: code, old: `h("it's")`, want: `old_string would match at line 5 except for typographic characters such as quotation marks, dashes or fixed spaces: line 5 is "\th(\"it’s\")", but old_string has "h(\"it's\")"`},
		{name: "fixed space", data: "a\u00a0b", old: "a b", want: `line 1 is "a\u00a0b", but old_string has "a b"`},
		{name: "capitals", data: code, old: "Func F(", want: "old_string would match at line 3 except for capitals"},
		{name: "line numbers", data: code, old: "     3\tfunc f(x int) {\n     4\t\tg(x)", want: "old_string would match without the line numbers that read shows"},
		{name: "backslashes", data: code, old: `func f(x int) {\n\tg(x)`, want: "old_string would match without the additional backslashes"},
		{name: "carriage returns", data: code, old: "package a\r\n\r\nfunc", want: "old_string would match with plain line feeds"},
		{name: "first lines", data: code, old: "func f(x int) {\n\tg(y)\n}", want: `old_string matches from line 3 on, up to its own line 2, which is "\tg(y)"; in the file, this line is "\tg(x)"`},
		{name: "first lines up to the end", data: "a\nb", old: "a\nb\nc", want: `up to its own line 3, which is "c"; the file ends there`},
		{name: "first line in many places", data: "a\n}\nb\n}\n", old: "}\nc", want: "not in f, nor is anything similar"},
		{name: "second line is close", data: "a\n}\n\n}\nfunc main() {\n", old: "}\nfunc mian() {", want: `did you mean line 5, "func main() {", instead of "func mian() {"?`},
		{name: "lines in another order", data: "a\nb\na\n", old: "a\na\nb", want: "all lines of old_string are in the file, but not in this order"},
		{name: "beyond what is searched", data: strings.Repeat("a\n", maxSearched) + "x\ny\n", old: "x\nz", want: "not in f, nor is anything similar"},
		{name: "cut by what is searched", data: strings.Repeat("b", maxSearched) + "bc\n", old: "bb\nx", want: "not in f, nor is anything similar"},
		{name: "closest line", data: code, old: "func f(y int) {", want: `did you mean line 3, "func f(x int) {", instead of "func f(y int) {"?`},
		{name: "closest line of several", data: code, old: "\n\nfunc f(x int, y int) {\n\tg(x)", want: `did you mean line 3, "func f(x int) {",`},
		{name: "closest part of a line", data: "first\n\tif err := g(x); err != nil { return err }\n", old: "err = g(x)", want: `did you mean line 2, "\tif err := g(x); err != nil { return err }", instead of "err = g(x)"?`},
		{
			name: "closest line is cut between characters", data: "一" + strings.Repeat("世", 80) + "\n", old: "二" + strings.Repeat("世", 80),
			want: `did you mean line 1, "一` + strings.Repeat("世", 65) + `"…, instead of "二`,
		},
		{name: "closest line in UTF-16", data: "\xff\xfea\x00b\x00c\x00d\x00", old: "abxd", want: `did you mean line 1, "abcd"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := apply([]byte(test.data), "f", Edit{OldString: test.old, NewString: test.new, ReplaceAll: test.all})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

// The error suggests similar matches, but Apply never replaces them.
func TestApply_isExact(t *testing.T) {
	for _, old := range []string{"a  b", "\ta b", "A b", "a b ", `"q"`, "'r'", "–", "a b\n\n"} {
		if got, _, err := apply([]byte("a b\n“q” ‘r’ -\n"), "f", Edit{OldString: old, NewString: "x", ReplaceAll: true}); err == nil {
			t.Errorf("%q was found: %q", old, got)
		}
	}
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func TestApply_hunks(t *testing.T) {
	data := strings.NewReplacer("line 10\n", "mark\n", "line 17\n", "mark\n", "line 30\n", "mark\n").Replace(numbered(40))
	_, report, err := apply([]byte(data), "f", Edit{OldString: "mark\n", NewString: "one\ntwo\n", ReplaceAll: true})
	if err != nil {
		t.Fatal(err)
	}
	want := `edited f: 3 replacements
--- f
+++ f
@@ -7,14 +7,16 @@
 line 7
 line 8
 line 9
-mark
+one
+two
 line 11
 line 12
 line 13
 line 14
 line 15
 line 16
-mark
+one
+two
 line 18
 line 19
 line 20
@@ -27,7 +29,8 @@
 line 27
 line 28
 line 29
-mark
+one
+two
 line 31
 line 32
 line 33
`
	if string(report) != want {
		t.Errorf("got\n%s\nwant\n%s", report, want)
	}
}

func TestApply_diffIsCut(t *testing.T) {
	for name, test := range map[string]struct{ data, old, new string }{
		"many lines":       {numbered(5000), "line", "row"},
		"many hunks":       {strings.Repeat("a\n"+strings.Repeat("b\n", 20), 500), "a", "c"},
		"long lines":       {strings.Repeat(strings.Repeat("ä", 3000)+"a\n", 300), "ä", "ö"},
		"one line":         {strings.Repeat("a", 1<<20), "a", "bc"},
		"one long text":    {"a", "a", strings.Repeat("x\n", 100000)},
		"controls and bad": {strings.Repeat("\x1b[\xff \n", 5000), " ", ","},
	} {
		t.Run(name, func(t *testing.T) {
			changed, report, err := apply([]byte(test.data), "f", Edit{OldString: test.old, NewString: test.new, ReplaceAll: true})
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.ReplaceAll(test.data, test.old, test.new); string(changed) != want {
				t.Error("the file has different content")
			}
			if len(report) > maxDiffBytes+5*maxDiffChars || bytes.Count(report, []byte("\n")) > 2*maxDiffLines {
				t.Errorf("the report has %d bytes and %d lines", len(report), bytes.Count(report, []byte("\n")))
			}
			if !utf8.Valid(report) {
				t.Error("the report is not UTF-8")
			}
			if note := strings.HasSuffix(string(report), "(the diff is cut here; use read to see the rest)\n"); note == (name == "one line") {
				t.Errorf("a note that the diff is cut: %v", note)
			}
		})
	}
}

func FuzzEdit(f *testing.F) {
	for _, seed := range []struct{ data, old, new string }{
		{"a\nb\n", "a", "$&"},
		{"a\r\nb\r\n", "a\nb", "x\ny\nz"},
		{"a\r\nb\nc", "b\n", "\n\n"},
		{"\r\r\n\n\r", "\n", "x\n"},
		{"aaaa", "aa", "a"},
		{"\xff\xfea\x00\r\x00\n\x00", "\n", "b\n"},
		{"\xef\xbb\xbf“a”\n", "a", "ä"},
		{"\xc4\xe3 \xba\xc3\r\n", " ", "-"},
		{"a\r\nb\r\n", "\r\n", "\n"},
		{"func f() {\n\tx\n}\n", "func f() {\n    x\n", "y"},
	} {
		f.Add([]byte(seed.data), seed.old, seed.new, false)
		f.Add([]byte(seed.data), seed.old, seed.new, true)
	}
	f.Fuzz(func(t *testing.T, data []byte, old, replacement string, all bool) {
		// Skip cases that JSON can't represent or that Run rejects.
		if !utf8.ValidString(old) || !utf8.ValidString(replacement) || old == "" || old == replacement {
			return
		}
		before := bytes.Clone(data)
		changed, report, err := apply(data, "f", Edit{OldString: old, NewString: replacement, ReplaceAll: all})
		if !bytes.Equal(data, before) {
			t.Fatalf("%q was changed in place to %q", before, data)
		}
		if err != nil {
			if !utf8.ValidString(err.Error()) {
				t.Errorf("the error is not UTF-8: %q", err)
			}
			return
		}
		if !utf8.Valid(report) {
			t.Errorf("the report is not UTF-8: %q", report)
		}
		if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
			return // the tests of internal/text cover UTF-16
		}
		if bytes.Contains(report, []byte("(old_string does not occur exactly; ")) {
			return // other tests cover relaxed matches
		}
		if strings.Contains(old, "\r") || !bytes.Contains(data, []byte("\r\n")) {
			body := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
			mark := data[:len(data)-len(body)]
			if want := append(bytes.Clone(mark), bytes.ReplaceAll(body, []byte(old), []byte(replacement))...); !bytes.Equal(changed, want) {
				t.Errorf("got %q, want %q", changed, want)
			}
			return
		}
		// Except for line ends, the result must equal a replacement in the text with LF line ends
		// only.
		body := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
		want := bytes.ReplaceAll(unix(body), []byte(old), []byte(replacement))
		if got := unix(changed[len(data)-len(body):]); !bytes.Equal(got, unix(want)) {
			t.Errorf("got %q, want %q", got, want)
		}
		// The text before the first match and the text after the last match must be unchanged.
		text := unix(body)
		first, last := bytes.Index(text, []byte(old)), 0
		for at := first; at >= 0; {
			last = at + len(old)
			if at = bytes.Index(text[last:], []byte(old)); at >= 0 {
				at += last
			}
		}
		head, tail := original(body, first), original(body, last)
		changedBody := changed[len(data)-len(body):]
		if !bytes.HasPrefix(changedBody, body[:head]) || !bytes.HasSuffix(changedBody, body[tail:]) {
			t.Errorf("%q became %q: bytes outside the match were changed", body, changedBody)
		}
	})
}

func unix(text []byte) []byte {
	return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
}

// original returns the index in text that corresponds to an index in unix(text).
func original(text []byte, at int) int {
	place := 0
	for range at {
		if bytes.HasPrefix(text[place:], []byte("\r\n")) {
			place++
		}
		place++
	}
	return place
}
