package jsonschema

import (
	"encoding/json"
	"errors"
	"testing"
)

// fuzzSchemas covers the changes that Prepare makes to arguments.
var fuzzSchemas = []string{
	object(`"path":{"type":"string"},"limit":{"type":"integer","minimum":1,"default":20},"deep":{"type":"boolean"}`, `"required":["path"]`),
	`{"type":"object"}`,
	object(`"o":`+object(`"a":{"type":"number","default":1.50},"b":{"type":"array","items":`+object(`"c":{"type":"string","default":"d"}`)+`}`)+
		`,"r":`+object(`"z":{"default":[{}]}`, `"required":["z"]`), `"required":["r"]`),
	object(`"a":{"x-aliases":["b","k"],"default":1},"o":{"items":`+object(`"path":{"type":"string","x-aliases":["c","x"]}`)+`}`, `"additionalProperties":false`),
	object(`"v":{"anyOf":[{"type":"integer"},{"type":"null"}]},"next":{"$ref":"#"},"tags":{"type":["array","null"],"items":{"type":["string","boolean"]}}`),
	object(`"k":{"enum":["a","b",1]},"s":{"format":"date"}`, `"additionalProperties":{"type":"integer"}`),
	object(`"x":{"oneOf":[`+object(`"a":{"default":1}`)+`,{"type":"array","prefixItems":[{"type":"integer"}],"items":{"type":"object","default":{}}}]}`, `"allOf":[{"properties":{"y":{"default":{"q":1},"minProperties":1}}}]`),
}

func FuzzPrepare(f *testing.F) {
	var schemas []*Schema
	for _, text := range fuzzSchemas {
		schemas = append(schemas, mustCompile(f, text))
	}
	for _, seed := range []string{
		``, `null`, `{}`, `{"path":"x","limit":"500","deep":"true","filePath":1}`, `{"o":{"b":[{},{"c":5}],"x":1}}`,
		`{"o":"{\"a\":\"1.5\",\"b\":\"[{}]\"}"}`, `{"v":"5","next":{"next":{"v":"x"}},"tags":"[true,\"a\",1]"}`,
		`{"k":"1","z":"7","s":"2026-01-31"}`, `{"x":{"b":1},"y":{}}`, `{"x":["1",{}]}`, `{"x":"[\"2\"]"}`, `[1]`, `{"a":1e400}`,
		`{"path":9007199254740993,"limit":1.0}`, `{"path":"\ud83d\ude00"}`,
		`{"b":1,"o":[{"c":5},{"x":"a","path":"b"}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		for i, s := range schemas {
			got, err := s.Prepare(t.Context(), args)
			if err != nil {
				if violations := Violations(nil); !errors.As(err, &violations) || len(violations) == 0 || len(violations) > maxViolations+1 || got.JSON != nil {
					t.Fatalf("schema %d: bad error %#v with %s", i, err, got.JSON)
				}
				continue
			}
			if !json.Valid(got.JSON) || got.JSON[0] != '{' {
				t.Fatalf("schema %d: not a JSON object: %q", i, got.JSON)
			}
			mustPrepare(t, s, string(got.JSON))
			if err := s.Validate(t.Context(), got.JSON); err != nil {
				t.Fatalf("schema %d: the prepared arguments are invalid: %v", i, err)
			}
		}
	})
}

func FuzzCompile(f *testing.F) {
	for _, text := range fuzzSchemas {
		f.Add([]byte(text), []byte(`{"v":"1"}`))
	}
	for _, seed := range []string{
		`true`, `{"type":"strng"}`, `{"$ref":"#"}`, `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a","default":{}}}}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"default":1}],"additionalItems":{"$ref":"#"}}`,
		`{"$id":"x:y","$defs":{"z":{"$id":"z","$anchor":"b"}},"$ref":"z#b"}`, `{"$schema":"http://json-schema.org/draft-04/schema#","id":"a#b","exclusiveMinimum":true,"minimum":1}`,
		`{"patternProperties":{"^a(b|c)*$":{"pattern":"\\d{2,}"}},"dependencies":{"a":["b"],"c":{}}}`, `{"$dynamicRef":"#n","$dynamicAnchor":"n"}`,
		`{"anyOf":[{"const":1},{"enum":[{},[]]}],"unevaluatedProperties":{"default":5},"not":false}`, `{"$ref":"file:///etc/passwd"}`,
	} {
		f.Add([]byte(seed), []byte(`{"a":[1,{"b":null}]}`))
	}
	f.Fuzz(func(t *testing.T, schema, doc []byte) {
		s, err := Compile(schema)
		if err != nil {
			if errs := SchemaErrors(nil); !errors.As(err, &errs) || len(errs) == 0 || len(errs) > maxViolations+1 {
				t.Fatalf("bad error %#v", err)
			}
			return
		}
		s.Parameters()
		if again, err := Compile(s.JSON()); err != nil || string(again.JSON()) != string(s.JSON()) {
			t.Fatalf("compiling the text of the schema again: %v", err)
		}
		if got, err := s.Prepare(t.Context(), doc); err == nil {
			mustPrepare(t, s, string(got.JSON))
		}
	})
}
