package plain

import (
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	for _, tt := range []struct {
		text, want string
		removed    int
	}{
		{"plain\n\ttext", "plain\n\ttext", 0},
		{"été 日本 👩‍💻", "été 日本 👩‍💻", 0},
		{"a\r\nb\rc\u2028d\u0085e", "a\nb\nc\nd\ne", 0},
		{"\x1b[31mred\x07\x00\x7f", "[31mred", 4},
		{"a\u202eb\u2066c\u200ed", "abcd", 3},
		{"a\u200bb\u2060c\ufeffd", "abcd", 3},
		{"x\U000E0041\U000E0042y", "xy", 2},
		{"a\xffb", "a\uFFFDb", 0},
	} {
		if got, removed := Text(tt.text); got != tt.want || removed != tt.removed {
			t.Errorf("%q: got %q and %d, want %q and %d", tt.text, got, removed, tt.want, tt.removed)
		}
	}
}

func TestLine(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{" a\n\tb  c ", "a b c"}, {"日本語のテキスト", "日本語のテキスト"}, {"123456789", "1234567…"}, {"1234567 9", "1234567…"}, {"\x1b", ""}, {"", ""},
	} {
		if got := Line(tt.text, 8); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
	if got := Line(strings.Repeat("é", 1000), 10); got != strings.Repeat("é", 9)+"…" {
		t.Errorf("got %q", got)
	}
}
