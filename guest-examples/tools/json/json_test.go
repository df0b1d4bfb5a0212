package json

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/wasmtool/wasmtool/guest-examples/internal/source"
	"github.com/wasmtool/wasmtool/guest-examples/internal/tooltest"
)

func run(t *testing.T, args Args) (string, error) {
	t.Helper()
	fsys := fstest.MapFS{
		"a.json":   {Data: []byte("\xef\xbb\xbf{\"a\": [1, 2]}\n")},
		"l.jsonl":  {Data: []byte("{\"n\":1}\n{\"n\":2}\n")},
		"bin":      {Data: []byte("\x00\x01\x02")},
		"latin1":   {Data: []byte("\"caf\xe9\"")},
		"d/x.json": {},
	}
	var out tooltest.Output
	err := Run(fsys, args, &out)
	return out.String(), err
}

func TestDetails(t *testing.T) {
	large := `"` + strings.Repeat("x", maxDetails) + `"`
	for name, test := range map[string]struct {
		args Args
		want string
	}{
		"results":       {Args{Operation: Query, Query: ".[]", Text: `[1.5, "a", {"b": null}]`}, `{"count": 3, "results": [1.5, "a", {"b": null}]}`},
		"raw results":   {Args{Operation: Query, Query: ".[]", Text: `["a", 1]`, Raw: true}, `{"count": 2, "results": ["a", 1]}`},
		"no results":    {Args{Operation: Query, Query: "empty", Text: "1"}, `{"count": 0, "results": []}`},
		"large results": {Args{Operation: Query, Query: "., 1", Text: large}, `{"count": 2}`},
		"deep results":  {Args{Operation: Query, Query: "reduce range(62) as $i (0; [.])", Text: "1"}, `{"count": 1}`},
		"long numbers":  {Args{Operation: Query, Query: "., reduce range(1100) as $i (1; . * 10)", Text: "1"}, `{"count": 2}`},
		"format":        {Args{Operation: Format, FilePath: "l.jsonl"}, `{"count": 2}`},
		"minify":        {Args{Operation: Minify, Text: "1"}, `{"count": 1}`},
		"valid":         {Args{Operation: Validate, FilePath: "l.jsonl"}, `{"valid": true, "count": 2}`},
		"not valid":     {Args{Operation: Validate, Text: "[1,\n 2,,3]"}, `{"valid": false, "error": "line 2, column 4: invalid character ',' at start of value"}`},
	} {
		t.Run(name, func(t *testing.T) {
			var out tooltest.Output
			if err := Run(fstest.MapFS{"l.jsonl": {Data: []byte("1 2")}}, test.args, &out); err != nil {
				t.Fatal(err)
			}
			tooltest.SameJSON(t, out.Result().Structured, test.want)
		})
	}
}

func TestRun(t *testing.T) {
	tests := []struct {
		name string
		args Args
		want string
	}{
		{"whole numbers are exact", Args{Operation: Query, Query: ".", Text: `[9007199254740993,1.10,1e2]`, Compact: true}, "[9007199254740993,1.1,100]\n"},
		{"big integers are exact", Args{Operation: Query, Query: ".[0]+.[1]", Text: `[9007199254740993,100000000000000000000]`}, "100009007199254740993\n"},
		{"lines", Args{Operation: Query, Query: ".n", FilePath: "l.jsonl"}, "1\n2\n"},
		{"mark of a file", Args{Operation: Query, Query: ".a", FilePath: "a.json"}, "[\n  1,\n  2\n]\n"},
		{"raw", Args{Operation: Query, Query: ".[]", Text: `["a\nb",1]`, Raw: true}, "a\nb\n1\n"},
		{"strings keep their characters", Args{Operation: Query, Query: ".", Text: `"<ü&\u0000>"`}, "\"<ü&\\u0000>\"\n"},
		{"functions of jq 1.8", Args{Operation: Query, Query: `(.[0]|toboolean), (.[1]|trimstr("a"))`, Text: `["true","aba"]`}, "true\n\"b\"\n"},
		{"no results", Args{Operation: Query, Query: "empty", Text: "1"}, ""},
		{"an end of its own", Args{Operation: Query, Query: "1, halt, 2", Text: "0 0"}, "1\n"},
		{"not a number is null", Args{Operation: Query, Query: "nan, infinite", Text: "0"}, "null\n1.7976931348623157e+308\n"},
		{"indent", Args{Operation: Query, Query: ".", Text: `{"b":[],"a":{}}`, Indent: 4}, "{\n    \"a\": {},\n    \"b\": []\n}\n"},
		{"no environment", Args{Operation: Query, Query: "env, $ENV", Text: "0", Compact: true}, "{}\n{}\n"},
		{"format", Args{Operation: Format, Text: `{"b":1.0,"a":[1,{}]} 2`}, "{\n  \"b\": 1.0,\n  \"a\": [\n    1,\n    {}\n  ]\n}\n2\n"},
		{"minify", Args{Operation: Minify, Text: "{ \"b\" : 1e5,\n\"a\" : \"x  y\" }"}, `{"b":1e5,"a":"x  y"}` + "\n"},
		{"valid object", Args{Operation: Validate, Text: `{"a":1}`}, "valid: object with 1 member\n"},
		{"valid array", Args{Operation: Validate, Text: `[1,2]`}, "valid: array of 2 items\n"},
		{"valid scalar", Args{Operation: Validate, Text: `null`}, "valid: null\n"},
		{"valid lines", Args{Operation: Validate, FilePath: "l.jsonl"}, "valid: 2 values, as in JSON Lines\n"},
		{"not valid", Args{Operation: Validate, Text: "[1,\n 2,,3]"}, "not valid: line 2, column 4: invalid character ',' at start of value\n"},
		{"not valid after others", Args{Operation: Validate, Text: "1 2\n[ü]"}, "not valid: line 2, column 2: invalid character 'ü' at start of value\n"},
		{"cut off", Args{Operation: Validate, Text: `{"a":`}, "not valid: line 1, column 6: the text ends inside a value\n"},
		{"name twice", Args{Operation: Validate, Text: "{\"a\":1,\n\"a\":2}"}, "not valid: line 2, column 4: \"a\" occurs twice in an object; the names of an object must differ\n"},
		{"name twice in a later value", Args{Operation: Validate, Text: "1 {\"a\":1,\"a\":2}"}, "not valid: line 1, column 13: \"a\" occurs twice in an object; the names of an object must differ\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := run(t, test.args)
			if err != nil || got != test.want {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func TestRun_errors(t *testing.T) {
	tests := []struct {
		name string
		args Args
		want string
	}{
		{"no operation", Args{Text: "1"}, `the argument "operation" is ""; it must be query, format, minify or validate`},
		{"no text", Args{Operation: Format}, "give text or file_path"},
		{"two texts", Args{Operation: Format, Text: "1", FilePath: "a.json"}, "the arguments \"text\" and \"file_path\" are both given"},
		{"no query", Args{Operation: Query, Text: "1"}, "the argument \"query\" is missing"},
		{"query elsewhere", Args{Operation: Format, Query: ".", Text: "1"}, `the argument "query" is only for the operation "query"`},
		{"indent", Args{Operation: Format, Text: "1", Indent: 9}, "the argument \"indent\" is 9; it must be from 1 to 8"},
		{"missing file", Args{Operation: Format, FilePath: "b.json"}, "file_path: b.json does not exist in the workspace; did you mean a.json?"},
		{"outside", Args{Operation: Format, FilePath: "../a.json"}, "outside the workspace"},
		{"directory", Args{Operation: Format, FilePath: "d"}, "d is a directory"},
		{"binary", Args{Operation: Format, FilePath: "bin"}, "bin is not a text file"},
		{"other encoding", Args{Operation: Format, FilePath: "latin1"}, "latin1 is not UTF-8"},
		{"not UTF-8", Args{Operation: Format, Text: "\"\xff\""}, "not valid UTF-8"},
		{"not JSON", Args{Operation: Format, Text: "{'a':1}"}, "the text is not valid JSON: line 1, column 2: "},
		{"spaces only", Args{Operation: Format, Text: "  "}, "the text is empty"},
		{"syntax", Args{Operation: Query, Query: ".a |\n]", Text: "1"}, `query, line 2, column 1: unexpected token "]"`},
		{"unknown function", Args{Operation: Query, Query: "fly", Text: "1"}, "query: function not defined: fly/0"},
		{"wrong type", Args{Operation: Query, Query: ".a", Text: "[1]"}, "query: expected an object but got: array ([1])"},
		{"error of the program", Args{Operation: Query, Query: `error("no luck")`, Text: "1"}, "query: error: no luck"},
		{"no modules", Args{Operation: Query, Query: `import "a" as a; 1`, Text: "1"}, "query: cannot load module"},
		{"no input", Args{Operation: Query, Query: `input`, Text: "1 2"}, "query: input(s)/0 is not allowed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := run(t, test.args)
			if err == nil || !strings.Contains(err.Error(), test.want) || got != "" {
				t.Errorf("got %q, %v; want an error with %q", got, err, test.want)
			}
		})
	}
}

func TestRun_hostile(t *testing.T) {
	tests := []struct {
		name string
		args Args
		want string
	}{
		{"too large", Args{Operation: Format, Text: strings.Repeat(" ", source.Max+1)}, "the argument \"text\" has 4194305 bytes; the limit is 4194304"},
		{"deep", Args{Operation: Format, Text: strings.Repeat("[", 20_000)}, "exceeded max depth"},
		{"deep output", Args{Operation: Format, Indent: 8, Text: strings.Repeat("[", 800) + strings.Repeat("]", 800)}, "the result is larger than the limit of 4194304 bytes"},
		{"too deep for a tree", Args{Operation: Query, Query: ".", Text: strings.Repeat("[", 2_000) + strings.Repeat("]", 2_000)}, "more than 1000 deep"},
		{"deep program", Args{Operation: Query, Query: strings.Repeat("[", MaxQuery), Text: "1"}, "unexpected EOF"},
		{"large program", Args{Operation: Query, Query: strings.Repeat(".", MaxQuery+1), Text: "1"}, "the argument \"query\" has 10001 bytes; the limit is 10000"},
		{"endless results", Args{Operation: Query, Query: `repeat("x" * 1000)`, Text: "1"}, "larger than the limit of 4194304 bytes"},
		{"deep result", Args{Operation: Query, Query: "reduce range(1500) as $i (0; [.])", Text: "1"}, "more than 1000 deep"},
		{"deep, to be checked", Args{Operation: Validate, Text: strings.Repeat("[", 2_000) + strings.Repeat("]", 2_000)}, "more than 1000 deep"},
		{"number too large", Args{Operation: Query, Query: ".", Text: "[1e999999999]"}, "the number 1e999999999 is too large for a query"},
		{"integer too large", Args{Operation: Query, Query: ".", Text: strings.Repeat("9", maxDigits+1)}, "is too large for a query"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := run(t, test.args)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v; want an error with %q", err, test.want)
			}
		})
	}
}

func TestQuery_endsAfterSteps(t *testing.T) {
	code, err := compile("def f: f; f")
	if err != nil {
		t.Fatal(err)
	}
	found, ok := code.RunWithContext(newBudget(1000), nil).Next()
	if err, _ := found.(error); !ok || err == nil || explain(err).Error() != errSteps.Error() {
		t.Errorf("got %v, want an error that the steps are used up", found)
	}
}

// A list that contains another list many times is small in memory but large when it is written.
func TestCollector_countsRepeatedLists(t *testing.T) {
	found := []any{1}
	for range 60 {
		found = []any{found, found}
	}
	c := collector{left: 10_000}
	if _, err := c.value(found, 0); err == nil || err.Error() != errTooMuch.Error() {
		t.Errorf("got %v, want an error that it is too large", err)
	}
}

// Formatting does not change the JSON values, and input that is not JSON is rejected.
func FuzzRun(f *testing.F) {
	f.Add("{\"a\":[1,2.50]}")
	f.Add("1 \"x\\u0000\" [{}]")
	f.Fuzz(func(t *testing.T, text string) {
		minified, err := run(t, Args{Operation: Minify, Text: text})
		if text == "" || err != nil {
			if err == nil || strings.Contains(err.Error(), "Go") || minified != "" {
				t.Errorf("got %q, %v", minified, err)
			}
			return
		}
		formatted, err := run(t, Args{Operation: Format, Text: text})
		if err != nil {
			t.Fatal(err)
		}
		again, err := run(t, Args{Operation: Minify, Text: formatted})
		if err != nil || again != minified {
			t.Errorf("%q became %q, %v", minified, again, err)
		}
	})
}
