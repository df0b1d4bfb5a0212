package cli

import "testing"

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
		if got := printable(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestByteCount(t *testing.T) {
	for n, want := range map[uint64]string{0: "0 bytes", 1023: "1023 bytes", 1024: "1.0 KiB", 64 << 20: "64.0 MiB", 3 << 29: "1.5 GiB"} {
		if got := byteCount(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                    "plain",
		"w\r\x1b[2J harmless\n  x": `w\r\x1b[2J harmless\n  x`,
		"a\tb":                     `a\tb`,
	} {
		if got := oneLine(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for in, want := range map[string]string{"12345": "12345", "123456": "12345... (6 bytes in all)", "1234é": "1234... (6 bytes in all)"} {
		if got := cut(in, 5); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
