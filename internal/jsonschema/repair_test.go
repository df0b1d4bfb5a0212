package jsonschema

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Repair leaves out the keywords that Compile refuses and keeps the rest of the schema.
func TestRepair(t *testing.T) {
	for name, tc := range map[string]struct{ schema, want, removed string }{
		"valid":                      {`{"type":"object", "properties":{"a":{"type":"string"}}}`, `{"type":"object", "properties":{"a":{"type":"string"}}}`, ""},
		"pattern with lookahead":     {object(`"a":{"type":"string","pattern":"^(?!x)"}`), object(`"a":{"type":"string","description":"Must match the regular expression ^(?!x)"}`), `property "a": pattern uses (?!...)`},
		"pattern beside description": {object(`"a":{"pattern":"\\cA","description":"A key."}`), object(`"a":{"description":"A key. Must match the regular expression \\cA"}`), `property "a": pattern uses \c`},
		"repeats beyond RE2":         {object(`"a":{"pattern":"^.{1,2000}$"}`), object(`"a":{"description":"Must match the regular expression ^.{1,2000}$"}`), "may be at most 1000"},
		"null schemas":               {object(`"a":null,"b":{"type":"string","enum":null,"default":null}`, `"additionalProperties":null`, `"required":null`), object(`"a":{},"b":{"type":"string"}`), `property "a": is null`},
		"null as data":               {object(`"a":{"default":null,"const":null}`, `"required":null`), object(`"a":{"default":null,"const":null}`), "required"},
		"nothing":                    {`null`, `{"type":"object"}`, "must be an object"},
		"true":                       {`true`, `{"type":"object"}`, "must be an object schema"},
		"no type":                    {`{"properties":{"a":{}}}`, `{"properties":{"a":{}},"type":"object"}`, `add "type": "object"`},
		"type of the root":           {`{"type":["object","null"]}`, `{"type":"object"}`, `must be "object"`},
		"list for an object":         {`{"type":"object","properties":[],"required":{}}`, `{"type":"object"}`, "properties"},
		"unknown type":               {object(`"a":{"type":"any","maxLength":5}`), object(`"a":{"maxLength":5}`), `unknown type "any"`},
		"style of draft 4":           {object(`"a":{"minimum":1,"exclusiveMinimum":true,"required":true}`), object(`"a":{"minimum":1}`), "exclusiveMinimum"},
		"tuple of draft 7":           {object(`"a":{"type":"array","items":[{"type":"string"}]}`), object(`"a":{"type":"array"}`), `called "prefixItems"`},
		"default of another type":    {object(`"a":{"type":"integer","default":"x"}`), object(`"a":{"type":"integer"}`), `property "a"`},
		"reference without a target": {object(`"a":{"$ref":"#/$defs/x"}`), object(`"a":{}`), "#/$defs/x"},
		"value in place of a schema": {object(`"a":{"anyOf":[5,{"type":"string"}]},"b":7`), object(`"a":{"anyOf":[{},{"type":"string"}]},"b":{}`), "must be an object, true or false"},
		// A smaller not, if or oneOf would refuse documents that the original admits.
		"inside not":          {object(`"a":{"not":{"pattern":"(?=x)"},"type":"string"}`), object(`"a":{"type":"string"}`), "pattern"},
		"inside if":           {object(`"a":{"if":{"pattern":"(?=x)"},"then":{"maxLength":2}}`), object(`"a":{"then":{"maxLength":2}}`), "pattern"},
		"inside oneOf":        {object(`"a":{"oneOf":[{"pattern":"(?=x)"},{"type":"integer"}]}`), object(`"a":{"anyOf":[{"description":"Must match the regular expression (?=x)"},{"type":"integer"}]}`), "pattern"},
		"names of properties": {object(`"b":{}`, `"patternProperties":{"^(?!b)":{},"c":{}}`, `"additionalProperties":false`), object(`"b":{}`, `"patternProperties":{"c":{}}`), "patternProperties"},
		"behind a reference":  {object(`"a":{"not":{"$ref":"#/$defs/x"}}`, `"$defs":{"x":{"pattern":"(?=x)"}}`), object(`"a":{}`, `"$defs":{"x":{"description":"Must match the regular expression (?=x)"}}`), "pattern"},
		"unevaluated":         {object(`"a":{}`, `"allOf":[{"properties":{"b":{}}},7]`, `"unevaluatedProperties":false`), object(`"a":{}`, `"allOf":[{"properties":{"b":{}}},{}]`), "allOf"},
	} {
		t.Run(name, func(t *testing.T) {
			got, removed, err := RepairParameters([]byte(tc.schema))
			if err != nil || string(got) != tc.want || (tc.removed == "") != (len(removed) == 0) || !strings.Contains(removed.Error(), tc.removed) {
				t.Errorf("got %s, removed %q, %v; want %s, removed %q", got, removed, err, tc.want, tc.removed)
			}
		})
	}
}

// Some schemas cannot be repaired: the error says why.
func TestSchemasBeyondRepair(t *testing.T) {
	for name, schema := range map[string]string{
		"not JSON":          `{"type":"object"`,
		"too many schemas":  object(manySchemas()),
		"larger than limit": object(`"a":{"description":"` + strings.Repeat("x", MaxSchemaBytes) + `"}`),
	} {
		got, _, err := RepairParameters([]byte(schema))
		var errs SchemaErrors
		if !errors.As(err, &errs) || len(errs) == 0 || got != nil {
			t.Errorf("%s: got %.100s, %v", name, got, err)
		}
	}
}

func manySchemas() string {
	names := make([]string, MaxSubschemas)
	for i := range names {
		names[i] = fmt.Sprintf(`"p%d":{}`, i)
	}
	return strings.Join(names, ",")
}

// All errors of a schema are repaired, even if one compilation does not report all of them.
func TestRepairManyErrors(t *testing.T) {
	names := make([]string, 100)
	for i := range names {
		names[i] = fmt.Sprintf(`"p%d":{"type":"string","minLength":"x","pattern":"(?=a)"}`, i)
	}
	got, removed, err := RepairParameters([]byte(object(strings.Join(names, ","))))
	if err != nil || len(removed) < 200 || strings.Contains(string(got), "minLength") {
		t.Errorf("removed %d, %v", len(removed), err)
	}
	if text := removed.Summary(); !strings.HasSuffix(text, " more") || len(text) > 1000 {
		t.Errorf("the description is %q", text)
	}
}

// A repaired schema compiles and is not repaired again. A schema that compiles is not changed.
func FuzzRepair(f *testing.F) {
	for _, seed := range []string{
		`{"properties":{"a":{"pattern":"(?!x)"}},"oneOf":[{"$ref":"#/$defs/a"},{"type":"any"}],"$defs":{"a":{"pattern":"\\cA"}}}`,
		`{"type":["object",null],"patternProperties":{"(?=a)":{}},"additionalProperties":false,"not":{"enum":null}}`,
		`{"if":{"items":[{}]},"then":5,"dependencies":{"a":["b",1],"c":null},"unevaluatedProperties":{"default":5},"allOf":[true,7]}`,
		`{"$schema":"https://example.com/x","$id":5,"required":["a","a"],"properties":{"a":{"$ref":"file:///etc/passwd","default":[null]}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, schema []byte) {
		got, removed, err := RepairParameters(schema)
		if err != nil {
			return
		}
		if _, err := CompileParameters(got); err != nil {
			t.Fatalf("%s became %s, which does not compile: %v", schema, got, err)
		}
		if _, again, err := RepairParameters(got); err != nil || len(again) > 0 {
			t.Fatalf("%s became %s, which is repaired again: %v %v", schema, got, again, err)
		}
		if _, err := CompileParameters(schema); err == nil && !slices.Equal(got, schema) {
			t.Fatalf("%s compiles, and became %s, without %v", schema, got, removed)
		}
	})
}
