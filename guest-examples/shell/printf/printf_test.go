package printf

import (
	"slices"
	"strings"
	"testing"
)

func TestFormat(t *testing.T) {
	for _, test := range []struct {
		format   string
		args     []string
		want     string
		problems []string
		err      string
	}{
		{format: `%s-%d\n`, args: []string{"a", "1", "b", "0x10"}, want: "a-1\nb-16\n"},
		{format: `%5.1f|%-4s|%+d`, args: []string{"2.25", "ab", "7"}, want: "  2.2|ab  |+7"},
		{format: `%d %d`, args: []string{"3x"}, want: "3 0", problems: []string{"3x: invalid number"}},
		{format: `%b|`, args: []string{`a\tb`, `c\cd`, "e"}, want: "a\tb|c"},
		{format: `%q`, args: []string{"a b"}, want: `a\ b`},
		{format: `\101\x42\u00fc\"`, want: `ABü"`},
		{format: "%*d", args: []string{"4", "7"}, want: "   7"},
		{format: "a%y", want: "a", err: "`y': invalid format character"},
		{format: "%", err: "missing format character"},
		{format: "%99999999d", err: "a width or precision is larger than the limit of 65536"},
		{format: "%s%s", args: slices.Repeat([]string{strings.Repeat("x", 60)}, 4), want: strings.Repeat("x", 120), err: "longer than the limit of 100 bytes"},
	} {
		got, problems, err := Format(test.format, test.args, 100)
		if failed := err != nil; got != test.want || !slices.Equal(problems, test.problems) || failed != (test.err != "") || failed && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s of %q: got %q, %q, %v", test.format, test.args, got, problems, err)
		}
	}
}

func TestEcho(t *testing.T) {
	for line, want := range map[string]string{
		"a b":           "a b\n",
		"-n a":          "a",
		`a\tb`:          "a\\tb\n",
		`-e a\tb`:       "a\tb\n",
		`-ne a\0101\x`:  `aA\x`,
		`-e a\cb c`:     "a",
		"-eE a\\tb":     "a\\tb\n",
		"-x -n":         "-x -n\n",
		"-":             "-\n",
		"--help -e a":   "--help -e a\n",
		`-e \u00fc\x41`: "üA\n",
	} {
		if got := Echo(strings.Fields(line)); got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}

// FuzzFormat checks that the output is bounded for any format.
func FuzzFormat(f *testing.F) {
	f.Add(`%5.2f%-*s%b\x41%q`, "1", "-2")
	f.Add(`%d%c%u%x%g%i`, "'a", "0x1p9")
	f.Add(`%60000s%60000s%60000s`, "", "")
	f.Fuzz(func(t *testing.T, format, first, second string) {
		// A float has at most 400 digits, plus the digits that its precision adds.
		const limit, longest = 1000, 500
		got, _, _ := Format(format, []string{first, second, first}, limit)
		if len(got) > limit+len(format)+2*maxField+longest+5*max(len(first), len(second)) {
			t.Errorf("%q gave %d bytes", format, len(got))
		}
	})
}
