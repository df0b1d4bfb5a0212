package plaintext_test

import (
	"testing"

	"github.com/wasmtool/wasmtool/internal/plaintext"
)

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\n":         "plain\ttext\n",
		"é 漢字 👩‍👩‍👧":            "é 漢字 👩‍👩‍👧",
		"\x1b[31mred\x07":       `\x1b[31mred\a`,
		"a\rb\x00":              `a\rb\x00`,
		"\u009b31m":             `\u009b31m`,
		"user\u202etxt.exe":     `user\u202etxt.exe`,
		"a\u2066b\u200bc":       `a\u2066b\u200bc`,
		"tag\U000e0041":         `tag\U000e0041`,
		"a\u2028b\u2029c":       `a\u2028b\u2029c`,
		"bad \xff byte":         "bad \uFFFD byte",
		"no family \u200d here": `no family \u200d here`,
		"line\r\nend":           "line\r\nend",
	} {
		if got := plaintext.Printable(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                    "plain",
		"w\r\x1b[2J harmless\n  x": `w\r\x1b[2J harmless\n  x`,
		"a\tb":                     `a\tb`,
	} {
		if got := plaintext.OneLine(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"é 漢字":                   "é 漢字",
		"\x1b[31m\ta\n\u2028":    `\x1b[31m\ta\n\u2028`,
		"a\u00a0b\u200dc\u202ed": `a\u00a0b\u200dc\u202ed`,
		"tag\U000e0041":          `tag\U000e0041`,
	} {
		if got := plaintext.Visible(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestShort(t *testing.T) {
	for in, want := range map[string]string{"12345": "12345", "123456": "12345...", "1234é": "1234...", "\xff": "\xff"} {
		if got := plaintext.Short(in, 5); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestExcerpt(t *testing.T) {
	for in, want := range map[string]string{"": "", "ééééé": "ééééé", "éééééé": "ééééé…"} {
		if got := plaintext.Excerpt(in, 5); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for in, want := range map[string]string{"12345": "12345", "123456": "12345... (6 bytes in all)", "1234é": "1234... (6 bytes in all)"} {
		if got := plaintext.Cut(in, 5); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestSentence(t *testing.T) {
	for in, want := range map[string]string{"": "", "the tool": "The tool", "A": "A"} {
		if got := plaintext.Sentence(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
