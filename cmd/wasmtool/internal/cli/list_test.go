package cli

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

func TestYAMLIsWhatJSONSays(t *testing.T) {
	texts := []string{
		"", "plain", "true", "null", "~", "1e3", "0o7", "010", "yes", "2024-01-01", "- a", "a: b", "# x", " x", "x ", "'q'", `"q"`, `back\slash`,
		"two\nlines", "two\nlines\n", "\n", " \n x", "a\n\n\n", "tab\t", "zero\u200bwidth", "bidi\u202eover", "bell\a", "tag\U000e0041", "é", "👩\u200d💻", "line\u2028sep", "x\r\ny", "a\nzero\u200bwidth",
	}
	values := map[string]any{"texts": texts, "n": 9007199254740993, "f": 0.1, "none": nil, "yes": true, "empty": []string{}, "map": map[string]any{}}
	for i, text := range texts {
		values[text+strings.Repeat("!", i)] = text
	}
	var b strings.Builder
	if err := (Streams{Out: &b}).printYAML(values); err != nil {
		t.Fatal(err)
	}
	if printable(b.String()) != b.String() {
		t.Errorf("has characters that a terminal could interpret:\n%q", b.String())
	}
	var got struct {
		Texts []string
		N     int64
		Empty []string
	}
	if err := yaml.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatalf("%v\n%s", err, &b)
	}
	for i := range texts {
		if got.Texts[i] != texts[i] {
			t.Errorf("%q became %q\n%s", texts[i], got.Texts[i], &b)
		}
	}
	if got.N != 9007199254740993 || got.Empty == nil {
		t.Errorf("got %+v", got)
	}
}

func TestColorFollowsTheEnvironment(t *testing.T) {
	for word, want := range map[string]bool{colorAuto: false, colorNever: false, colorAlways: true} {
		a := &app{Streams: Streams{Out: &strings.Builder{}, Err: &strings.Builder{}}, getenv: func(string) (string, bool) { return "", false }}
		a.setColor(word)
		if a.colorOut != want || a.colorErr != want {
			t.Errorf("--color %s in a pipe: %v", word, a.colorOut)
		}
	}
}
