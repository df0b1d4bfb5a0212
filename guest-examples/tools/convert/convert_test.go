package convert

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
)

func run(args Args) (string, error) {
	fsys := fstest.MapFS{
		"a.yml":  {Data: []byte("a: 1\n")},
		"a.csv":  {Data: []byte("\xef\xbb\xbfa,b\n1,2\n")},
		"a.conf": {Data: []byte("a = 1\n")},
	}
	var out strings.Builder
	err := Run(fsys, args, &out)
	return out.String(), err
}

// compact converts data to JSON and removes line breaks and indentation.
func compact(t *testing.T, args Args) string {
	t.Helper()
	args.To = JSON
	out, err := run(args)
	if err != nil {
		t.Errorf("%.60q: %v", args.Text, err)
		return ""
	}
	value, err := readJSON(out)
	if err != nil {
		t.Errorf("%.60q: the result is not JSON: %v", args.Text, err)
	}
	return string(jsonvalue.Layout{Max: MaxOutput}.Append(nil, value))
}

func TestYAML_read(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  `null`,
		"# only a comment":                  `null`,
		"[no, yes, on, off, y, n, 1_000]":   `["no","yes","on","off","y","n","1_000"]`,
		"[true, False, ~, null, '', \"1\"]": `[true,false,null,null,"","1"]`,
		"[1.10, 9007199254740993, -0, +7, 007, .5, 1., 1e400]":                   `[1.10,9007199254740993,-0,7,7,0.5,1.0,1e400]`,
		"[0x10, 0o17, 0b1, 1:30, 0x]":                                            `[16,15,"0b1","1:30","0x"]`,
		"[2026-01-31, 2026-01-31T10:00:00Z]":                                     `["2026-01-31","2026-01-31T10:00:00Z"]`,
		"b: 1\na: {c: [x, {}]}\n2: z":                                            `{"b":1,"a":{"c":["x",{}]},"2":"z"}`,
		"a: &x [1]\nb: *x":                                                       `{"a":[1],"b":[1]}`,
		"%YAML 1.2\n---\na: 1":                                                   `{"a":1}`,
		"# c\n\n%YAML  1.1 # old\n%TAG ! tag:yaml.org,2002:\n%NEW x\n--- !str 1": `"1"`,
		"%YAML 1.3\n--- [a]\n...\n\n":                                            `["a"]`,
		"a: |\n  %YAML 9\nb: '\n\n  %x'\nc: x%d":                                 `{"a":"%YAML 9\n","b":"\n%x","c":"x%d"}`,
		"- ! 12\n- ! ~":                                                          `["12","~"]`,
		"d: &d {x: 1, y: 2}\ne:\n  <<: *d\n  y: 3":                               `{"d":{"x":1,"y":2},"e":{"y":3,"x":1}}`,
		"<<: [{a: 1}, {a: 2, b: 3}]":                                             `{"a":1,"b":3}`,
		"'<<': 1":                                                                `{"<<":1}`,
		"[!!str 12, !!int 12, !!float 1.0, !!binary aGk=]":                       `["12",12,1.0,"aGk="]`,
		"a: |\n  x\n  y\nb: >-\n  x\n  y":                                        `{"a":"x\ny\n","b":"x y"}`,
	} {
		if got := compact(t, Args{From: YAML, Text: text + "\n"}); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

func TestTOML_read(t *testing.T) {
	for text, want := range map[string]string{
		"b = 1\na = 1.10": `{"b":1,"a":1.10}`,
		"a = [0xff, 0o17, 0b11, 1_000, +5, -0.0, 1e5]":                          `{"a":[255,15,3,1000,5,-0.0,1e5]}`,
		"a = [2026-01-31, 07:30:00, 2026-01-31T10:00:00Z, 2026-01-31 10:00:00]": `{"a":["2026-01-31","07:30:00","2026-01-31T10:00:00Z","2026-01-31 10:00:00"]}`,
		"a.b.c = 1\na.d = 2\n[x.y]\nz = true\n[x]\nw = 'q'":                     `{"a":{"b":{"c":1},"d":2},"x":{"y":{"z":true},"w":"q"}}`,
		"[[p]]\nn = 1\n[[p.q]]\nm = 2\n[[p]]\n":                                 `{"p":[{"n":1,"q":[{"m":2}]},{}]}`,
		"a = { b.c = 1, \"d e\" = [ # comment\n {}, [] ] }":                     `{"a":{"b":{"c":1},"d e":[{},[]]}}`,
		"s = \"\"\"\na\\tb \\\n   c\"\"\"":                                      `{"s":"a\tb c"}`,
	} {
		if got := compact(t, Args{From: TOML, Text: text + "\n"}); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

func TestCSV_read(t *testing.T) {
	tests := []struct {
		args Args
		want string
	}{
		{Args{From: CSV, Text: "b,a\n1,\"x,\"\"\ny\"\n"}, `[{"b":"1","a":"x,\"\ny"}]`},
		{Args{From: CSV, Text: "a\n", Types: true}, `[]`},
		{Args{From: CSV, Text: "a,b,c,d,e,f\n1.10,,null,true,007,-x\n", Types: true}, `[{"a":1.10,"b":null,"c":null,"d":true,"e":"007","f":"-x"}]`},
		{Args{From: CSV, Text: "1;2\n", NoHeader: true, Delimiter: ";"}, `[["1","2"]]`},
		{Args{From: TSV, Text: "a\tb\n1\t2,3\n"}, `[{"a":"1","b":"2,3"}]`},
		{Args{From: TSV, Text: "a\tb\r1\t2\r3\t4"}, `[{"a":"1","b":"2"},{"a":"3","b":"4"}]`},
		{Args{From: CSV, Text: "\r\ra,b\r\n\r\n1,2\n\r3,\r"}, `[{"a":"1","b":"2"},{"a":"3","b":""}]`},
		{Args{From: CSV, Text: "a\r\"x\ry\r\nz\"\r"}, `[{"a":"x\ry\r\nz"}]`},
		{Args{From: CSV, Text: "\ufeff\"a\",b\n1,2\n"}, `[{"a":"1","b":"2"}]`},
		{Args{From: CSV, Text: "1→2", NoHeader: true, Delimiter: "→"}, `[["1","2"]]`},
		{Args{From: JSON, Text: "\ufeff{\"a\":1}"}, `{"a":1}`},
		{Args{From: TOML, Text: "\ufeffa = 1"}, `{"a":1}`},
		{Args{From: YAML, Text: "\ufeffa: 1"}, `{"a":1}`},
		{Args{FilePath: "a.csv"}, `[{"a":"1","b":"2"}]`},
		{Args{FilePath: "a.yml"}, `{"a":1}`},
		{Args{FilePath: "a.conf", From: TOML}, `{"a":1}`},
		{Args{From: JSON, Text: "{\"a\":1}\n{\"a\":2}\n"}, `[{"a":1},{"a":2}]`},
	}
	for _, test := range tests {
		if got := compact(t, test.args); got != test.want {
			t.Errorf("%+v: got %s, want %s", test.args, got, test.want)
		}
	}
}

func TestWrite(t *testing.T) {
	tests := []struct {
		to   Format
		text string
		want string
	}{
		{YAML, `{"b":[1.10,{"c":null,"d":[]}],"a":{}}`, "b:\n  - 1.10\n  - c: null\n    d: []\na: {}\n"},
		{YAML, `["no","1","x: y","# z","a\nb\n","","~","2026-01-31","<<","tab\t","é"]`, "- \"no\"\n- \"1\"\n- 'x: y'\n- '# z'\n- |\n  a\n  b\n- \"\"\n- \"~\"\n- \"2026-01-31\"\n- \"<<\"\n- \"tab\\t\"\n- é\n"},
		{YAML, `1e400`, "1e400\n"},
		{TOML, `{"a":1,"t":{"x":[1,{"y":"z"}]},"b":"\u007f\u0000\"é","c d":1.5}`, "a = 1\nb = \"\\u007f\\u0000\\\"é\"\n\"c d\" = 1.5\n\n[t]\nx = [1, {y = \"z\"}]\n"},
		{TOML, `{"e":[],"l":[{"a":{"b":1}},{}]}`, "e = []\n\n[[l]]\n\n[l.a]\nb = 1\n\n[[l]]\n"},
		{TOML, `{}`, ""},
		{CSV, `[{"b":1.10,"a":"x,y"},{"c":[1,null],"b":null}]`, "b,a,c\n1.10,\"x,y\",\n,,\"[1,null]\"\n"},
		{CSV, `[["a",true],[]]`, "a,true\n\n"},
		{CSV, `[{"a":""},{"a":null}]`, "a\n\"\"\n\"\"\n"},
		{CSV, `[]`, ""},
		{TSV, `[{"a":"x\ty","b":2}]`, "a\tb\n\"x\ty\"\t2\n"},
	}
	for _, test := range tests {
		if got, err := run(Args{From: JSON, To: test.to, Text: test.text}); err != nil || got != test.want {
			t.Errorf("%s as %s: got %q, %v; want %q", test.text, test.to, got, err, test.want)
		}
	}
}

func TestRun_errors(t *testing.T) {
	tests := []struct {
		args Args
		want string
	}{
		{Args{To: JSON, Text: "1"}, "the argument \"from\" is missing"},
		{Args{To: JSON, FilePath: "a.conf"}, "the argument \"from\" is missing"},
		{Args{From: "xml", To: JSON, Text: "1"}, `the argument "from" is "xml"; it must be json, yaml, toml, csv or tsv`},
		{Args{From: JSON, Text: "1"}, `the argument "to" is ""`},
		{Args{From: JSON, To: YAML}, "give text or file_path"},
		{Args{From: JSON, To: YAML, Text: "[1,]"}, "the data is not valid JSON: line 1, column 3: invalid character ','"},
		{Args{From: JSON, To: YAML, Text: `{"a":1,"a":2}`}, `"a" occurs twice`},
		{Args{From: YAML, To: JSON, Text: "a: 1\na: 2"}, "occurs twice"},
		{Args{From: YAML, To: JSON, Text: "a: [1"}, "not valid YAML: "},
		{Args{From: YAML, To: JSON, Text: "a: 1\n---\nb: 2"}, "more than one document"},
		{Args{From: YAML, To: JSON, Text: "? [a]\n: 1"}, "line 1: a key is a sequence"},
		{Args{From: YAML, To: JSON, Text: "a: !Ref b"}, `the tag "!Ref" has no meaning outside YAML`},
		{Args{From: YAML, To: JSON, Text: "a: !!int x"}, `"x" is not of type !!int`},
		{Args{From: YAML, To: JSON, Text: "%YAML 2.0\n---\na"}, `line 1: "%YAML 2.0" is not a directive such as %YAML 1.2; only versions 1.x can be read`},
		{Args{From: YAML, To: JSON, Text: "%YAML 1.2 x\n---\na"}, "line 1: "},
		{Args{From: YAML, To: JSON, Text: "%YAML 1.2#x\n---\na"}, "line 1: "},
		{Args{From: YAML, To: JSON, Text: "\n%YAML 1.2\n%YAML 1.2\n---\na"}, "line 3: the directive %YAML occurs twice"},
		{Args{From: YAML, To: JSON, Text: "%YAML 1.2\na: 1"}, `line 2: after the directives, a document begins with "---"`},
		{Args{From: YAML, To: JSON, Text: "%YAML 1.2\n"}, "no document follows the directives"},
		{Args{From: YAML, To: JSON, Text: "a: 1\n...\n%YAML 1.2\n---\nb"}, "more than one document"},
		{Args{From: YAML, To: JSON, Text: "a: .inf"}, ".inf is a number that other formats can't represent"},
		{Args{From: YAML, To: JSON, Text: "a: *x"}, "unknown anchor"},
		{Args{From: YAML, To: JSON, Text: "<<: 1"}, "<< refers to a value of type number"},
		{Args{From: TOML, To: JSON, Text: "a = 1\na = 2"}, "line 2, column 1: "},
		{Args{From: TOML, To: JSON, Text: "a = \n"}, "line 1, column 5: "},
		{Args{From: TOML, To: JSON, Text: "a = 1\n[a.b]"}, `"a" is a value`},
		{Args{From: TOML, To: JSON, Text: "a = nan"}, "nan is a number that other formats can't represent"},
		{Args{From: TOML, To: JSON, Text: "[a]\n[a]"}, "line 2"},
		{Args{From: CSV, To: JSON, Text: "a,b\n1\n"}, "line 2 has 1 cell, but the lines before it have 2"},
		{Args{From: CSV, To: JSON, Text: "a,a\n1,2\n"}, `the header: "a" occurs twice`},
		{Args{From: CSV, To: JSON, Text: "a,b\n\"x\r\n\ry\",\"z\n"}, "line 4, column 4: the quote is not closed"},
		{Args{From: CSV, To: JSON, Text: "a\r\"é\"x\r"}, "line 2, column 4: a cell continues after its closing quote"},
		{Args{From: TSV, To: JSON, Text: "a\n5\" pipe\n"}, "line 2, column 2: a quote is inside a cell"},
		{Args{From: CSV, To: JSON, Text: "a,b\r\n\"1\r\n2\",3\r\n4\r\n"}, "line 4 has 1 cell"},
		{Args{From: CSV, To: JSON, Text: "a", Delimiter: "ab"}, "the argument \"delimiter\" is"},
		{Args{From: CSV, To: JSON, Text: "a", Delimiter: "\""}, "the argument \"delimiter\" is"},
		{Args{From: TSV, To: JSON, Text: "a", Delimiter: ";"}, "use csv"},
		{Args{From: JSON, To: CSV, Text: `{"a":1}`}, "a table is an array of objects or of arrays"},
		{Args{From: JSON, To: CSV, Text: `[{"a":1},[1]]`}, "item 2 is of type array, but the first is of type object"},
		{Args{From: JSON, To: CSV, Text: `[1]`}, "item 1 is of type number"},
		{Args{From: JSON, To: TOML, Text: `[1]`}, "put it into an object"},
		{Args{From: JSON, To: TOML, Text: `{"a":[{"b":[null]}]}`}, "a.b is null"},
		{Args{From: JSON, To: TOML, Text: `{"a":9223372036854775808}`}, "a is 9223372036854775808: TOML integers are limited to 64 bits"},
		{Args{From: JSON, To: TOML, Text: `{"a":1e400}`}, "TOML floats are limited to 1.8e308"},
	}
	for _, test := range tests {
		if got, err := run(test.args); err == nil || !strings.Contains(err.Error(), test.want) || got != "" {
			t.Errorf("%+v: got %q, %v; want an error with %q", test.args, got, err, test.want)
		}
	}
}

func TestRun_hostile(t *testing.T) {
	laughs := "a: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c <= 'k'; c++ {
		laughs += strings.ReplaceAll("N: &N [*P, *P, *P, *P, *P, *P, *P, *P, *P]\n", "N", string(c))
		laughs = strings.ReplaceAll(laughs, "P", string(c-1))
	}
	long := "a: &a " + strings.Repeat("x", 100_000) + "\nb: [" + strings.Repeat("*a,", 1000) + "]\n"
	tests := []struct {
		name string
		args Args
		want string
	}{
		{"billion laughs", Args{From: YAML, To: JSON, Text: laughs}, "after aliases are expanded, there are more than 500000 values"},
		{"long texts, many times", Args{From: YAML, To: JSON, Text: long}, "after aliases are expanded, the data is larger than"},
		{"an alias in itself", Args{From: YAML, To: JSON, Text: "a: &a [*a]"}, "more than 1000 deep"},
		{"deep YAML", Args{From: YAML, To: JSON, Text: strings.Repeat("[", 100_000)}, "depth"},
		{"large YAML", Args{From: YAML, To: JSON, Text: strings.Repeat("#", maxYAML+1)}, "the limit for YAML is 1048576"},
		{"deep TOML", Args{From: TOML, To: JSON, Text: "a = " + strings.Repeat("[", 100_000)}, "more than 1000 deep"},
		{"long key of TOML", Args{From: TOML, To: JSON, Text: strings.Repeat("a.", 100_000) + "a = 1"}, "more than 1000 deep"},
		{"long keys in tables of TOML", Args{From: TOML, To: JSON, Text: strings.Repeat(strings.Repeat("a.", 100)+"a={", 900) + strings.Repeat("}", 900)}, "more than 1000 deep"},
		{"many values of YAML", Args{From: YAML, To: JSON, Text: strings.Repeat("-\n", 2*maxNodes+1)}, "more than 60000 values"},
		{"many values of TOML", Args{From: TOML, To: JSON, Text: "a=[" + strings.Repeat("1,", maxNodes) + "]"}, "more than 60000 values"},
		{"many values to YAML", Args{From: JSON, To: YAML, Text: "[" + strings.Repeat("1,", maxNodes) + "1]"}, "more than 60000 values"},
		{"deep JSON", Args{From: JSON, To: YAML, Text: strings.Repeat("[", 5000) + strings.Repeat("]", 5000)}, "more than 1000 deep"},
		{"many columns", Args{From: JSON, To: CSV, Text: "[" + manyColumns(4000) + "]"}, "the result is larger"},
		{"large base", Args{From: YAML, To: JSON, Text: "0x" + strings.Repeat("f", 100_000)}, "more than the limit of 1000 digits"},
		{"not UTF-8", Args{From: YAML, To: JSON, Text: "a: \xff"}, "UTF-8"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if _, err := run(test.args); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}

// manyColumns returns n objects, each with one member. All members have different names.
func manyColumns(n int) string {
	var objects []string
	for i := range n {
		objects = append(objects, `{"`+strings.Repeat("x", i%50)+string(rune('a'+i/50))+`":1}`)
	}
	return strings.Join(objects, ",")
}

// Data that is written in another format and read again is unchanged.
func FuzzRun_roundTrip(f *testing.F) {
	f.Add(`{"a":[1.10,"no",null,{"b c":"x\ny"}],"":"\u0085 # :"}`)
	f.Add(`["- a","? b","a\n\n b\n\n"," x"," \n x","\ta\nb","x: ","null","0x1f","\u2028","%","@","` + "`" + `"]`)
	f.Add(`{"a":{"b":{"c":[{"d":1},{"e":"\u007f"}]}},"<<":"=","1:30":"'\""}`)
	f.Fuzz(func(t *testing.T, text string) {
		want, err := readJSON(text)
		if err != nil {
			return
		}
		lay := jsonvalue.Layout{Max: MaxOutput}
		if out, err := writeYAML(want); err == nil {
			got, err := readYAML(string(out))
			if err != nil || string(lay.Append(nil, got)) != string(lay.Append(nil, want)) {
				t.Errorf("%q as YAML is %q, which reads %s, %v", text, out, lay.Append(nil, got), err)
			}
		}
		if out, err := writeTOML(want); err == nil {
			got, err := readTOML(string(out))
			if err != nil || !sameMembers(got, want) {
				t.Errorf("%q as TOML is %q, which reads %s, %v", text, out, lay.Append(nil, got), err)
			}
		}
	})
}

// sameMembers reports whether a and b have equal members and the same digits in numbers. It ignores
// the order of members, which TOML may change.
func sameMembers(a, b jsonvalue.Value) bool {
	if a.Kind() != b.Kind() || a.Text() != b.Text() || len(a.Items()) != len(b.Items()) || a.Members().Len() != b.Members().Len() {
		return false
	}
	for i := range a.Items() {
		if !sameMembers(a.Items()[i], b.Items()[i]) {
			return false
		}
	}
	for name, member := range a.Members().All() {
		if other, ok := b.Members().Get(name); !ok || !sameMembers(member, other) {
			return false
		}
	}
	return true
}
