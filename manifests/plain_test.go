package manifests

import (
	"strings"
	"testing"
)

// Any string becomes a valid title and description.
func TestPlainProse(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		" \n ":                   "",
		"A title.":               "A title.",
		"two\r\nlines\tand tabs": "two lines and tabs",
		"\x1b[2Jred\u202e\u2028": "[2Jred",
		"tag\U000E0041s":         "tags",
		"bad\xff":                "bad\uFFFD",
		strings.Repeat("é", 100): strings.Repeat("é", 62) + "…",
		strings.Repeat("x", 128): strings.Repeat("x", 128),
	} {
		got := PlainTitle(text)
		if got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
		if _, err := parseTitle(got); err != nil && got != "" {
			t.Errorf("the title %q: %v", got, err)
		}
	}
	if got, want := PlainDescription(" a\r\n\tb\x00 "), "a\n\tb"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := PlainDescription(strings.Repeat("long ", 2000)); len(got) > maxDescription || !strings.HasSuffix(got, "…") {
		t.Errorf("got %d bytes that end in %q", len(got), got[len(got)-6:])
	}
}
