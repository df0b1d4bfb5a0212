package jsontree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestParseRejects(t *testing.T) {
	for _, test := range []struct {
		name, doc string
		Limit     bool
		want      string
	}{
		{"empty", ``, false, "line 1, column 1: expected a value, got end of text"},
		{"white space", " \n ", false, "line 2, column 2"},
		{"byte order mark", "\ufeff{}", false, "byte order mark"},
		{"invalid byte", "{\"a\":\"é\xff\"}", false, "column 8: bytes that are not UTF-8"},
		{"surrogate as bytes", "\"\xed\xa0\x80\"", false, "not UTF-8"},
		{"replacement character before invalid byte", "\"\ufffd\xff\"", false, "column 3"},
		{"lone high surrogate", `"\ud800"`, false, "lone surrogate"},
		{"lone low surrogate", `"\udc00"`, false, "lone surrogate"},
		{"high surrogate and letter", `"\ud800\u0041"`, false, "lone surrogate"},
		{"high surrogate and cut escape", `"\ud800\u00"`, false, "lone surrogate"},
		{"duplicate name", `{"a":1,"a":2}`, false, `column 8: field "a" is given twice`},
		{"duplicate name after unescaping", `{"a":1,"\u0061":2}`, false, `field "a" is given twice`},
		{"duplicate among many", `{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0,"i":0,"j":0,"i":1}`, false, `field "i" is given twice`},
		{"nested duplicate", "{\"a\":[\n{\"b\":1,\"b\":1}]}", false, "line 2, column 8"},
		{"trailing data", `{} {}`, false, `unexpected "{" after the value`},
		{"trailing word", `1 abc`, false, `unexpected "abc" after the value`},
		{"trailing comma in object", `{"a":1,}`, false, "comma before '}'"},
		{"trailing comma in array", `[1,]`, false, "comma before ']'"},
		{"NaN", `[NaN]`, false, "JSON has no NaN"},
		{"Infinity", `Infinity`, false, "no Infinity"},
		{"negative infinity", `-Infinity`, false, "no Infinity"},
		{"Python literals", `{"a":True}`, false, "JSON writes true, false and null"},
		{"longer word", `truely`, false, `got "truely"`},
		{"single quotes", `{'a':1}`, false, "field name in double quotes"},
		{"single quoted value", `{"a":'x'}`, false, "JSON strings need double quotes"},
		{"comment", `{"a":1} // x`, false, "after the value"},
		{"plus sign", `+5`, false, "no plus sign"},
		{"leading zero", `05`, false, "leading zero"},
		{"hexadecimal", `0x10`, false, `unexpected "x10" in a number`},
		{"no fraction", `1.`, false, "digit after the decimal point"},
		{"no digits", `.5`, false, `got "."`},
		{"only a minus", `-`, false, "digit after '-'"},
		{"no exponent", `1e+`, false, "digit in the exponent"},
		{"huge exponent", `{"a":1e5000000}`, true, "column 6: number with an exponent beyond 1024"},
		{"huge negative exponent", `1e-30000000000000000000000`, true, "exponent"},
		{"long number", strings.Repeat("1", MaxNumberBytes+1), true, "number longer than 1024"},
		{"control character", "\"a\nb\"", false, "control character"},
		{"unknown escape", `"\x41"`, false, `unknown escape \x`},
		{"short escape", `"\u12"`, false, "four hexadecimal digits"},
		{"wrong escape", `"\u12zz"`, false, "four hexadecimal digits"},
		{"string without end", `"abc`, false, "column 1: string is not terminated"},
		{"escape without end", `"abc\`, false, "string is not terminated"},
		{"object without end", `{"a":1`, false, "expected ',' or '}', got end of text"},
		{"array without end", `[1`, false, "expected ',' or ']', got end of text"},
		{"value without end", `{"a":`, false, "got end of text"},
		{"no colon", `{"a" 1}`, false, `expected ':' after field "a"`},
		{"bad name", `{"a\q":1}`, false, "unknown escape"},
		{"bad value in array", `[1,x]`, false, `got "x"`},
		{"too deep", strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1), true, "nesting deeper than 64 levels"},
		{"very deep", strings.Repeat("[", 1_000_000), true, "nesting deeper"},
		{"too many values", "[" + strings.Repeat("0,", MaxValues) + "0]", true, "more than 262144 values"},
		{"too long", `"` + strings.Repeat("a", MaxBytes) + `"`, true, "at most 8388608 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var invalid *Error
			_, err := Parse(test.doc, Document("the document"))
			if !errors.As(err, &invalid) || invalid.Limit != test.Limit || !strings.Contains(invalid.Message, test.want) {
				t.Errorf("got %+v, want one with %q, of a limit: %v", err, test.want, test.Limit)
			}
		})
	}
}

func TestParseAccepts(t *testing.T) {
	for _, doc := range []string{
		`null`, ` true `, `-0`, `1e1024`, `1E-0000001024`, `9007199254740993`, strings.Repeat("1", MaxNumberBytes),
		`"\ud83d\ude00\"\\\/\b\f\n\r\t\u00e9"`, "\"\ufffd\"", "\"\u2028\"", `""`, `{"":{"":[]}}`, "\t[ ]\r\n",
		`{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0,"i":0,"j":0}`, `{"a":1,"A":2}`,
		strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth),
	} {
		if _, err := Parse(doc, Document("the document")); err != nil {
			t.Errorf("%.80s: %v", doc, err)
		}
		checkAgainstStandard(t, []byte(doc))
	}
}

// checkAgainstStandard compares the tree and the compact form of an accepted document with the
// results of encoding/json.
func checkAgainstStandard(t *testing.T, doc []byte) {
	t.Helper()
	v, err := Parse(doc, Document("the document"))
	if err != nil {
		return
	}
	want, err := decodeStandard(doc)
	if err != nil {
		t.Fatalf("encoding/json rejects %q, which was accepted: %v", doc, err)
	}
	if got := v.Tree(nil); !reflect.DeepEqual(got, want) {
		t.Fatalf("%q: got %#v, encoding/json has %#v", doc, got, want)
	}
	text := v.JSON()
	var compact bytes.Buffer
	if err := json.Compact(&compact, doc); err != nil || compact.String() != string(text) {
		t.Fatalf("%q: wrote %q, want %q (%v)", doc, text, compact.String(), err)
	}
	if values, depth := v.Measure(); values > MaxValues || depth > MaxDepth {
		t.Fatalf("%q: %d values, depth %d", doc, values, depth)
	}
}

func decodeStandard(doc []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(doc))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return nil, err
	}
	if decoder.More() {
		return nil, fmt.Errorf("trailing data")
	}
	return v, nil
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,-2.5e+3,true,false,null,"x\u00e9\ud83d\ude00"]}`, `{"a":1,"a":2}`, `"\ud800"`, "\ufeff1", `1e5000000`,
		`[[[[]]]]`, `{"\u0061":1}`, "\"\xff\"", `01`, `"\u12"`, `[1,]`, ` `, `-`, `"\/"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		checkAgainstStandard(t, doc)
	})
}

// Object returns the same fields as encoding/json.
func FuzzValue_Object(f *testing.F) {
	for _, seed := range []string{
		`{}`, `null`, `[]`, `"a"`, `{"a":null,"b":[],"c":{},"d":[null,{"e":""}]}`, `{"n":1.10,"big":9007199254740993,"huge":-1e400,"zero":-0}`,
		`{"\u0061\n":"\ud83d\ude00\/","":true," ":false}`, `{"deep":[[[[[[{"a":[{}]}]]]]]]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		v, err := Parse(doc, Document("the document"))
		if err != nil {
			return
		}
		got, ok := v.Object()
		var want map[string]any
		err = v.Decode(&want)
		if ok != (err == nil && want != nil) || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %#v, %v, want %#v, %v", doc, got, ok, want, err)
		}
	})
}
