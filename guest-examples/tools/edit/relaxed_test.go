package edit

import (
	"strings"
	"testing"
)

func TestApply_relaxed(t *testing.T) {
	code := "package a\n\nfunc f(x int) {\n\tg(x)\n\tif x {\n\t\th()\n\t}\n}\n"
	for _, test := range []struct {
		name, data, old, new, want, note string
	}{
		{
			"spaces for tabs", code,
			"    g(x)\n    if x {\n        h()\n    }\n", "    if x {\n        h(x)\n        i()\n    }\n",
			"package a\n\nfunc f(x int) {\n\tif x {\n\t\th(x)\n\t\ti()\n\t}\n}\n",
			"(old_string does not occur exactly; lines 4-7 matched except for white space, and new_string got the indentation of the file)\n",
		},
		{"at line ends", "a  \nb\n", "a\nb", "c", "c\n", "lines 1-2 matched"},
		{"no indentation given", "x\n  a\n    b\ny\n", "a\n  b\n", "a\n  c\n", "x\n  a\n    c\ny\n", "lines 2-3 matched"},
		{"within", "f(a,  b)\n", "f(a, b)", "g()", "g()\n", "line 1 matched"},
		{"a line end that is not meant", "x\n\ta\ny\n", "  a", "  b", "x\n\tb\ny\n", "line 2 matched"},
		{"the last line without an end", "x\n\ta", "  a\n", "  b\n", "x\n\tb\n", "line 2 matched"},
		{"CRLF", "x\r\n\ta\r\n\tb\r\ny\r\n", "  a\n  b\n", "  c\n", "x\r\n\tc\r\ny\r\n", "lines 2-3 matched"},
		{"CRLF spelt out", "x\n\ta\n\tb\ny\n", "a\r\nb\r\n", "a\nc\n", "x\n\ta\n\tc\ny\n", "lines 2-3 matched"},
		{"byte order mark", "\xef\xbb\xbf\ta b\n", "  a b", "  b", "\xef\xbb\xbf\tb\n", "line 1 matched"},
		{"UTF-16", "\xff\xfe\t\x00a\x00", " a", " b", "\xff\xfe\t\x00b\x00", "line 1 matched"},
		{"Latin-1", "\xe9\n\ta\n", "  a\n", "  b\n", "\xe9\n\tb\n", "line 2 matched"},
		{"deleted", "x\n\ta\ny\n", "  a\n", "", "x\ny\n", "line 2 matched"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, report, err := apply([]byte(test.data), "f", Edit{OldString: test.old, NewString: test.new})
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
			if !strings.Contains(string(report), test.note) {
				t.Errorf("the report lacks %q:\n%s", test.note, report)
			}
		})
	}
}

// An exact match takes precedence over a relaxed match.
func TestApply_exactComesFirst(t *testing.T) {
	got, report, err := apply([]byte("\ta b\na  b\n"), "f", Edit{OldString: "a b", NewString: "x"})
	if err != nil || string(got) != "\tx\na  b\n" || strings.Contains(string(report), "exactly") {
		t.Errorf("got %q, %v and the report\n%s", got, err, report)
	}
}
