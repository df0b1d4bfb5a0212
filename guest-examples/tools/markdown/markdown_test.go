package markdown

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
)

func run(args Args) (string, error) {
	var out strings.Builder
	err := Run(fstest.MapFS{"a.md": {Data: []byte("# A\r\n")}}, args, &out)
	return out.String(), err
}

func TestRun(t *testing.T) {
	tests := []struct {
		operation  Operation
		text, want string
	}{
		{HTML, "a **b** ~~c~~\n", "<p>a <strong>b</strong> <del>c</del></p>\n"},
		{HTML, "---\na: 1\n---\nx\n", "<p>x</p>\n"},
		{HTML, "|a|\n|-|\n|<b>|\n", "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td><!-- raw HTML omitted --></td>\n</tr>\n</tbody>\n</table>\n"},
		{Text, "# A *b*\n\nc\nd  \ne &amp; \\* `\\*` &#33; \\&amp;\n", "A b\n\nc d\ne & * \\* ! &amp;\n"},
		{Text, "- a\n- b\n  1. c\n  2. d\n\n> q\n>\n> r\n", "- a\n- b\n  1. c\n  2. d\n\n> q\n>\n> r\n"},
		{Text, "- a\n\n- b\n", "- a\n\n- b\n"},
		{Text, "- [x] a\n- [ ] b\n- \n", "- [x] a\n- [ ] b\n-\n"},
		{Text, "```\n x\n\ny\n```\n\n---\n\n<div>\nz\n</div>\n", " x\n\ny\n\n---\n"},
		{Text, "[a](http://b) ![c](d) <http://e> <i>f</i> ~~g~~ www.h.org\n", "a c http://e f g www.h.org\n"},
		{Text, "|a|b|\n|-|-|\n|1|*2*|\n", "a | b\n1 | 2\n"},
		{Text, "\n", ""},
		{TOC, "# A [x](y)\n\ntext\n\n## B\n\nC\n===\n\n## B\n\n# `[d]`\n", "- [A x](#a-xy)\n  - [B](#b)\n- [C](#c)\n  - [B](#b-1)\n- [\\[d\\]](#d)\n"},
		{FrontMatter, "---\r\na: 1\r\nb: x\r\n---\r\n# X\n", "a: 1\r\nb: x\r\n"},
		{FrontMatter, "+++\na = 1\n+++", "a = 1\n"},
	}
	for _, test := range tests {
		if got, err := run(Args{Operation: test.operation, Text: test.text}); err != nil || got != test.want {
			t.Errorf("%s of %q: got %q, %v; want %q", test.operation, test.text, got, err, test.want)
		}
	}
}

func TestRun_parts(t *testing.T) {
	tests := []struct {
		args Args
		want string
	}{
		{Args{Operation: Code, Text: "---\na: 1\n---\nx\n\n```go\na\n```\n\n    b\n\n> ~~~ c d\n> e\n> ~~~\n\n```\n```\n"}, `[{"language":"go","line":6,"code":"a\n"},{"language":"","line":10,"code":"b\n"},{"language":"c","line":12,"code":"e\n"},{"language":"","line":0,"code":""}]`},
		{Args{Operation: Code, Text: "```go\na\n```\n```Py\nb\n```\n", Language: "py"}, `[{"language":"Py","line":4,"code":"b\n"}]`},
		{Args{Operation: Code, Text: "x"}, `[]`},
		{Args{Operation: Links, Text: "[a *b*](c \"d\") ![e](f) <g@h.i> [j]\n\n[j]: k\n"}, `[{"kind":"link","text":"a b","url":"c","title":"d"},{"kind":"image","text":"e","url":"f"},{"kind":"link","text":"g@h.i","url":"g@h.i"},{"kind":"link","text":"j","url":"k"}]`},
		{Args{Operation: Tables, Text: "|a|b|\n|-|-|\n|1\\|2|\n\nx\n\n|c|\n|-|\n"}, `[{"columns":["a","b"],"rows":[["1|2",""]]},{"columns":["c"],"rows":[]}]`},
	}
	for _, test := range tests {
		got, err := run(test.args)
		if err != nil {
			t.Errorf("%+v: %v", test.args, err)
			continue
		}
		value, err := jsonvalue.Parse([]byte(got))
		if got := string(jsonvalue.Layout{Max: MaxOutput}.Append(nil, value)); err != nil || got != test.want {
			t.Errorf("%+v: got %s, %v; want %s", test.args, got, err, test.want)
		}
	}
}

// No input produces HTML that can run scripts.
func TestRun_htmlIsSafe(t *testing.T) {
	for _, text := range []string{
		"<script>alert(1)</script>",
		"x <img src=x onerror=alert(1)>",
		"<div onclick=a()>\n\nx\n\n</div>",
		"[a](javascript:alert(1))",
		"[a](JaVaScRiPt:alert(1))",
		"[a](&#106;avascript:alert(1))",
		"[a](java&#10;script:alert(1))",
		"[a](vbscript:x) [b](data:text/html,<script>1</script>) ![c](file:///etc/passwd)",
		"<javascript:alert(1)>",
		"[a]: javascript:alert(1)\n\n[a] ![a]",
		"[a](x \"\" onclick=alert(1) \"\")",
		"```\"><script>\nx\n```",
		"|a|\n|-|\n|<script>|",
		"# a {onclick=alert(1)}",
	} {
		got, err := run(Args{Operation: HTML, Text: text})
		if err != nil {
			t.Fatal(err)
		}
		lower := strings.ToLower(got)
		for _, danger := range []string{"<script", "<img src=\"x", "<div", "=\"javascript:", "=\"vbscript:", "=\"data:", "=\"file:", " onclick=\""} {
			if strings.Contains(lower, danger) {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
}

func TestRun_errors(t *testing.T) {
	tests := []struct {
		name string
		args Args
		want string
	}{
		{"operation", Args{Operation: "pdf", Text: "x"}, `the argument "operation" is "pdf"; it must be html,`},
		{"no text", Args{Operation: HTML}, "give text or file_path"},
		{"missing file", Args{Operation: HTML, FilePath: "b.md"}, "did you mean a.md?"},
		{"language", Args{Operation: HTML, Text: "x", Language: "go"}, "is only for the operation code"},
		{"no front matter", Args{Operation: FrontMatter, Text: "---\nx\n"}, "the text has no front matter"},
		{"large", Args{Operation: HTML, Text: strings.Repeat("a", maxText+1)}, "the limit is 1048576"},
		{"quotes", Args{Operation: HTML, Text: "x\n" + strings.Repeat("> ", 500_000)}, "line 2 has more than 100 nested quotes or lists"},
		{"lists", Args{Operation: HTML, Text: strings.Repeat("1. ", 100_000)}, "line 1 has more than 100 nested quotes or lists"},
		{"rules that are lists", Args{Operation: HTML, Text: strings.Repeat("- ", 100_000)}, "line 1 has more than 100 nested quotes or lists"},
		{"margin", Args{Operation: HTML, Text: strings.Repeat(" ", 600) + "- a"}, "line 1 is indented by 600 characters"},
		{"brackets", Args{Operation: HTML, Text: strings.Repeat("[", 100_000)}, "100000 opening square brackets"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got, err := run(test.args); err == nil || !strings.Contains(err.Error(), test.want) || got != "" {
				t.Errorf("got %.40q, %v; want an error with %q", got, err, test.want)
			}
		})
	}
}

// No input makes an operation panic, and the output is always valid.
func FuzzRun(f *testing.F) {
	f.Add("# a\n\n- b\n  > c [d](e)\n\n|f|\n|-|\n|g|\n\n```h\ni\n```\n")
	f.Add("1) <a>\n\n\t&#0; \\&amp; **x*_\n+++\n[^1]: z")
	f.Fuzz(func(t *testing.T, text string) {
		for _, operation := range []Operation{HTML, Text, TOC, Code, Links, Tables, FrontMatter} {
			got, err := run(Args{Operation: operation, Text: text})
			if err != nil && (err.Error() == "" || got != "") {
				t.Errorf("%s: got %q with %v", operation, got, err)
			}
			if strings.Contains(got, "<script") && operation == HTML {
				t.Errorf("%q became %q", text, got)
			}
		}
	})
}
