package terminal

import (
	"io"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/plaintext"
)

func plainHeading(s string) string { return s }

// laidOut returns lines as a terminal of this width shows them; 0 means a pipe.
func laidOut(t *testing.T, columns int, header []string, lines ...string) string {
	t.Helper()
	var b strings.Builder
	l := &Layout{Out: &b, Columns: columns, Header: header, Heading: plainHeading}
	io.WriteString(l, strings.Join(lines, "\n")+"\n")
	if err := l.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTablesFitTheTerminal(t *testing.T) {
	header := []string{"NAME", "SOURCE", "DESCRIPTION"}
	rows := []string{
		"grep\tbuiltin\tSearches the files of the workspace for lines that match a regular expression.",
		"搜索\tbuiltin\t在工作区的文件中搜索与正则表达式匹配的行，并返回它们的行号和内容。",
		"cafe\u0301\tthe MCP server\tA combining accent, and " + plaintext.OneLine("a \x1b[31mcontrol\x07 character") + ".",
	}
	tests := map[string]struct {
		columns int
		want    string
	}{
		"a pipe": {0, "" +
			"NAME  SOURCE          DESCRIPTION\n" +
			"grep  builtin         Searches the files of the workspace for lines that match a regular expression.\n" +
			"搜索  builtin         在工作区的文件中搜索与正则表达式匹配的行，并返回它们的行号和内容。\n" +
			"café  the MCP server  A combining accent, and a \\x1b[31mcontrol\\a character.\n"},
		"200 columns": {200, "" +
			"NAME  SOURCE          DESCRIPTION\n" +
			"grep  builtin         Searches the files of the workspace for lines that match a regular expression.\n" +
			"搜索  builtin         在工作区的文件中搜索与正则表达式匹配的行，并返回它们的行号和内容。\n" +
			"café  the MCP server  A combining accent, and a \\x1b[31mcontrol\\a character.\n"},
		"80 columns": {80, "" +
			"NAME  SOURCE          DESCRIPTION\n" +
			"grep  builtin         Searches the files of the workspace for lines that match a\n" +
			"                      regular expression.\n" +
			"搜索  builtin         在工作区的文件中搜索与正则表达式匹配的行，并返回它们的行号\n" +
			"                      和内容。\n" +
			"café  the MCP server  A combining accent, and a \\x1b[31mcontrol\\a character.\n"},
		"40 columns": {40, "" +
			"NAME  SOURCE          DESCRIPTION\n" +
			"grep  builtin         Searches the files\n" +
			"                      of the workspace\n" +
			"                      for lines that\n" +
			"                      match a regular\n" +
			"                      expression.\n" +
			"搜索  builtin         在工作区的文件中搜\n" +
			"                      索与正则表达式匹配\n" +
			"                      的行，并返回它们的\n" +
			"                      行号和内容。\n" +
			"café  the MCP server  A combining\n" +
			"                      accent, and a\n" +
			"                      \\x1b[31mcontrol\\a\n" +
			"                      character.\n"},
		"20 columns": {20, "" +
			"grep\n" +
			"  source: builtin\n" +
			"  description:\n" +
			"  Searches the files\n" +
			"  of the workspace\n" +
			"  for lines that\n" +
			"  match a regular\n" +
			"  expression.\n" +
			"搜索\n" +
			"  source: builtin\n" +
			"  description: 在工\n" +
			"  作区的文件中搜索与\n" +
			"  正则表达式匹配的\n" +
			"  行，并返回它们的行\n" +
			"  号和内容。\n" +
			"café\n" +
			"  source: the MCP\n" +
			"  server\n" +
			"  description: A\n" +
			"  combining accent,\n" +
			"  and a\n" +
			"  \\x1b[31mcontrol\\a\n" +
			"  character.\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := laidOut(t, test.columns, header, rows...)
			if want := strings.ReplaceAll(test.want, "café", "cafe\u0301"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestLayout(t *testing.T) {
	long := strings.Repeat("x", 60)
	tests := map[string]struct {
		columns int
		lines   []string
		want    string
	}{
		"indented prose":                  {20, []string{"  one two three four five"}, "  one two three four\n  five\n"},
		"a word that is too long":         {20, []string{"see " + long + " there"}, "see\n" + long + "\nthere\n"},
		"an indented cell":                {24, []string{"a\tshort", "\t  one two three four five six"}, "a  short\n     one two three four\n     five six\n"},
		"a long name has its own line":    {80, []string{"  " + long + "\tfunc", "  short\tfunc"}, "  " + long + "\n         func\n  short  func\n"},
		"a long name in a pipe":           {0, []string{"  " + long + "\tfunc", "  short\tfunc"}, "  " + long + "\n         func\n  short  func\n"},
		"a long cell in a pipe":           {0, []string{"a\tone " + long + " two three", "b\tc"}, "a  one " + long + " two three\nb  c\n"},
		"many words in a pipe":            {0, []string{strings.Repeat("one ", 13) + "\tfunc", "short\tfunc"}, strings.TrimSpace(strings.Repeat("one ", 13)) + "\n       func\nshort  func\n"},
		"an indented cell after a blank":  {25, []string{"  a\tshort", "  \t  one two three four five"}, "  a  short\n       one two three four\n       five\n"},
		"a long word at the end":          {40, []string{"a name\tx", "another name\t" + long[:30]}, "a name        x\nanother name\n    " + long[:30] + "\n"},
		"a command":                       {24, []string{"run: " + Command("wasmtool show a b c d", 19)}, "run: wasmtool show a b \\\n    c d\n"},
		"a command with a quoted word":    {24, []string{"run: " + Command("wasmtool show 'a b c d'", 19)}, "run: wasmtool show 'a b c d'\n"},
		"empty cells":                     {40, []string{"a\t", "b\tc"}, "a\nb  c\n"},
		"tables of their own":             {40, []string{"long name\tx", "prose", "a\ty"}, "long name  x\nprose\na  y\n"},
		"escape sequences have no width":  {40, []string{"\x1b[32mok\x1b[0m\tx", "FAIL\ty"}, "\x1b[32mok\x1b[0m    x\nFAIL  y\n"},
		"an emoji of several characters":  {40, []string{"👩\u200d💻\tx"}, "👩\u200d💻  x\n"},
		"an empty line between two lines": {40, []string{"a", "", "b"}, "a\n\nb\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := laidOut(t, test.columns, nil, test.lines...); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// In a pipe, each row of a list is one line, however long its cells are.
func TestRowsOfListsAreOneLineInPipes(t *testing.T) {
	got := laidOut(t, 0, []string{"A", "B"}, strings.Repeat("x", 300)+"\t"+strings.Repeat("y ", 300), "a\tb")
	if n := strings.Count(got, "\n"); n != 3 {
		t.Errorf("%d lines:\n%s", n, got)
	}
}

// Whatever the texts are, a line that fits is not too wide, and no word is broken.
func FuzzWrap(f *testing.F) {
	f.Add("  one two three", 5)
	f.Add("搜索 cafe\u0301 👩\u200d💻", 3)
	f.Add("a  b\x1b[1mc\x1b[0m", 1)
	f.Fuzz(func(t *testing.T, text string, columns int) {
		text = plaintext.OneLine(text)
		lines := Wrap(text, columns)
		joined := strings.Join(lines, "")
		squeeze := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if squeeze(joined) != squeeze(text) {
			t.Errorf("%q became %q", text, lines)
		}
		for _, line := range lines {
			if columns > 0 && columnsOf(line) > columns && longestWord(line) < columnsOf(line) {
				t.Errorf("%q is wider than %d and could be broken", line, columns)
			}
		}
	})
}
