package questiontext

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// object returns a JSON object of the values.
func object(t *testing.T, values map[string]any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestArguments(t *testing.T) {
	path := "/workspace/" + strings.Repeat("a/", 300) + "end.go"
	hundred, thousand := make(map[string]any), make(map[string]any)
	for n := range 1000 {
		if thousand[fmt.Sprintf("m%03d", n)] = n; n < 100 {
			hundred[fmt.Sprintf("m%03d", n)] = n
		}
	}
	statement := "SELECT 1;" + strings.Repeat(" ", 400) + "DROP TABLE users;" + strings.Repeat(" ", 230) + "-- done"
	for _, c := range []struct {
		name    string
		values  map[string]any
		o       Options
		want    string
		missing string
	}{
		{name: "none", want: ""},
		{
			name:   "a path behind much content",
			values: map[string]any{"content": "BEGIN" + strings.Repeat("x", 1<<20) + "END", "path": "/etc/cron.d/x"},
			o:      Options{Parameters: []Parameter{{Name: "content", Required: true}, {Name: "path", Required: true}}},
			want: `  content: "BEGIN` + strings.Repeat("x", 395) + `" … "` + strings.Repeat("x", 197) + `END" (1048584 bytes in all)` +
				"\n" + `  path: "/etc/cron.d/x"` + "\n",
			missing: "content",
		},
		{
			name:   "a statement between blanks",
			values: map[string]any{"query": statement},
			o:      Options{Parameters: []Parameter{{Name: "query", Required: true}}},
			want:   "  query: \"" + statement + "\"\n",
		},
		{
			name:   "what short values leave is for a long one",
			values: map[string]any{"a": 1, "b": strings.Repeat("x", 5900), "c": "y", "d": true},
			want:   "  a: 1\n  b: \"" + strings.Repeat("x", 5900) + "\"\n  c: \"y\"\n  d: true\n",
		},
		{
			name:    "values that do not fit together",
			values:  map[string]any{"a": strings.Repeat("x", 3500), "b": strings.Repeat("y", 3500), "c": strings.Repeat("z", 1000)},
			o:       Options{Parameters: []Parameter{{Name: "b"}}},
			want:    cut("b", "y", 3500) + cut("a", "x", 3500) + "  c: \"" + strings.Repeat("z", 1000) + "\"\n",
			missing: "b, a",
		},
		{
			name:   "defaults alone",
			values: map[string]any{"a": 1},
			o:      Options{Parameters: []Parameter{{Name: "a", Default: json.RawMessage(`1`)}}},
			want:   "  every argument has its default\n",
		},
		{
			name:   "what changes comes first and is whole",
			values: map[string]any{"content": "x", "path": path},
			o:      Options{First: []string{"path"}, Parameters: []Parameter{{Name: "content", Required: true}, {Name: "path"}}},
			want:   "  path: \"" + path + "\"\n  content: \"x\"\n",
		},
		{
			name:    "what changes does not fit",
			values:  map[string]any{"path": strings.Repeat("a/", 2500)},
			o:       Options{First: []string{"path"}},
			want:    `  path: "` + strings.Repeat("a/", 1365) + `" … "/` + strings.Repeat("a/", 682) + `" (5000 bytes in all)` + "\n",
			missing: "path",
		},
		{
			name:   "required, then others, then unknown ones, then defaults",
			values: map[string]any{"a": 1, "b": true, "c": "x", "d": 5.0, "z": nil, "e": "."},
			o: Options{Parameters: []Parameter{
				{Name: "e", Default: json.RawMessage(`"."`)}, {Name: "d", Default: json.RawMessage(`4`)}, {Name: "b"}, {Name: "c", Required: true},
			}},
			want: "  c: \"x\"\n  d: 5\n  b: true\n  a: 1\n  z: null\n",
		},
		{
			name:   "another line, an escape, hidden characters",
			values: map[string]any{"a": "x\nIt can reach nothing.\x1b[2J\u202e", "b\nIt can reach": "nothing", "It can reach": 1},
			want: `  "It can reach": 1` + "\n" + `  a: "x\nIt can reach nothing.\x1b[2J\u202e"` + "\n" +
				`  "b\nIt can reach": "nothing"` + "\n",
		},
		{
			name:   "members of members",
			values: map[string]any{"edits": []any{map[string]any{"content": strings.Repeat("y", 7000), "path": "/workspace/a"}}},
			want: `  edits: [{content: "` + strings.Repeat("y", 200) + `" … "` + strings.Repeat("y", 100) + `" (7000 bytes in all), ` +
				`path: "/workspace/a"}]` + "\n",
			missing: "edits",
		},
		{
			name:   "hidden characters in members",
			values: map[string]any{"a": []any{"\u202e\u200b", map[string]any{"k\u2028": "\x1b"}}},
			want:   `  a: ["\u202e\u200b",{"k\u2028":"\u001b"}]` + "\n",
		},
		{
			name:    "more than there are lines for",
			values:  hundred,
			want:    lines(0, 40) + "  more, with their values not shown: " + strings.TrimPrefix(names(40, 100), ", ") + "\n",
			missing: "60 more arguments",
		},
		{
			name:   "a name of no characters",
			values: map[string]any{"": "x\ny", "a\u202e": 1},
			want:   `  "": "x\ny"` + "\n" + `  "a\u202e": 1` + "\n",
		},
		{
			name:    "more members than there is room for",
			values:  map[string]any{"a": thousand},
			want:    "  a: {" + strings.TrimPrefix(strings.ReplaceAll(strings.ReplaceAll(lines(0, 25), "  m", ", m"), "\n", ""), ", ") + ", … 975 more}\n",
			missing: "members of a",
		},
		{
			name:   "a script",
			values: map[string]any{"command": "ls\n\trm x\x1b\n", "stdin": ""},
			o:      Options{Script: "command", Parameters: []Parameter{{Name: "stdin", Default: json.RawMessage(`""`)}, {Name: "command"}}},
			want:   "  command:\n    | ls\n    | \\trm x\\x1b\n",
		},
		{
			name:   "a script that does not fit",
			values: map[string]any{"command": strings.Repeat("true\n", 1000) + "rm -rf x\n" + strings.Repeat("true\n", 1000)},
			o:      Options{Script: "command", Commands: []string{"rm -rf x"}},
			want: "  command, a script of 2001 lines and 10009 bytes. These commands need approval:\n    - \"rm -rf x\"\n" +
				"  The script begins and ends with:\n" + strings.Repeat("    | true\n", 20) + "    | …\n" + strings.Repeat("    | true\n", 20),
			missing: "command",
		},
		{
			name:   "a script of few bytes and too many lines",
			values: map[string]any{"command": strings.Repeat("echo first\n", 25) + strings.Repeat("echo last\n", 24) + "rm x\n"},
			o:      Options{Script: "command", Commands: []string{"rm x"}},
			want: "  command, a script of 50 lines and 520 bytes. These commands need approval:\n    - \"rm x\"\n" +
				"  The script begins and ends with:\n" + strings.Repeat("    | echo first\n", 20) + "    | …\n" +
				strings.Repeat("    | echo last\n", 19) + "    | rm x\n",
			missing: "command",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Arguments(object(t, c.values), c.o)
			if unbroken := breaks.Replace(got.Lines); unbroken != c.want || got.Missing != c.missing {
				t.Errorf("got\n%s\n%q\nwant\n%s\n%q", unbroken, got.Missing, c.want, c.missing)
			}
		})
	}
}

// breaks removes the line breaks that Wrap and the lines of scripts insert.
var breaks = strings.NewReplacer("\n      ", "", "\n    > ", "")

// cut returns the line for a value that repeats one character and is too long to be shown.
func cut(name, character string, count int) string {
	return fmt.Sprintf("  %s: %q … %q (%d bytes in all)\n", name, strings.Repeat(character, 400), strings.Repeat(character, 200), count)
}

func lines(from, to int) string {
	var b strings.Builder
	for n := from; n < to; n++ {
		fmt.Fprintf(&b, "  m%03d: %d\n", n, n)
	}
	return b.String()
}

func names(from, to int) string {
	var b strings.Builder
	for n := from; n < to; n++ {
		fmt.Fprintf(&b, ", m%03d", n)
	}
	return b.String()
}

// For any arguments, the length of the text is limited and each line begins with spaces.
func TestArgumentsAreBounded(t *testing.T) {
	long := strings.Repeat("\x1b\n", 1<<16) // each escape takes two to four bytes
	deep := any(long)
	for range 100 {
		deep = []any{map[string]any{long[:1000]: deep, "x": long[:1000]}}
	}
	many := map[string]any{}
	for n := range 20_000 {
		many[fmt.Sprintf("%d%s", n, long[:200])] = long[:200]
	}
	var commands []string
	for range 2000 {
		commands = append(commands, long[:3000])
	}
	for name, values := range map[string]map[string]any{
		"long": {"a": long, "b": long, "command": long, "path": long}, "deep": {"a": deep, "path": deep}, "many": many,
		"list": {"a": make([]any, 100_000)}, "object": {"a": many}, "wide": {"a": strings.Repeat("界", 1000), "command": strings.Repeat("界", 1000)},
		"names": {"a": 1, long[:300]: long[:3000], long[:302]: long[:3000], long[:304]: long[:3000], long[:306]: long[:3000]},
	} {
		got := Arguments(object(t, values), Options{First: []string{"path"}, Script: "command", Commands: commands})
		if len(got.Lines) > 80<<10 || len(got.Missing) > 2*maxMissing {
			t.Errorf("%s: %d bytes, and %d at the top", name, len(got.Lines), len(got.Missing))
		}
		for line := range strings.Lines(got.Lines) {
			if !strings.HasPrefix(line, "  ") || strings.ContainsAny(line, "\x1b") {
				t.Errorf("%s: a line is %q", name, line)
			}
			if columns := 2*utf8.RuneCountInString(line) - len(strings.Map(ascii, line)); columns > 74 {
				t.Errorf("%s: a line has %d columns: %q", name, columns, line)
			}
		}
	}
}

func ascii(r rune) rune {
	if r < utf8.RuneSelf {
		return r
	}
	return -1
}
