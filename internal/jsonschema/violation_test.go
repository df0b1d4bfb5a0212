package jsonschema

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

func TestViolationMessages(t *testing.T) {
	circle := object(`"kind":{"const":"circle"},"r":{"type":"number"}`, `"required":["kind","r"]`)
	square := object(`"kind":{"const":"square"},"w":{"type":"number"}`, `"required":["kind","w"]`)
	for _, test := range []struct {
		name, schema, value string
		want                []Violation // pointers are relative to /p; messages omit the subject
	}{
		{"type", `{"type":"integer"}`, `"abc"`, []Violation{{"", KindType, `must be an integer, got string "abc"`}}},
		{"types", `{"type":["string","array","null"]}`, `{"a":1}`, []Violation{{"", KindType, `must be a string or an array or null, got object {"a":1}`}}},
		{"number", `{"type":"number"}`, `null`, []Violation{{"", KindType, `must be a number, got null`}}},
		{"fraction", `{"type":"integer"}`, `1.5`, []Violation{{"", KindType, `must be an integer, got number 1.5`}}},
		{"enum", `{"enum":["read","write",3]}`, `"Read"`, []Violation{{"", KindConstraint, `must be one of "read", "write", 3 (did you mean "read"?), got string "Read"`}}},
		{"const", `{"const":{"a":1}}`, `{"a":2}`, []Violation{{"", KindConstraint, `must be {"a":1}, got object {"a":2}`}}},
		{"empty enum", `{"enum":[]}`, `1`, []Violation{{"", KindConstraint, `can have no value, got number 1`}}},
		{"format", `{"type":"string","format":"date-time"}`, `"yesterday"`, []Violation{{"", KindFormat, `must be a date and time such as 2026-01-31T08:30:00Z (less than 20 characters long), got string "yesterday"`}}},
		{"regex format", `{"type":"string","format":"regex"}`, `"(?!a)"`, []Violation{{"", KindFormat, `must be a regular expression (uses (?!...), which this engine lacks; express it with "not"…), got string "(?!a)"`}}},
		{"rare format", `{"format":"iri-reference"}`, `"\\"`, []Violation{{"", KindFormat, `must be of the format iri-reference (contains \), got string "\\"`}}},
		{"unknown format", `{"format":"int32"}`, `"x"`, nil},
		{"minimum", `{"minimum":1.5}`, `1`, []Violation{{"", KindConstraint, `must be at least 1.5, got number 1`}}},
		{"exact minimum", `{"minimum":9007199254740993}`, `9007199254740992`, []Violation{{"", KindConstraint, `must be at least 9007199254740993, got number 9007199254740992`}}},
		{"maximum", `{"maximum":10}`, `11`, []Violation{{"", KindConstraint, `must be at most 10, got number 11`}}},
		{"exclusive bounds", `{"exclusiveMinimum":1,"exclusiveMaximum":1}`, `1`, []Violation{
			{"", KindConstraint, `must be less than 1, got number 1`}, {"", KindConstraint, `must be more than 1, got number 1`},
		}},
		{"multipleOf", `{"multipleOf":0.1}`, `0.25`, []Violation{{"", KindConstraint, `must be a multiple of 0.1, got number 0.25`}}},
		{"length", `{"minLength":2,"maxLength":0}`, `"é"`, []Violation{
			{"", KindConstraint, `must have at most 0 characters, not 1, got string "é"`}, {"", KindConstraint, `must have at least 2 characters, not 1, got string "é"`},
		}},
		{"pattern", `{"pattern":"^[a-z]+$"}`, `"A"`, []Violation{{"", KindConstraint, `must match the pattern ^[a-z]+$, got string "A"`}}},
		{"items", `{"minItems":2}`, `[1]`, []Violation{{"", KindConstraint, `must have at least 2 items, not 1, got array [1]`}}},
		{"max items", `{"maxItems":1}`, `[1,2]`, []Violation{{"", KindConstraint, `must have at most 1 item, not 2, got array [1,2]`}}},
		{"unique", `{"uniqueItems":true}`, `[1,2,1.0]`, []Violation{{"", KindConstraint, `must have no equal items; items 0 and 2 are equal, got array [1,2,1.0]`}}},
		{"contains", `{"contains":{"type":"string"}}`, `[1]`, []Violation{{"", KindConstraint, `must have an item of the form that the schema asks for under "contains", got array [1]`}}},
		{"min contains", `{"contains":{"type":"string"},"minContains":2}`, `["a"]`, []Violation{{"", KindConstraint, `must have at least 2 items of the form under "contains", not 1, got array ["a"]`}}},
		{"max contains", `{"contains":{"type":"string"},"maxContains":1}`, `["a","b"]`, []Violation{{"", KindConstraint, `must have at most 1 item of the form under "contains", not 2, got array ["a","b"]`}}},
		{"properties", `{"minProperties":2}`, `{"a":1}`, []Violation{{"", KindConstraint, `must have at least 2 fields, not 1, got object {"a":1}`}}},
		{"max properties", `{"maxProperties":0}`, `{"a":1}`, []Violation{{"", KindConstraint, `must have at most 0 fields, not 1, got object {"a":1}`}}},
		{"closed tuple", `{"prefixItems":[{}],"items":false}`, `[1,2]`, []Violation{{"/1", KindConstraint, `must not be given; the schema forbids it`}}},
		{"forbidden field", object(`"a":false`), `{"a":1}`, []Violation{{"/a", KindConstraint, `must not be given; the schema forbids it`}}},
		{"undeclared", object(`"limit":{}`, `"additionalProperties":false`), `{"Limit":1,"zzzzzz":2}`, []Violation{
			{"/Limit", KindUndeclared, `is not declared and not allowed; did you mean "limit"?`},
			{"/zzzzzz", KindUndeclared, `is not declared and not allowed; allowed are "limit"`},
		}},
		{"unevaluated", object(`"a":{}`, `"unevaluatedProperties":false`), `{"b":1}`, []Violation{{"/b", KindUndeclared, `is not declared and not allowed`}}},
		{"missing", object(`"a":{"type":"integer"}`, `"required":["a","b"]`), `{}`, []Violation{
			{"/a", KindMissing, `is required but missing; expected an integer`}, {"/b", KindMissing, `is required but missing`},
		}},
		{"dependent", `{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, []Violation{{"/b", KindMissing, `is required when "a" is given but missing`}}},
		{"html is readable", `{"enum":["<a>&"]}`, `"<a>"`, []Violation{{"", KindConstraint, `must be "<a>&", got string "<a>"`}}},
		{"listed null and boolean", `{"enum":[null,false,[1,{}],{"a":2.5}]}`, `[1,{"a":1}]`, []Violation{{"", KindConstraint, `must be one of null, false, [1,{}], {"a":2.5}, got array [1,{"a":1}]`}}},
		{"equal by value", `{"enum":[null,false,[1.0,{"a":[]}]]}`, `[1,{"a":[]}]`, nil},
		{"many forms", `{"anyOf":[{"minimum":9},{"minimum":8},{"minimum":7},{"minimum":6},{"minimum":5}]}`, `1`, []Violation{{"", KindConstraint, `must fit one of 5 forms, but fits none: ` +
			`(1) must be at least 9, got number 1; (2) must be at least 8, got number 1; (3) must be at least 7, got number 1; (4) must be at least 6, got number 1`}}},
		{"names", `{"propertyNames":{"pattern":"^[a-z]+$"}}`, `{"A":1}`, []Violation{{"/A", KindConstraint, `must not have a field "A": the name must match the pattern ^[a-z]+$`}}},
		{"not", `{"not":{"type":"string"}}`, `"a"`, []Violation{{"", KindConstraint, `must not have a form that the schema excludes, got string "a"`}}},
		{"cycle", `{"$ref":"#/properties/p"}`, `1`, []Violation{{"", KindLimit, `can't be checked: the schema refers to itself without end`}}},

		{"any of types", `{"anyOf":[{"type":"integer"},{"anyOf":[{"type":"boolean"},{"type":"null"}]}]}`, `[]`, []Violation{{"", KindType, `must be an integer or a boolean or null, got array []`}}},
		{"any of one fitting type", `{"anyOf":[{"type":"integer","minimum":5},{"type":"null"}]}`, `3`, []Violation{{"", KindConstraint, `must be at least 5, got number 3`}}},
		{"any of values", `{"anyOf":[{"const":"a"},{"enum":["b","c"]}]}`, `"d"`, []Violation{{"", KindConstraint, `must be one of "a", "b", "c", got string "d"`}}},
		{"one of, kind known", `{"oneOf":[` + circle + `,` + square + `]}`, `{"kind":"square"}`, []Violation{{"/w", KindMissing, `is required but missing; expected a number`}}},
		{"one of, kind unknown", `{"oneOf":[` + circle + `,` + square + `]}`, `{"kind":"triangle"}`, []Violation{{"/kind", KindConstraint, `must be one of "circle", "square", got string "triangle"`}}},
		{"one of, kind absent", `{"oneOf":[` + circle + `,` + square + `]}`, `{}`, []Violation{{"", KindConstraint, `must fit one of 2 forms, but fits none: ` +
			`(1) parameter "p.kind" is required but missing and parameter "p.r" is required but missing; expected a number; ` +
			`(2) parameter "p.kind" is required but missing and parameter "p.w" is required but missing; expected a number`}}},
		{"one of, two fit", `{"oneOf":[{"minimum":1},{"maximum":5}]}`, `3`, []Violation{{"", KindConstraint, `must fit exactly one of several forms, not forms 1 and 2 at once, got number 3`}}},
		{"nested choices", `{"anyOf":[{"minLength":5},{"anyOf":[{"pattern":"^a"},{"maxLength":1}]}]}`, `"bcd"`, []Violation{{"", KindConstraint, `must fit one of 2 forms, but fits none: (1) must have at least 5 characters, not 3, got string "bcd"; (2) must fit one of 2 forms`}}},
		{"items of different sort", `{"items":{"type":"object","properties":{"a":{"type":"boolean"}}}}`, `[{"a":true},{"a":5}]`, []Violation{{"/1/a", KindType, `must be a boolean, got number 5`}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := mustCompile(t, object(`"p":`+test.schema))
			_, err := s.Prepare(t.Context(), []byte(`{"p":`+test.value+`}`))
			if test.want == nil {
				if err != nil {
					t.Error(err)
				}
				return
			}
			violations := violationsOf(t, err)
			if len(violations) != len(test.want) {
				t.Fatalf("got %+v, want %+v", violations, test.want)
			}
			doc, _ := jsontree.Parse(`{"p":`+test.value+`}`, jsontree.Document(""))
			for i, want := range test.want {
				want.Pointer = "/p" + want.Pointer
				subject := jsontree.SplitPointer(want.Pointer)
				if test.name == "names" {
					subject = subject[:1]
				}
				want.Message = argumentNamer.subject(&doc, subject) + want.Message
				if violations[i] != want {
					t.Errorf("got  %+v\nwant %+v", violations[i], want)
				}
			}
		})
	}
}

func TestViolationsTogether(t *testing.T) {
	s := mustCompile(t, object(`"a~/b":{"type":"array","items":{"type":"integer"}},"n":{"minimum":3}`, `"required":["x","n"]`))
	want := Violations{
		{"/a~0~1b/1", KindType, `parameter "a~/b[1]" must be an integer, got string "z"`},
		{"/n", KindConstraint, `parameter "n" must be at least 3, got number 1`},
		{"/x", KindMissing, `parameter "x" is required but missing`},
	}
	for range 10 { // the library iterates over maps in random order
		err := second(s.Prepare(t.Context(), []byte(`{"n":1,"a~/b":[1,"z"]}`)))
		if violations := violationsOf(t, err); !slices.Equal(violations, want) {
			t.Fatalf("got %+v, want %+v", violations, want)
		}
		text := want[0].Message + "; " + want[1].Message + "; " + want[2].Message
		if err.Error() != text {
			t.Fatalf("got %q, want %q", err.Error(), text)
		}
	}
}

func TestViolationsAreBounded(t *testing.T) {
	s := mustCompile(t, object(`"a":{"items":{"type":"integer"}}`))
	violations := violationsOf(t, second(s.Prepare(t.Context(), []byte(`{"a":["x"`+strings.Repeat(`,"x"`, 499)+`]}`))))
	if len(violations) != maxViolations+1 || violations[maxViolations] != (Violation{Kind: KindLimit, Message: "and 480 more"}) {
		t.Errorf("got %d, last %+v", len(violations), violations[len(violations)-1])
	}
}

func TestViolationsAreNotRepeated(t *testing.T) {
	s := mustCompile(t, object(`"a":{"allOf":[{"type":"integer"},{"$ref":"#/$defs/i"},{"$ref":"#/$defs/i"}]}`, `"$defs":{"i":{"type":"integer"}}`))
	if violations := violationsOf(t, second(s.Prepare(t.Context(), []byte(`{"a":[]}`)))); len(violations) != 1 {
		t.Errorf("got %+v", violations)
	}
}

func TestExcerpts(t *testing.T) {
	const maxExcerpt = 60
	s := mustCompile(t, object(`"a":{"type":"integer"}`))
	for _, test := range []struct{ name, sent, want string }{
		{"cut at a character", `"` + strings.Repeat("é", 100) + `"`, `got string "` + strings.Repeat("é", maxExcerpt-1) + "…"},
		{"large value", `[` + strings.Repeat(`"abcdefghi",`, 10000) + `1]`, `got array ["abcdefghi","abcdefghi","abcdefghi","abcdefghi","abcdefghi"…`},
		{"large field", `{"` + strings.Repeat("x", 100000) + `":1}`, `got object {"` + strings.Repeat("x", maxExcerpt-2) + "…"},
		{"hidden characters", "\"\u202e\u009b\U000e0041\"", `got string "\u202e\u009b\U000e0041"`},
	} {
		violations := violationsOf(t, second(s.Prepare(t.Context(), []byte(`{"a":`+test.sent+`}`))))
		if !strings.HasSuffix(violations[0].Message, test.want) {
			t.Errorf("%s: got %q, want the end %q", test.name, violations[0].Message, test.want)
		}
	}
}

func TestManyAllowedValues(t *testing.T) {
	var values []string
	for i := range 100 {
		values = append(values, fmt.Sprintf("%q", fmt.Sprintf("value-%d", i)))
	}
	s := mustCompile(t, object(`"a":{"enum":[`+strings.Join(values, ",")+`]}`))
	violations := violationsOf(t, second(s.Prepare(t.Context(), []byte(`{"a":"nothing"}`))))
	if text := violations[0].Message; !strings.Contains(text, `"value-19" and 80 more`) || len(text) > 600 {
		t.Errorf("got %q", text)
	}
}

// The library overwrites the location of an error about a name, so the message must identify the
// field by its name alone.
func TestBadNameBelowOtherFields(t *testing.T) {
	s := mustCompile(t, object(`"a":{"propertyNames":{"maxLength":1}},"b":{"type":"object","properties":{"c":{}}},"d":{"properties":{"e":{}}}`))
	for range 20 {
		violations := violationsOf(t, second(s.Prepare(t.Context(), []byte(`{"a":{"long":1},"b":{"c":1},"d":{"e":1}}`))))
		if len(violations) != 1 || !strings.Contains(violations[0].Message, `"long"`) || !strings.Contains(violations[0].Message, "at most 1 character") {
			t.Fatalf("got %+v", violations)
		}
	}
}

func TestValidate(t *testing.T) {
	s, err := Compile([]byte(object(`"n":{"type":"integer","default":1},"s":{"type":"string","format":"email"}`, `"required":["s"]`)))
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range []string{`{"s":"a@b.org"}`, ` {"s":"a@b.org","n":1.0,"other":[1]}`} {
		if err := s.Validate(t.Context(), []byte(doc)); err != nil {
			t.Errorf("%s: %v", doc, err)
		}
	}
	for doc, want := range map[string]Violation{
		``:                              {"", KindSyntax, "invalid JSON in the result at line 1, column 1: expected a value, got end of text"},
		`null`:                          {"", KindType, "the result must be an object, got null"},
		`{}`:                            {"/s", KindMissing, `field "s" is required but missing; expected a string`},
		`{"s":"a@b.org","n":"1"}`:       {"/n", KindType, `field "n" must be an integer, got string "1"`},
		`{"s":"a@b.org","s":"b@b.org"}`: {"", KindSyntax, `invalid JSON in the result at line 1, column 16: field "s" is given twice`},
		`{"s":"x"}`:                     {"/s", KindFormat, `field "s" must be an e-mail address (it has no @), got string "x"`},
	} {
		if violations := violationsOf(t, s.Validate(t.Context(), []byte(doc))); len(violations) != 1 || violations[0] != want {
			t.Errorf("%s: got %+v, want %+v", doc, violations, want)
		}
	}
	anything, err := Compile([]byte(`true`))
	if err != nil {
		t.Fatal(err)
	}
	if err := anything.Validate(t.Context(), []byte(`[1]`)); err != nil {
		t.Error(err)
	}
}

func TestViolationsOfOldDrafts(t *testing.T) {
	s, err := Compile([]byte(`{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"],"c":{"required":["d"]}},` +
		`"properties":{"t":{"items":[{"type":"integer"}],"additionalItems":false}}}`))
	if err != nil {
		t.Fatal(err)
	}
	violations := violationsOf(t, s.Validate(t.Context(), []byte(`{"a":1,"c":1,"t":["x",2,3]}`)))
	want := Violations{
		{"/b", KindMissing, `field "b" is required when "a" is given but missing`},
		{"/d", KindMissing, `field "d" is required but missing`},
		{"/t", KindConstraint, `field "t" must have 2 items fewer, got array ["x",2,3]`},
		{"/t/0", KindType, `field "t[0]" must be an integer, got string "x"`},
	}
	if !slices.Equal(violations, want) {
		t.Errorf("got %+v, want %+v", violations, want)
	}
}
