package relax

import "testing"

func TestNormal(t *testing.T) {
	for line, want := range map[string]string{
		"":                   "",
		" \t\r":              "",
		"a":                  "a",
		"\ta  b\t c \r":      "a b c",
		"a b":                "a b",
		"ab":                 "ab",
		"x\u00a0y":           "x\u00a0y",
		"\xe9  \xff":         "\xe9 \xff",
		"  \"a  b\"  + 'c' ": "\"a b\" + 'c'",
	} {
		if got := Normal(line); got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

func TestIndents(t *testing.T) {
	var in Indents
	if got := in.Apply("  a"); got != "  a" {
		t.Errorf("what knows nothing made %q", got)
	}
	in.Learn("    a {", "\ta {")
	in.Learn("        b", "\t\tb")
	in.Learn("  ", "\t\t\t\t") // a blank line
	in.Learn("    again", "\t\t\tagain")
	for line, want := range map[string]string{
		"    x":            "\tx",
		"        x":        "\t\tx",
		"            deep": "\t\t    deep",
		"  less":           "  less",
		"none":             "none",
		"      ":           "      ",
		"":                 "",
	} {
		if got := in.Apply(line); got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}
