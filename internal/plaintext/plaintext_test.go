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
		"bad \xff byte":         "bad \uFFFD byte",
		"family \u200d and non": "family \u200d and non",
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
