package jsonvalue

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func parsed(t *testing.T, text string) Value {
	t.Helper()
	v, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestParse_keepsWhatWasWritten(t *testing.T) {
	for _, text := range []string{
		`{"z": 1.10, "a": [9007199254740993, -0.0, 1E+2, 1e999999999], "": {}}`,
		`["<&>", "\u0001\"", "ü", null, true, false, []]`,
	} {
		if got := parsed(t, text).String(); got != text {
			t.Errorf("got %s, want %s", got, text)
		}
	}
	if got := parsed(t, `["\u00fc\/", "\ud83d\ude00", "\ud83d"]`).String(); got != `["ü/", "😀", "�"]` {
		t.Errorf("got %s", got)
	}
}

func TestParse_refuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "unexpected EOF",
		"[1":                                  "unexpected EOF",
		"[1]]":                                "invalid character ']'",
		"[1,]":                                "invalid character ','",
		"1 2":                                 "unexpected data after",
		`{"a": 01}`:                           "invalid character '1'",
		`{1: 2}`:                              "name must be a string",
		"\"\xff\"":                            "not valid UTF-8",
		`{"a": 1, "b": 2, "\u0061": 3}`:       `"a" occurs twice in an object`,
		"[" + strings.Repeat("0,", MaxValues): "more than 500000 values",
		strings.Repeat("[", MaxDepth+1):       "more than 1000 deep",
		strings.Repeat(`{"":`, MaxDepth+1):    "more than 1000 deep",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: got %v, want an error with %q", text, err, want)
		}
	}
}

func TestParse_acceptsUpToItsLimits(t *testing.T) {
	deep := strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth)
	if got := parsed(t, deep).String(); got != deep {
		t.Errorf("got %d bytes", len(got))
	}
	many := "[" + strings.Repeat("0,", MaxValues-2) + "0]"
	if got := len(parsed(t, many).Items()); got != MaxValues-1 {
		t.Errorf("got %d values", got)
	}
}

func TestParseText(t *testing.T) {
	values, err := ParseText("{\"a\": 1}\n{\"a\": 2} [] 3\n")
	if got := NewArray(values).String(); err != nil || got != `[{"a": 1}, {"a": 2}, [], 3]` {
		t.Errorf("got %s, %v", got, err)
	}
	for text, want := range map[string]string{
		" \n":                                "the text is empty; it must contain a JSON value",
		"[1,\n 2,,3]":                        "line 2, column 4: invalid character ','",
		"1 2\n[ü]":                           "line 2, column 2: invalid character 'ü'",
		"{\"ü\": \"":                         "line 1, column 8: the text ends inside a value",
		"1 {\"a\": 1,\n \"b\": 2, \"a\": 3}": `line 2, column 13: "a" occurs twice in an object; the names of an object must differ`,
		"1\n" + strings.Repeat("[", 1001):    "line 2, column 1001: arrays and objects are nested more than 1000 deep",
	} {
		if _, err := ParseText(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.20q: got %v, want %q", text, err, want)
		}
	}
}

func TestSplit(t *testing.T) {
	values, err := Split(" {\"a\": 1, \"a\": 2}\n[ \"\\ud83d\" ] 3 ")
	if got := string(bytes.Join(values, []byte("|"))); err != nil || got != `{"a": 1, "a": 2}|[ "\ud83d" ]|3` {
		t.Errorf("got %s, %v", got, err)
	}
	for text, want := range map[string]string{
		"":          "the text is empty; it must contain a JSON value",
		"1\n[":      "line 2, column 2: the text ends inside a value",
		"{'a':1}":   "line 1, column 2: invalid character '\\''",
		"\"\xff\"":  "not valid UTF-8",
		"\"\x01\"":  "line 1, column 2: invalid character",
		"1 tru 2":   "line 1, column 6: invalid character",
		"[1] ] [2]": "line 1, column 5: invalid character",
	} {
		if _, err := Split(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func TestLayout(t *testing.T) {
	v := parsed(t, `{"a": ["x", null], "b": [], "c": {}}`)
	for layout, want := range map[Layout]string{
		{}:                        `{"a":["x",null],"b":[],"c":{}}`,
		{Spaced: true}:            `{"a": ["x", null], "b": [], "c": {}}`,
		{Indent: 2}:               "{\n  \"a\": [\n    \"x\",\n    null\n  ],\n  \"b\": [],\n  \"c\": {}\n}",
		{Indent: 2, Spaced: true}: "{\n  \"a\": [\n    \"x\",\n    null\n  ],\n  \"b\": [],\n  \"c\": {}\n}",
	} {
		if got := string(layout.Append(nil, v)); got != want {
			t.Errorf("%+v: got %s, want %s", layout, got, want)
		}
	}
}

func TestLayout_endsAtItsMaximum(t *testing.T) {
	v := NewArray(make([]Value, 100_000))
	for range MaxDepth {
		v = NewArray([]Value{v})
	}
	if got := len(Layout{Indent: 8, Max: 10_000}.Append(nil, v)); got < 10_000 || got > 1_000_000 {
		t.Errorf("got %d bytes", got)
	}
}

// Objects with few members are stored differently from objects with many.
func TestMembers(t *testing.T) {
	for _, n := range []int{0, 1, few, few + 1, 100} {
		m := &Members{}
		for i := range n {
			m.Set(strconv.Itoa(i), NewInt(0))
		}
		for i := range n {
			m.Set(strconv.Itoa(i), NewInt(int64(i)))
			if err := m.Add(strconv.Itoa(i), NewNull()); err == nil {
				t.Errorf("%d of %d was added twice", i, n)
			}
		}
		clone := m.Clone()
		clone.Set("more", NewNull())
		if less := clone.without(clone.find("more")); less.Len() != n || less.find("more") >= 0 || n > 0 && less.find(strconv.Itoa(n-1)) != n-1 {
			t.Errorf("of %d, there are %d without the last", n, less.Len())
		}
		if err := clone.Add("last", NewNull()); err != nil {
			t.Error(err)
		}
		if m.Len() != n || clone.Len() != n+2 {
			t.Errorf("there are %d members, and %d in the clone of %d", m.Len(), clone.Len(), n)
		}
		if _, ok := m.Get("more"); ok {
			t.Errorf("a clone of %d changed them", n)
		}
		i := 0
		for name, v := range m.All() {
			again, ok := m.Get(name)
			if want := strconv.Itoa(i); !ok || name != want || v.Text() != want || again.Text() != want {
				t.Errorf("%d of %d is %q, %v, and got as %v", i, n, name, v, again)
			}
			i++
		}
		if n > 0 {
			less := m.without(0)
			for i := 1; i < n; i++ {
				if v, ok := less.Get(strconv.Itoa(i)); !ok || v.Text() != strconv.Itoa(i) {
					t.Errorf("of %d without the first, %d is %v", n, i, v)
				}
			}
			if _, ok := less.Get("0"); ok || less.Len() != n-1 || m.Len() != n {
				t.Errorf("of %d, the first was not left out", n)
			}
		}
	}
}

func TestOrder(t *testing.T) {
	values := parsed(t, `["b", 10, 9.5, null, 1e1, 95e-1, "a", -1.0]`).Items()
	if got := Order(values, false); !slices.Equal(got, []int{3, 7, 2, 5, 1, 4, 6, 0}) {
		t.Errorf("got %v", got)
	}
	if got := Order(values, true); !slices.Equal(got, []int{0, 6, 1, 4, 2, 5, 7, 3}) {
		t.Errorf("descending: got %v", got)
	}
}

func TestUnmarshalJSON_distinguishesNullFromAbsent(t *testing.T) {
	var args struct{ A, B Value }
	if err := json.Unmarshal([]byte(`{"a": null}`), &args); err != nil {
		t.Fatal(err)
	}
	if args.A.Kind() != Null || args.B.Kind() != Absent {
		t.Errorf("got %v and %v", args.A.Kind(), args.B.Kind())
	}
}

// Values on the same line are equal, and less than all values of the next line.
var inOrder = [][]string{
	{`null`},
	{`false`},
	{`true`},
	{`-1e9999999999999`},
	{`-1e400`},
	{`-12`, `-1.2e1`},
	{`-1.5`},
	{`0`, `-0`, `0.00`, `0e7`},
	{`1e-400`, `0.1e-399`},
	{`0.1`, `0.10`, `1e-1`},
	{`9007199254740992`},
	{`9007199254740993`, `9007199254740993.0`},
	{`1e400`, `10e399`},
	{`1.5e400`, `15e399`, `0.150e401`},
	{`1e9999999999999`, `1e99999999999999999999`}, // far beyond any use
	{`""`},
	{`"a"`},
	{`"a,"`},
	{`"b"`},
	{`[]`},
	{`[1]`, `[1.0]`},
	{`[1, null]`},
	{`[2]`},
	{`{}`},
	{`{"a": 1, "b": 2}`, `{"b": 2.0, "a": 1}`},
	{`{"a": 1, "b": 3}`},
	{`{"b": 0}`},
}

func TestCompare_andKey(t *testing.T) {
	type placed struct {
		place int
		v     Value
	}
	var all []placed
	for place, texts := range inOrder {
		for _, text := range texts {
			all = append(all, placed{place, parsed(t, text)})
		}
	}
	for _, a := range all {
		for _, b := range all {
			want := 0
			if a.place != b.place {
				want = 1
				if a.place < b.place {
					want = -1
				}
			}
			if got := a.v.Compare(b.v); got != want {
				t.Errorf("%v to %v: got %d, want %d", a.v, b.v, got, want)
			}
			if got := a.v.Key() == b.v.Key(); got != (want == 0) {
				t.Errorf("%v and %v have one key: %v", a.v, b.v, got)
			}
		}
	}
}

func TestSum(t *testing.T) {
	unscaled, places, err := Sum(parsed(t, `[0.1, 0.2, -1e2, 1e-5, 0, 9007199254740993]`).Items(), 100)
	if err != nil || places != 5 || unscaled.String() != "900719925474089330001" {
		t.Errorf("got %v, %d, %v", unscaled, places, err)
	}
	for _, text := range []string{`[1e100000000]`, `[1e-100000000]`, `[1` + strings.Repeat("1", 100) + `]`} {
		if _, _, err := Sum(parsed(t, text).Items(), 100); err == nil || !strings.Contains(err.Error(), "more than 100 digits") {
			t.Errorf("%.20s: got %v", text, err)
		}
	}
}

func TestParsePath(t *testing.T) {
	for text, want := range map[string]Path{
		"":             nil,
		"a.b.0":        {"a", "b", "0"},
		"a[0][-1].b":   {"a", "0", "-1", "b"},
		"[2]":          {"2"},
		"/":            {""},
		"/a.b/~1~0/0":  {"a.b", "/~", "0"},
		"/~01":         {"~1"},
		"user name.é]": {"user name", "é]"},
	} {
		got, err := ParsePath(text)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %q, %v; want %q", text, []string(got), err, []string(want))
		}
	}
	for text, want := range map[string]string{
		"a..b":                            "has an empty name",
		".":                               "has an empty name",
		"a[x]":                            "is not a valid path",
		"a[0":                             "is not a valid path",
		"a[0]b":                           "is not a valid path",
		strings.Repeat("/a", 1001):        "more than 1000 names",
		strings.Repeat("a.", 1001):        "has an empty name",
		"a" + strings.Repeat("[0]", 1000): "more than 1000 names",
	} {
		if _, err := ParsePath(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: got %v, want an error with %q", text, err, want)
		}
	}
}

func TestPaths(t *testing.T) {
	const text = `{"a": {"b": [1, {"c": 2}]}, "1": "x"}`
	for _, test := range []struct{ path, get, with, without string }{
		{"", text, `9`, text},
		{"1", `"x"`, `{"a": {"b": [1, {"c": 2}]}, "1": 9}`, `{"a": {"b": [1, {"c": 2}]}}`},
		{"a.b[0]", `1`, `{"a": {"b": [9, {"c": 2}]}, "1": "x"}`, `{"a": {"b": [{"c": 2}]}, "1": "x"}`},
		{"/a/b/-1/c", `2`, `{"a": {"b": [1, {"c": 9}]}, "1": "x"}`, `{"a": {"b": [1, {}]}, "1": "x"}`},
		{"/a/b/-", "", `{"a": {"b": [1, {"c": 2}, 9]}, "1": "x"}`, ""},
		{"a.b.2.d", "", `{"a": {"b": [1, {"c": 2}, {"d": 9}]}, "1": "x"}`, ""},
		{"a.new.deep", "", `{"a": {"b": [1, {"c": 2}], "new": {"deep": 9}}, "1": "x"}`, ""},
		{"a.b.3", "", `"3" is not an index of the array at "/a/b", which has length 2`, ""},
		{"a.b.01", "", `"01" is not an index`, ""},
		{"a.b.-3", "", `"-3" is not an index`, ""},
		{"1.x", "", `the value at "/1" is a string, which has no members`, ""},
	} {
		t.Run(test.path, func(t *testing.T) {
			v := parsed(t, text)
			path, err := ParsePath(test.path)
			if err != nil {
				t.Fatal(err)
			}
			got, ok := v.Get(path)
			if ok != (test.get != "") || ok && got.String() != test.get {
				t.Errorf("get: got %v, %v; want %s", got, ok, test.get)
			}
			with, err := v.With(path, NewInt(9))
			if err != nil && !strings.HasPrefix(err.Error(), test.with) || err == nil && with.String() != test.with {
				t.Errorf("with: got %v, %v; want %s", with, err, test.with)
			}
			without, ok := v.Without(path)
			if ok != (test.without != "" && test.path != "") || ok && without.String() != test.without {
				t.Errorf("without: got %v, %v; want %s", without, ok, test.without)
			}
			if v.String() != text {
				t.Errorf("the value itself became %v", v)
			}
		})
	}
}

// Writing and reading a value, with this or another decoder, gives the same value.
func FuzzParse(f *testing.F) {
	for _, texts := range inOrder {
		for _, text := range texts {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := Parse([]byte(text))
		if err != nil {
			return
		}
		if !json.Valid([]byte(text)) {
			t.Fatalf("%q was read", text)
		}
		again := parsed(t, v.String())
		if again.Compare(v) != 0 || again.Key() != v.Key() || again.String() != v.String() {
			t.Errorf("%q became %v and then %v", text, v, again)
		}
	})
}
