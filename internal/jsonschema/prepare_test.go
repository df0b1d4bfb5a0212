package jsonschema

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

func TestPrepareKeepsLiterals(t *testing.T) {
	s := mustCompile(t, object(`"n":{"type":"number"},"i":{"type":"integer"},"s":{"type":"string"},"d":{"default":1.50},"o":{}`))
	for _, test := range []struct{ args, want string }{
		{`{"i":9007199254740993}`, `{"i":9007199254740993,"d":1.50}`},
		{`{"n":1.10,"d":1e2}`, `{"n":1.10,"d":1e2}`},
		{`{"n":123456789012345678901234567890.000,"d":0}`, `{"n":123456789012345678901234567890.000,"d":0}`},
		{`{"i":5.0,"d":0}`, `{"i":5.0,"d":0}`},
		{`{"i":1e2,"d":-0}`, `{"i":1e2,"d":-0}`},
		{"{ \"s\" : \"\\u0041\\/é\" ,\n\"d\":0}", `{"s":"\u0041\/é","d":0}`},
		{`{"d":0,"s":"x","n":1,"\u0069":2}`, `{"d":0,"s":"x","n":1,"\u0069":2}`},
		{`{"o":{"z":1,"a":[1.0,{"y":2,"x":3}]},"d":0}`, `{"o":{"z":1,"a":[1.0,{"y":2,"x":3}]},"d":0}`},
	} {
		if got := mustPrepare(t, s, test.args); string(got.JSON) != test.want || len(got.Warnings) > 0 {
			t.Errorf("%s: got %s, %q, want %s", test.args, got.JSON, got.Warnings, test.want)
		}
	}
}

func TestPrepareEmptyInput(t *testing.T) {
	s := mustCompile(t, object(`"limit":{"type":"integer","default":20}`))
	for _, args := range []string{"", " \t\r\n", "null", " null\n", "{}"} {
		if got := mustPrepare(t, s, args); string(got.JSON) != `{"limit":20}` {
			t.Errorf("%q: got %s", args, got.JSON)
		}
	}
	for _, args := range []string{"{", "nul", "undefined", "{}}", "\"", "\x00", "\u00a0"} {
		if violations := violationsOf(t, second(s.Prepare(t.Context(), []byte(args)))); violations[0].Kind != KindSyntax {
			t.Errorf("%q: got %+v", args, violations)
		}
	}
	for args, got := range map[string]string{
		`[1]`: "array [1]", `"{}"`: `string "{}"`, `5`: "number 5", `true`: "boolean true",
	} {
		violations := violationsOf(t, second(s.Prepare(t.Context(), []byte(args))))
		if want := "the arguments must be a JSON object, got " + got; len(violations) != 1 || violations[0] != (Violation{Kind: KindType, Message: want}) {
			t.Errorf("%q: got %+v, want %q", args, violations, want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestPrepareDefaults(t *testing.T) {
	leaf := `"type":"object","properties":{"b":{"default":1}}`
	for _, test := range []struct{ name, schema, args, want string }{
		{
			"schema order after what was sent", object(`"a":{"default":1},"b":{},"c":{"default":[3]},"d":{"default":null}`),
			`{"c":0,"b":0}`, `{"c":0,"b":0,"a":1,"d":null}`,
		},
		{"inside an object that was sent", object(`"a":{` + leaf + `}`), `{"a":{}}`, `{"a":{"b":1}}`},
		{"inside array items", object(`"a":{"type":"array","items":{` + leaf + `}}`), `{"a":[{},{"b":2}]}`, `{"a":[{"b":1},{"b":2}]}`},
		{"inside prefix items", object(`"a":{"prefixItems":[{},{` + leaf + `}],"items":{` + leaf + `}}`), `{"a":[{},{},{}]}`, `{"a":[{},{"b":1},{"b":1}]}`},
		{"inside a default", object(`"a":{` + leaf + `,"default":{}}`), `{}`, `{"a":{"b":1}}`},
		{"optional parent is not made", object(`"a":{` + leaf + `}`), `{}`, `{}`},
		{"required parent is made", object(`"a":{`+leaf+`}`, `"required":["a"]`), `{}`, `{"a":{"b":1}}`},
		{"two required parents are made", object(`"o":`+object(`"a":{`+leaf+`}`, `"required":["a"]`), `"required":["o"]`), `{}`, `{"o":{"a":{"b":1}}}`},
		{"nullable object that was sent", object(`"a":{"anyOf":[{` + leaf + `},{"type":"null"}]}`), `{"a":{}}`, `{"a":{"b":1}}`},
		{"null is kept", object(`"a":{"anyOf":[{` + leaf + `},{"type":"null"}],"default":{}}`), `{"a":null}`, `{"a":null}`},
		{"by reference", object(`"a":{"$ref":"#/$defs/l"}`, `"$defs":{"l":{`+leaf+`,"default":{}}}`), `{}`, `{"a":{"b":1}}`},
		{"beside a reference", object(`"a":{"$ref":"#/$defs/l","default":{"b":7}}`, `"$defs":{"l":{`+leaf+`,"default":{}}}`), `{}`, `{"a":{"b":7}}`},
		{"by allOf", object(`"a":{"allOf":[{` + leaf + `}],"default":{}}`), `{}`, `{"a":{"b":1}}`},
		{"by anchor", object(`"a":{"$ref":"#l"}`, `"$defs":{"l":{"$anchor":"l",`+leaf+`}}`), `{"a":{}}`, `{"a":{"b":1}}`},
		{"recursive schema", object(`"v":{"default":0},"next":{"$ref":"#"}`), `{"next":{"next":{}}}`, `{"next":{"next":{"v":0},"v":0},"v":0}`},
		{"under additionalProperties", object(`"x":{}`, `"additionalProperties":{`+leaf+`}`), `{"y":{}}`, `{"y":{"b":1}}`},
		{"not in an open choice", object(`"a":{"oneOf":[{` + leaf + `,"required":["k"]},{"type":"object","required":["j"]}]}`), `{"a":{"j":1}}`, `{"a":{"j":1}}`},
		{"not under a condition", `{"type":"object","if":true,"then":{` + leaf + `}}`, `{"c":1}`, `{"c":1}`},
		{"false is a value", object(`"a":{"type":"boolean","default":true}`), `{"a":false}`, `{"a":false}`},
		{"of the root", object(`"a":{}`, `"default":{"a":1}`), ``, `{"a":1}`},
		{"of the root, given an object", object(`"a":{}`, `"default":{"a":1}`), `{}`, `{}`},
		{"draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#",` + object(`"a":{"items":[{` + leaf + `}],"additionalItems":{` + leaf + `}}`)[1:], `{"a":[{},{}]}`, `{"a":[{"b":1},{"b":1}]}`},
		{"draft 7 ignores what stands beside a reference", `{"$schema":"http://json-schema.org/draft-07/schema#",` + object(`"a":{"$ref":"#/definitions/s","default":1}`, `"definitions":{"s":{"type":"string"}}`)[1:], `{}`, `{}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := mustCompile(t, test.schema)
			for range 3 {
				if got := mustPrepare(t, s, test.args); string(got.JSON) != test.want {
					t.Errorf("got %s, want %s", got.JSON, test.want)
				}
			}
		})
	}
}

func TestPrepareMissingRequiredParent(t *testing.T) {
	s := mustCompile(t, object(`"a":`+object(`"b":{"default":1},"c":{}`, `"required":["b","c"]`)+`,"f":{"type":"object"}`, `"required":["a","f"]`))
	violations := violationsOf(t, second(s.Prepare(t.Context(), nil)))
	if len(violations) != 2 || violations[0].Pointer != "/a" || violations[1].Pointer != "/f" || violations[0].Kind != KindMissing {
		t.Errorf("got %+v", violations)
	}
}

func TestPrepareCoercion(t *testing.T) {
	for _, test := range []struct{ schema, sent, want string }{
		// Conversions to integers and numbers.
		{`{"type":"integer"}`, `"500"`, `500`},
		{`{"type":"integer"}`, `"-7"`, `-7`},
		{`{"type":"integer"}`, `"9007199254740993"`, `9007199254740993`},
		{`{"type":["integer","null"]}`, `"5"`, `5`},
		{`{"anyOf":[{"type":"integer"},{"type":"null"}]}`, `"5"`, `5`},
		{`{"enum":[1,2]}`, `"2"`, `2`},
		{`{"const":3}`, `"3"`, `3`},
		{`{"type":"number"}`, `"1.50"`, `1.50`},
		{`{"type":"number"}`, `"-0.5"`, `-0.5`},
		{`{"type":"number","enum":[1.5]}`, `"1.5"`, `1.5`},
		{`{"allOf":[{"type":"number"},{"type":["integer","string"]}]}`, `"4"`, `4`},
		// Conversions to booleans.
		{`{"type":"boolean"}`, `"true"`, `true`},
		{`{"type":"boolean"}`, `"false"`, `false`},
		// Conversions to strings.
		{`{"type":"string"}`, `1.10`, `"1.10"`},
		{`{"type":"string"}`, `1e2`, `"1e2"`},
		{`{"type":"string"}`, `false`, `"false"`},
		{`{"type":["string","null"]}`, `12`, `"12"`},
		{`{"enum":["1","2"]}`, `2`, `"2"`},
		// Conversions from JSON in a string.
		{`{"type":"array","items":{"type":"integer"}}`, `"[1, \"2\"]"`, `[1,2]`},
		{`{"type":"object"}`, `"{\"a\":\"\\u0041\"}"`, `{"a":"\u0041"}`},
		{object(`"a":{"type":"integer"},"b":{"default":1}`), `"{\"a\":\"5\"}"`, `{"a":5,"b":1}`},
		// Unions and open schemas keep every value that they admit.
		{`{"type":["integer","string"]}`, `"42"`, `"42"`},
		{`{"type":["string","boolean"]}`, `"true"`, `"true"`},
		{`{"type":["object","string"]}`, `"{}"`, `"{}"`},
		{`{}`, `"42"`, `"42"`},
		{`true`, `"42"`, `"42"`},
		{`{"type":["string","null"]}`, `"null"`, `"null"`},
		{`{"type":"number"}`, `5`, `5`},
		{`{"type":"integer"}`, `5.0`, `5.0`},
	} {
		s := mustCompile(t, object(`"p":`+test.schema))
		got := mustPrepare(t, s, `{"p":`+test.sent+`}`)
		if want := `{"p":` + test.want + `}`; string(got.JSON) != want || len(got.Warnings) > 0 {
			t.Errorf("%s with %s: got %s, %q, want %s", test.schema, test.sent, got.JSON, got.Warnings, want)
		}
	}
}

func TestPrepareNoCoercion(t *testing.T) {
	for _, test := range []struct{ schema, sent string }{
		{`{"type":"integer"}`, `"0x10"`},
		{`{"type":"integer"}`, `"1e3"`},
		{`{"type":"number"}`, `"1E3"`},
		{`{"type":"integer"}`, `"1.5"`},
		{`{"type":"integer"}`, `"1.0"`},
		{`{"type":"integer"}`, `" 5 "`},
		{`{"type":"integer"}`, `"05"`},
		{`{"type":"integer"}`, `"+5"`},
		{`{"type":"integer"}`, `"-0"`},
		{`{"type":"number"}`, `"-0.00"`},
		{`{"type":"integer"}`, `"1_000"`},
		{`{"type":"integer"}`, `"٣"`},
		{`{"type":"integer"}`, `""`},
		{`{"type":"integer"}`, `"` + strings.Repeat("1", jsontree.MaxNumberBytes+1) + `"`},
		{`{"type":"number"}`, `"NaN"`},
		{`{"type":"number"}`, `".5"`},
		{`{"type":"integer"}`, `true`},
		{`{"type":"integer"}`, `null`},
		{`{"type":["integer","boolean"]}`, `"5"`},
		{`{"type":"boolean"}`, `"True"`},
		{`{"type":"boolean"}`, `"yes"`},
		{`{"type":"boolean"}`, `1`},
		{`{"type":"string"}`, `null`},
		{`{"type":"string"}`, `["a"]`},
		{`{"type":"array"}`, `"a"`},
		{`{"type":"array"}`, `5`},
		{`{"type":"array"}`, `"{}"`},
		{`{"type":"object"}`, `"[]"`},
		{`{"type":"object"}`, `"{\"a\":1,\"a\":2}"`},
		{`{"type":"object"}`, `"{\"a\":1} x"`},
		{`{"type":"object"}`, `"\"{}\""`},
		{`{"type":"array"}`, `"` + strings.Repeat("[", jsontree.MaxDepth) + strings.Repeat("]", jsontree.MaxDepth) + `"`},
		{`{"type":["array","object"]}`, `"[]"`},
	} {
		s := mustCompile(t, object(`"p":`+test.schema))
		violations := violationsOf(t, second(s.Prepare(t.Context(), []byte(`{"p":`+test.sent+`}`))))
		if len(violations) != 1 || violations[0].Kind != KindType || violations[0].Pointer != "/p" {
			t.Errorf("%s with %s: got %+v", test.schema, test.sent, violations)
		}
	}
}

func TestPrepareUndeclared(t *testing.T) {
	typed := `"type":"object","properties":{"file_path":{},"limit":{}}`
	for _, test := range []struct {
		name, schema, args, want string
		warnings                 []string
	}{
		{
			"dropped at the root", `{` + typed + `}`, `{"filePath":1,"limit":2}`, `{"limit":2}`,
			[]string{`parameter "filePath" is not declared and was dropped; did you mean "file_path"?`},
		},
		{
			"no likely name", `{` + typed + `}`, `{"explanation":"x"}`, `{}`,
			[]string{`parameter "explanation" is not declared and was dropped; declared are "file_path", "limit"`},
		},
		{
			"a slip", `{` + typed + `}`, `{"limti":1}`, `{}`,
			[]string{`parameter "limti" is not declared and was dropped; did you mean "limit"?`},
		},
		{
			"root without properties", `{"type":"object"}`, `{"a":1}`, `{}`,
			[]string{`parameter "a" is not declared and was dropped`},
		},
		{
			"nested", object(`"o":{"type":"array","items":{` + typed + `}}`), `{"o":[{"limits":1}]}`, `{"o":[{}]}`,
			[]string{`parameter "o[0].limits" is not declared and was dropped; did you mean "limit"?`},
		},
		{
			"by reference", object(`"o":{"$ref":"#/$defs/d"}`, `"$defs":{"d":{`+typed+`}}`), `{"o":{"x":1}}`, `{"o":{}}`,
			[]string{`parameter "o.x" is not declared and was dropped; declared are "file_path", "limit"`},
		},
		{
			"allOf declares together", object(`"o":{"allOf":[{` + typed + `},` + object(`"b":{}`) + `]}`), `{"o":{"b":1,"limit":2,"c":3}}`, `{"o":{"b":1,"limit":2}}`,
			[]string{`parameter "o.c" is not declared and was dropped; declared are "file_path", "limit", "b"`},
		},
		{
			"inside JSON in a string", object(`"o":{` + typed + `}`), `{"o":"{\"x\":1}"}`, `{"o":{}}`,
			[]string{`parameter "o.x" is not declared and was dropped; declared are "file_path", "limit"`},
		},
		{
			"hostile name", `{"type":"object"}`, `{"\u202e\u001b[2J":1}`, `{}`,
			[]string{`parameter "\u202e\x1b[2J" is not declared and was dropped`},
		},
		{"open map is kept", object(`"o":{"type":"object"}`), `{"o":{"x":{"y":1}}}`, `{"o":{"x":{"y":1}}}`, nil},
		{"untyped is kept", object(`"o":{}`), `{"o":{"x":1}}`, `{"o":{"x":1}}`, nil},
		{"additionalProperties true", object(`"a":{}`, `"additionalProperties":true`), `{"b":1}`, `{"b":1}`, nil},
		{"additionalProperties schema", object(`"a":{}`, `"additionalProperties":{"type":"integer"}`), `{"b":"1"}`, `{"b":1}`, nil},
		{"patternProperties", object(`"a":{}`, `"patternProperties":{"^x-":{}}`), `{"x-b":1,"c":2}`, `{"x-b":1,"c":2}`, nil},
		{"unevaluatedProperties", object(`"a":{}`, `"unevaluatedProperties":true`), `{"b":1}`, `{"b":1}`, nil},
		{"open choice", object(`"a":{}`, `"anyOf":[`+object(`"b":{}`)+`,`+object(`"c":{}`)+`]`), `{"b":1}`, `{"b":1}`, nil},
		{"condition", object(`"a":{}`, `"if":true,"then":`+object(`"b":{}`)), `{"b":1}`, `{"b":1}`, nil},
		{"dependentSchemas", object(`"a":{}`, `"dependentSchemas":{"b":true}`), `{"b":1}`, `{"b":1}`, nil},
		{"not", object(`"a":{}`, `"not":{"required":["c"]}`), `{"b":1}`, `{"b":1}`, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := mustPrepare(t, mustCompile(t, test.schema), test.args)
			if string(got.JSON) != test.want || !slices.Equal(got.Warnings, test.warnings) {
				t.Errorf("got %s, %q, want %s, %q", got.JSON, got.Warnings, test.want, test.warnings)
			}
		})
	}
}

func TestPrepareManyUndeclared(t *testing.T) {
	s := mustCompile(t, object(`"a":{}`))
	var fields []string
	for i := range 1000 {
		fields = append(fields, fmt.Sprintf(`"field%d":1`, i))
	}
	got := mustPrepare(t, s, "{"+strings.Join(fields, ",")+"}")
	if len(got.Warnings) != maxWarnings+1 || got.Warnings[maxWarnings] != "and 980 more undeclared fields were dropped" {
		t.Errorf("got %q", got.Warnings)
	}
}

func TestWarningsComeWithViolations(t *testing.T) {
	s := mustCompile(t, object(`"file_path":{"type":"string"}`, `"required":["file_path"]`))
	got, err := s.Prepare(t.Context(), []byte(`{"filePath":"x"}`))
	violations := violationsOf(t, err)
	want := `parameter "file_path" is required but missing; expected a string; "filePath" was sent instead`
	if len(violations) != 1 || violations[0].Message != want {
		t.Errorf("got %+v, want %q", violations, want)
	}
	if len(got.Warnings) != 1 || got.JSON != nil {
		t.Errorf("got %+v", got)
	}
}

func TestArgumentsText(t *testing.T) {
	s := mustCompile(t, object(`"s":{},"n":{},"b":{},"z":{},"a":{},"o":{},"d":{"default":7}`))
	got := mustPrepare(t, s, `{"s":"a\n\"b\"","n":1.10,"b":true,"z":null,"a":[ 1 ],"o":{"k": "v"}}`)
	for name, want := range map[string]string{
		"s": "a\n\"b\"", "n": "1.10", "b": "true", "a": "[1]", "o": `{"k":"v"}`, "d": "7",
	} {
		if text, ok := got.Text(name); !ok || text != want {
			t.Errorf("%s: got %q, %v, want %q", name, text, ok, want)
		}
	}
	for _, name := range []string{"z", "absent"} {
		if text, ok := got.Text(name); ok || text != "" {
			t.Errorf("%s: got %q, %v", name, text, ok)
		}
	}
	if _, ok := new(Arguments).Text("s"); ok {
		t.Error("the zero value has an argument")
	}
}

func TestPrepareConcurrently(t *testing.T) {
	s := mustCompile(t, object(`"n":{"type":"integer","minimum":10},"o":`+object(`"d":{"default":[{"x":1}]}`)))
	var group sync.WaitGroup
	for i := range 32 {
		group.Go(func() {
			for n := range 50 {
				args := fmt.Sprintf(`{"n":"%d","o":{},"x%d":1}`, n, i)
				got, err := s.Prepare(t.Context(), []byte(args))
				if (err == nil) != (n >= 10) {
					t.Errorf("%s: %v", args, err)
				}
				if err == nil && string(got.JSON) != fmt.Sprintf(`{"n":%d,"o":{"d":[{"x":1}]}}`, n) {
					t.Errorf("%s: got %s", args, got.JSON)
				}
			}
		})
	}
	group.Wait()
}

func TestPrepareGrowth(t *testing.T) {
	numbers := "[" + strings.Repeat("0,", 99) + "0]"
	for _, test := range []struct{ name, schema, args, want string }{
		{
			"values", object(`"a":{"items":` + object(`"d":{"default":`+numbers+`}`) + `}`),
			`{"a":[{}` + strings.Repeat(",{}", 5000) + `]}`, `parameter "a[2`,
		},
		{
			"depth", object(`"next":{"$ref":"#"},"d":{"default":[[[]]]}`),
			strings.Repeat(`{"d":0,"next":`, jsontree.MaxDepth-2) + "{}" + strings.Repeat("}", jsontree.MaxDepth-2), "nesting deeper than 64 levels once defaults are added",
		},
		{
			"bytes", object(`"a":{"items":` + object(`"d":{"default":"`+strings.Repeat("x", 100_000)+`"}`) + `}`),
			`{"a":[{}` + strings.Repeat(",{}", 100) + `]}`, "longer than 8388608 bytes once defaults are added",
		},
	} {
		violations := violationsOf(t, second(mustCompile(t, test.schema).Prepare(t.Context(), []byte(test.args))))
		if len(violations) != 1 || violations[0].Kind != KindLimit || !strings.Contains(violations[0].Message, test.want) {
			t.Errorf("%s: got %+v", test.name, violations)
		}
	}
}
