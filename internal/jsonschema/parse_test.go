package jsonschema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
)

func TestParseStrictRejects(t *testing.T) {
	for _, test := range []struct {
		name, doc string
		kind      Kind
		want      string
	}{
		{"empty", ``, KindSyntax, "line 1, column 1: expected a value, got end of text"},
		{"white space", " \n ", KindSyntax, "line 2, column 2"},
		{"byte order mark", "\ufeff{}", KindSyntax, "byte order mark"},
		{"invalid byte", "{\"a\":\"é\xff\"}", KindSyntax, "column 8: bytes that are not UTF-8"},
		{"surrogate as bytes", "\"\xed\xa0\x80\"", KindSyntax, "not UTF-8"},
		{"replacement character before invalid byte", "\"\ufffd\xff\"", KindSyntax, "column 3"},
		{"lone high surrogate", `"\ud800"`, KindSyntax, "half of a surrogate pair"},
		{"lone low surrogate", `"\udc00"`, KindSyntax, "half of a surrogate pair"},
		{"high surrogate and letter", `"\ud800\u0041"`, KindSyntax, "half of a surrogate pair"},
		{"high surrogate and cut escape", `"\ud800\u00"`, KindSyntax, "half of a surrogate pair"},
		{"duplicate name", `{"a":1,"a":2}`, KindSyntax, `column 8: field "a" is given twice`},
		{"duplicate name after unescaping", `{"a":1,"\u0061":2}`, KindSyntax, `field "a" is given twice`},
		{"duplicate among many", `{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0,"i":0,"j":0,"i":1}`, KindSyntax, `field "i" is given twice`},
		{"nested duplicate", "{\"a\":[\n{\"b\":1,\"b\":1}]}", KindSyntax, "line 2, column 8"},
		{"trailing data", `{} {}`, KindSyntax, `unexpected "{" after the value`},
		{"trailing word", `1 abc`, KindSyntax, `unexpected "abc" after the value`},
		{"trailing comma in object", `{"a":1,}`, KindSyntax, "comma before '}'"},
		{"trailing comma in array", `[1,]`, KindSyntax, "comma before ']'"},
		{"NaN", `[NaN]`, KindSyntax, "JSON has no NaN"},
		{"Infinity", `Infinity`, KindSyntax, "no Infinity"},
		{"negative infinity", `-Infinity`, KindSyntax, "no Infinity"},
		{"Python literals", `{"a":True}`, KindSyntax, "JSON writes true, false and null"},
		{"longer word", `truely`, KindSyntax, `got "truely"`},
		{"single quotes", `{'a':1}`, KindSyntax, "field name in double quotes"},
		{"single quoted value", `{"a":'x'}`, KindSyntax, "JSON strings take double quotes"},
		{"comment", `{"a":1} // x`, KindSyntax, "after the value"},
		{"plus sign", `+5`, KindSyntax, "no plus sign"},
		{"leading zero", `05`, KindSyntax, "leading zero"},
		{"hexadecimal", `0x10`, KindSyntax, `unexpected "x10" in a number`},
		{"no fraction", `1.`, KindSyntax, "digit after the decimal point"},
		{"no digits", `.5`, KindSyntax, `got "."`},
		{"only a minus", `-`, KindSyntax, "digit after '-'"},
		{"no exponent", `1e+`, KindSyntax, "digit in the exponent"},
		{"huge exponent", `{"a":1e5000000}`, KindLimit, "column 6: number with an exponent beyond 1024"},
		{"huge negative exponent", `1e-30000000000000000000000`, KindLimit, "exponent"},
		{"long number", strings.Repeat("1", MaxNumberBytes+1), KindLimit, "number longer than 1024"},
		{"control character", "\"a\nb\"", KindSyntax, "control character"},
		{"unknown escape", `"\x41"`, KindSyntax, `unknown escape \x`},
		{"short escape", `"\u12"`, KindSyntax, "four hexadecimal digits"},
		{"wrong escape", `"\u12zz"`, KindSyntax, "four hexadecimal digits"},
		{"string without end", `"abc`, KindSyntax, "column 1: string without an end"},
		{"escape without end", `"abc\`, KindSyntax, "string without an end"},
		{"object without end", `{"a":1`, KindSyntax, "expected ',' or '}', got end of text"},
		{"array without end", `[1`, KindSyntax, "expected ',' or ']', got end of text"},
		{"value without end", `{"a":`, KindSyntax, "got end of text"},
		{"no colon", `{"a" 1}`, KindSyntax, `expected ':' after field "a"`},
		{"bad name", `{"a\q":1}`, KindSyntax, "unknown escape"},
		{"bad value in array", `[1,x]`, KindSyntax, `got "x"`},
		{"too deep", strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1), KindLimit, "nesting deeper than 64 levels"},
		{"very deep", strings.Repeat("[", 1_000_000), KindLimit, "nesting deeper"},
		{"too many values", "[" + strings.Repeat("0,", MaxValues) + "0]", KindLimit, "more than 262144 values"},
		{"too long", `"` + strings.Repeat("a", MaxDocumentBytes) + `"`, KindLimit, "at most 8388608 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			faults := faultsOf(t, ParseStrict([]byte(test.doc)))
			if len(faults) != 1 || faults[0].Kind != test.kind || !strings.Contains(faults[0].Message, test.want) {
				t.Errorf("got %+v, want one of kind %s with %q", faults, test.kind, test.want)
			}
		})
	}
}

func TestParseStrictAccepts(t *testing.T) {
	for _, doc := range []string{
		`null`, ` true `, `-0`, `1e1024`, `1E-0000001024`, `9007199254740993`, strings.Repeat("1", MaxNumberBytes),
		`"\ud83d\ude00\"\\\/\b\f\n\r\t\u00e9"`, "\"\ufffd\"", "\"\u2028\"", `""`, `{"":{"":[]}}`, "\t[ ]\r\n",
		`{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0,"i":0,"j":0}`, `{"a":1,"A":2}`,
		strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth),
	} {
		if err := ParseStrict([]byte(doc)); err != nil {
			t.Errorf("%.80s: %v", doc, err)
		}
		checkAgainstStandard(t, []byte(doc))
	}
}

// checkAgainstStandard compares an accepted document with what encoding/json
// makes of it: the tree, and the text written from it.
func checkAgainstStandard(t *testing.T, doc []byte) {
	t.Helper()
	v, fault := parse(string(doc), documentBounds("the document"))
	if fault != nil {
		return
	}
	want, err := decodeStandard(doc)
	if err != nil {
		t.Fatalf("encoding/json rejects %q, which was accepted: %v", doc, err)
	}
	if got := v.tree(nil); !reflect.DeepEqual(got, want) {
		t.Fatalf("%q: got %#v, encoding/json has %#v", doc, got, want)
	}
	text := v.appendJSON(nil, math.MaxInt)
	var compact bytes.Buffer
	if err := json.Compact(&compact, doc); err != nil || compact.String() != string(text) {
		t.Fatalf("%q: wrote %q, want %q (%v)", doc, text, compact.String(), err)
	}
	if values, depth := v.measure(); values > MaxValues || depth > MaxDepth {
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

func FuzzParseStrict(f *testing.F) {
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
