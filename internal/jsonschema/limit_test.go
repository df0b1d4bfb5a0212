package jsonschema

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// doubling returns definitions d0..dn. Each applies the next one twice.
func doubling(n int, each, last string) string {
	var defs []string
	for i := range n {
		defs = append(defs, fmt.Sprintf(`"d%d":`, i)+strings.ReplaceAll(each, "NEXT", fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i+1)))
	}
	return `"$defs":{` + strings.Join(append(defs, fmt.Sprintf(`"d%d":%s`, n, last)), ",") + `}`
}

// Without a limit, each of these validations would take hours or more.
func TestWorkIsBounded(t *testing.T) {
	deep := strings.Repeat("[", 50) + "1" + strings.Repeat("]", 50)
	for _, test := range []struct{ name, each, last, value, first string }{
		{"anyOf", `{"anyOf":[NEXT,NEXT]}`, `false`, `1`, ""},
		{"anyOf of types", `{"anyOf":[NEXT,NEXT]}`, `{"type":"string"}`, `{}`, ""},
		{"oneOf", `{"oneOf":[NEXT,NEXT]}`, `{"type":"string"}`, `1`, ""},
		{"allOf", `{"allOf":[NEXT,NEXT]}`, `{"type":"string"}`, `1`, ""},
		{"allOf that fits", `{"allOf":[NEXT,NEXT]}`, `{"type":"integer"}`, `1`, ""},
		{"not", `{"not":{"anyOf":[NEXT,NEXT]}}`, `{"type":"string"}`, `1`, ""},
		{"branches only tried", `{"dependentSchemas":{"a":NEXT,"b":NEXT}}`, `{"required":["z"]}`, `{"a":1,"b":2}`, `{"not":{"$ref":"#/$defs/d0"}}`},
		{"if and then", `{"if":NEXT,"then":NEXT,"else":NEXT}`, `{"type":"string"}`, `1`, ""},
		{"items and contains", `{"items":NEXT,"contains":NEXT}`, `{"type":"string"}`, deep, ""},
		{"unevaluated", `{"anyOf":[NEXT,NEXT],"unevaluatedItems":false}`, `{"type":"string"}`, `[1]`, ""},
		{"two patterns", `{"patternProperties":{"a":NEXT,"^a":NEXT}}`, `{"type":"string"}`, strings.Repeat(`{"a":`, 50) + "1" + strings.Repeat("}", 50), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := mustCompile(t, object(`"p":`+cmp.Or(test.first, `{"$ref":"#/$defs/d0"}`), doubling(60, test.each, test.last)))
			violations := violationsOf(t, second(s.Prepare(t.Context(), []byte(`{"p":`+test.value+`}`))))
			if len(violations) != 1 || violations[0].Kind != KindLimit || !strings.Contains(violations[0].Message, "too much work") {
				t.Fatalf("got %+v", violations)
			}
			if _, err := s.Prepare(t.Context(), []byte(`{}`)); err != nil {
				t.Errorf("the next call: %v", err)
			}
		})
	}
}

// Schemas that only refer to each other do not cause endless work (security.md E8).
func TestReferencesInACircle(t *testing.T) {
	for name, schema := range map[string]string{
		"itself":     `{"type":"object","$ref":"#"}`,
		"each other": `{"type":"object","$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"allOf":[{"$ref":"#/$defs/a"}]}}}`,
		"dynamic":    `{"type":"object","$dynamicAnchor":"x","allOf":[{"$dynamicRef":"#x"}]}`,
	} {
		s, err := CompileParameters([]byte(schema))
		if err == nil {
			_, err = s.Prepare(t.Context(), []byte(`{"a":1}`))
		}
		if err == nil || !strings.Contains(err.Error(), "refers to itself without end") {
			t.Errorf("%s: got %v, want a refusal", name, err)
		}
	}
}

func TestWorkOfOneVisitIsBounded(t *testing.T) {
	long := `"` + strings.Repeat("a", 1<<18) + `"`
	list := "[" + strings.Repeat(`{"a":[1,2,3,4,5,6,7,8]},`, 3000) + "0]"
	branches := func(each string, n int) string {
		return `{"anyOf":[` + strings.TrimSuffix(strings.Repeat(each+",", n), ",") + `]}`
	}
	for _, test := range []struct{ name, schema, value string }{
		{"slow pattern on a long string", `{"pattern":"(x+x+)+y{500}(a?){90}b"}`, long},
		{"many patterns", branches(`{"pattern":"[a-q][^u-z]{13}x"}`, 500), long},
		{"unique items again and again", branches(`{"uniqueItems":true,"minItems":99999}`, 500), list},
		{"unique items that are long", branches(`{"uniqueItems":true,"minItems":99999}`, 500), `["a",` + long + "," + long + "]"},
		{"enum of lists", branches(`{"enum":[[]]}`, 500), list},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := mustCompile(t, object(`"p":`+test.schema))
			violations := violationsOf(t, second(s.Prepare(t.Context(), []byte(`{"p":`+test.value+`}`))))
			if violations[0].Kind != KindLimit || !strings.Contains(violations[0].Message, "too much work") {
				t.Errorf("got %+v", violations)
			}
		})
	}
}

func TestLargeDocumentsFit(t *testing.T) {
	s := mustCompile(t, object(`"rows":{"type":"array","items":`+object(`"a":{"type":"integer"},"b":{"type":"string","pattern":"^x"}`, `"required":["a"]`)+`}`))
	doc := `{"rows":[` + strings.Repeat(`{"a":1,"b":"xyz"},`, 20000) + `{"a":2}]}`
	if got := mustPrepare(t, s, doc); string(got.JSON) != doc {
		t.Error("the document was changed")
	}
	if err := s.Validate(t.Context(), []byte(doc)); err != nil {
		t.Error(err)
	}
}

// Writing the messages of violations must not take longer than finding the violations.
func TestManyViolationsAreBounded(t *testing.T) {
	var fields []string
	for i := range 5000 {
		fields = append(fields, fmt.Sprintf(`"field%d":{"X":1}`, i))
	}
	doc := `{"p":{` + strings.Join(fields, ",") + `}}`
	var values []string
	for i := range 5000 {
		values = append(values, fmt.Sprintf(`"value%d"`, i))
	}
	enum := `{"enum":[` + strings.Join(values, ",") + `]}`
	for _, test := range []struct{ name, schema, doc string }{
		{"names", `{"additionalProperties":{"propertyNames":{"maxLength":0}}}`, doc},
		{"undeclared", `{"properties":{"fieldx":{}},"additionalProperties":false}`, doc},
		{"the same again", `{"allOf":[` + strings.TrimSuffix(strings.Repeat(`{"minProperties":99999},`, 1000), ",") + `]}`, doc},
		{"merged values", `{"anyOf":[` + strings.TrimSuffix(strings.Repeat(`{"$ref":"#/$defs/e"},`, 1000), ",") + `]}`, `{"p":"x"}`},
	} {
		s, err := Compile([]byte(`{"properties":{"p":` + test.schema + `},"$defs":{"e":` + enum + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		if violations := violationsOf(t, s.Validate(t.Context(), []byte(test.doc))); len(violations) > maxViolations+1 || len(violations.Error()) > 10000 {
			t.Errorf("%s: %d violations, %d bytes", test.name, len(violations), len(violations.Error()))
		}
	}
}

// The library's own check takes hours for these items, because their hashes are equal.
func TestUniqueItemsThatCollide(t *testing.T) {
	var items []string
	for i := range 1 << 13 {
		split := []byte(`["a`)
		for bit := range 13 {
			if i>>bit&1 == 0 {
				split = append(split, `","a`...)
			} else {
				split = append(split, `\u0004a`...)
			}
		}
		items = append(items, string(split)+`"]`)
	}
	s := mustCompile(t, object(`"p":{"uniqueItems":true}`))
	mustPrepare(t, s, `{"p":[`+strings.Join(items, ",")+`]}`)
	violations := violationsOf(t, second(s.Prepare(t.Context(), []byte(`{"p":[`+strings.Join(items, ",")+`,`+items[7]+`]}`))))
	if !strings.Contains(violations[0].Message, "items 7 and 8192 are equal") {
		t.Errorf("got %+v", violations)
	}
}

func TestWideRowsFit(t *testing.T) {
	var columns, cells []string
	for i := range 50 {
		columns = append(columns, fmt.Sprintf(`"column%d":{"allOf":[{"$ref":"#/$defs/cell"}]}`, i))
		cells = append(cells, fmt.Sprintf(`"column%d":%d`, i, i))
	}
	s := mustCompile(t, object(`"rows":{"items":`+object(strings.Join(columns, ","))+`}`, `"$defs":{"cell":{"type":"integer","maximum":100}}`))
	row := "{" + strings.Join(cells, ",") + "}"
	mustPrepare(t, s, `{"rows":[`+strings.Repeat(row+",", 199)+row+`]}`)
}

// Checking strings as long as file contents must not exceed the budget.
func TestLongStringsFit(t *testing.T) {
	s := mustCompile(t, object(`"a":{"type":"string","minLength":1,"pattern":"^(a|b)+$"},"b":{"type":"string","format":"uri-reference"}`))
	text := strings.Repeat("a", jsontree.MaxBytes/2-20)
	if _, err := s.Prepare(t.Context(), []byte(`{"a":"`+text+`","b":"`+text+`"}`)); err != nil {
		t.Error(err)
	}
}

// The parser keeps such numbers away from the validator. If one gets through anyway, the library's
// panic must be recovered.
func TestPanicOfTheLibrary(t *testing.T) {
	s := mustCompile(t, object(`"n":{"minimum":1}`))
	with, err := s.pool.get()
	if err != nil {
		t.Fatal(err)
	}
	defer s.pool.put(with)
	doc := jsontree.Value{Kind: jsontree.Object, Members: []jsontree.Member{{Name: "n", Value: jsontree.Value{Kind: jsontree.Number, Literal: "1e5000000"}}}}
	found, err := with.run(t.Context(), with.root, baseWork, translator{doc: &doc, namer: argumentNamer})
	if violations := violationsOf(t, err); found != nil || violations[0].Kind != KindLimit || strings.Contains(violations[0].Message, "nil pointer") {
		t.Errorf("got %v, %+v", found, violations)
	}
	if _, err := s.Prepare(t.Context(), []byte(`{"n":1}`)); err != nil {
		t.Error(err)
	}
}

func TestSchemaCeilings(t *testing.T) {
	repeat := func(format string, n int) string {
		var parts []string
		for i := range n {
			parts = append(parts, strings.ReplaceAll(format, "@", fmt.Sprint(i)))
		}
		return strings.Join(parts, ",")
	}
	for _, test := range []struct{ name, schema, want string }{
		{"bytes", `{"title":"` + strings.Repeat("a", MaxSchemaBytes) + `"}`, "at most 262144 bytes"},
		{"depth", strings.Repeat(`{"not":`, 200) + "{}" + strings.Repeat("}", 200), "nesting deeper than 128"},
		{"values", `{"enum":[` + strings.Repeat("1,", MaxSchemaValues) + `1]}`, "more than 65536 values"},
		{"schemas", `{"allOf":[` + strings.Repeat("{},", 20000) + `{}]}`, "more than 2048 schemas"},
		{"patterns", object(repeat(`"p@":{"pattern":"^a{900}@$"}`, 150)), "compiled patterns of the schema are too large together"},
		{"loose references", `{"allOf":[` + repeat(`{"$ref":"#/x/@"}`, 300) + `],"x":{` + repeat(`"@":{}`, 300) + `}}`, "references to values that are not schemas"},
		{"identifiers", object(repeat(`"p@":{"$id":"i@"}`, 300)), "more than 256 identifiers"},
		{"combinations", object(repeat(`"p@":{}`, 600), `"allOf":[`+repeat(`{"additionalProperties":{"maximum":@}}`, 600)+`]`), "combines too many schemas"},
		{
			"growing default",
			object(`"p":{"$ref":"#/$defs/d0"}`, doubling(30, object(`"a":NEXT,"b":NEXT`, `"default":{}`), `{"default":1}`)),
			"the default grows too large",
		},
		{
			"deep default",
			object(`"p":{"$ref":"#/$defs/d0"}`, doubling(80, object(`"a":NEXT`, `"default":{}`), `{"default":1}`)),
			"the default grows too large: nesting deeper than 64 levels",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if errs := schemaErrorsOf(t, test.schema); !strings.Contains(errs.Error(), test.want) {
				t.Errorf("got %.300s", errs.Error())
			}
		})
	}
}
