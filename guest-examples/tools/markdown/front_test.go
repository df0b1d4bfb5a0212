package markdown

import (
	"strings"
	"testing"
)

func TestFrontMatter(t *testing.T) {
	for _, test := range []struct{ content, front string }{
		{"---\na: 1\n---\nx", "a: 1\n"},
		{"---\na: 1\n---", "a: 1\n"},
		{"---\na: 1\n...\nx", "a: 1\n"},
		{"--- \r\na: 1\r\n\r\nb:\r\n  - x\r\n- y\r\n---\r\n", "a: 1\r\n\r\nb:\r\n  - x\r\n- y\r\n"},
		{"---\n# a comment\n\"a b\": x\n'c': [\n  d\n]\n---\n", "# a comment\n\"a b\": x\n'c': [\n  d\n]\n"},
		{"---\ndescription: a: b\nurl: http://x\n---\n", "description: a: b\nurl: http://x\n"},
		{"---\ntext: |\n  a\n\n  ---\n  b\n---\nx", "text: |\n  a\n\n  ---\n  b\n"},
		{"---\nTitel für alle: ü\n---\n", "Titel für alle: ü\n"},
		{"+++\na = 1\nb.c = \"\"\"\nx\n\"\"\"\n[d]\n+++\nx", "a = 1\nb.c = \"\"\"\nx\n\"\"\"\n[d]\n"},

		{"---\nSome text.\n---\nx", ""},
		{"---\n\nSome text, and more.\n\n---\nx", ""},
		{"---\nNote: a key\nBut this is text.\n---\nx", ""},
		{"---\n# A heading\n---\nx", ""},
		{"---\n- a\n- b\n---\nx", ""},
		{"---\nSee http://x.org/ for this\n---\nx", ""},
		{"---\n    code: x\n---\nx", ""},
		{"---\na: 1\n", ""},
		{"----\na: 1\n----\n", ""},
		{"+++\ntext\n+++\nx", ""},
		{"x\n---\na: 1\n---\n", ""},
		{"", ""},
	} {
		front, body := splitFront(test.content)
		if front != test.front {
			t.Errorf("%q: got %q, want %q", test.content, front, test.front)
		}
		if front == "" && body != test.content {
			t.Errorf("%q: the body is %q", test.content, body)
		}
		if strings.Count(body, "\n") != strings.Count(test.content, "\n") && strings.HasSuffix(test.content, "\n") {
			t.Errorf("%q: the body %q has other line numbers", test.content, body)
		}
	}
	// Empty front matter, which some sites need, has no text.
	if _, body := splitFront("---\n---\nx\n"); body != "\n\nx\n" {
		t.Errorf("got %q", body)
	}
}
