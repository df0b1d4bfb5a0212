package jsonschema

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestSchemaErrors(t *testing.T) {
	for _, test := range []struct{ name, schema, pointer, want string }{
		{"not JSON", "{\n\"type\": }", "", "invalid JSON in the schema at line 2, column 9"},
		{"duplicate keyword", `{"type":"object","type":"array"}`, "", `field "type" is given twice`},
		{"not a schema", `[]`, "", "a schema must be an object, true or false, got array []"},
		{"subschema is a string", object(`"a":"string"`), "/properties/a", `property "a": a schema must be an object`},
		{"properties is a list", `{"properties":[]}`, "/properties", "properties: must be an object, got array []"},

		{"misspelt type", object(`"a":{"type":"strng"}`), "/properties/a/type", `property "a": type: unknown type "strng"; did you mean "string"?`},
		{"type of Python", object(`"a":{"type":"dict"}`), "/properties/a/type", `did you mean "object"?`},
		{"float", object(`"a":{"type":["float","null"]}`), "/properties/a/type/0", `unknown type "float"; did you mean "number"?`},
		{"int", object(`"a":{"items":{"type":"int"}}`), "/properties/a/items/type", `property "a[]": type: unknown type "int"; did you mean "integer"?`},
		{"upper case", object(`"a":{"type":"String"}`), "/properties/a/type", `did you mean "string"?`},
		{"any", object(`"a":{"type":"any"}`), "/properties/a/type", `leave "type" out`},
		{"nonsense type", object(`"a":{"type":"xyzzyxyzzy"}`), "/properties/a/type", `the types are "string", "number"`},
		{"type is a number", object(`"a":{"type":5}`), "/properties/a/type", `property "a": type: `},

		{"draft 4 exclusiveMinimum", object(`"a":{"minimum":1,"exclusiveMinimum":true}`), "/properties/a/exclusiveMinimum", `write the number here instead of under "minimum"`},
		{"draft 4 exclusiveMaximum", object(`"a":{"maximum":1,"exclusiveMaximum":false}`), "/properties/a/exclusiveMaximum", `instead of under "maximum"`},
		{"tuple of old drafts", object(`"a":{"items":[{}]}`), "/properties/a/items", "prefixItems"},
		{"required on a property", object(`"a":{"required":true}`), "/properties/a/required", "must be a list of names on the object"},
		{"count as text", object(`"a":{"maxLength":"5"}`), "/properties/a/maxLength", `property "a": maxLength: must be an integer, got string "5"`},
		{"negative count", object(`"a":{"minItems":-1}`), "/properties/a/minItems", "must be at least 0, got number -1"},
		{"count beyond an int", object(`"a":{"maxLength":18446744073709551617}`), "/properties/a/maxLength", "18446744073709551617 is too large"},
		{"number beyond reason", object(`"a":{"minimum":1e5000000}`), "", "number with an exponent beyond 1024"},
		{"title is a number", `{"title":5}`, "/title", "must be a string, got number 5"},
		{"empty anyOf", `{"anyOf":[]}`, "/anyOf", "must have at least 1 item"},

		{"unresolved reference", object(`"a":{"$ref":"#/$defs/usr"}`, `"$defs":{"user":{}}`), "/properties/a/$ref", `property "a": $ref: "#/$defs/usr" has no target; did you mean "user"?`},
		{"other name of $defs", object(`"a":{"$ref":"#/definitions/user"}`, `"$defs":{"user":{}}`), "/properties/a/$ref", `did you mean "#/$defs/user"?`},
		{"reference into a list", `{"allOf":[{"$ref":"#/allOf/7"}]}`, "/allOf/0/$ref", "has no target"},
		{"reference into a scalar", `{"title":"x","$ref":"#/title/0"}`, "/$ref", "has no target"},
		{"reference to no schema", `{"title":"x","$ref":"#/title"}`, "/title", `a schema must be an object, true or false, got string "x"`},
		{"stray tilde", `{"$ref":"#/a~2"}`, "/$ref", "has no target"},
		{"bad escape", `{"$ref":"#/%zz"}`, "/$ref", "is not a reference"},
		{"unknown anchor", `{"$ref":"#nme","$defs":{"a":{"$anchor":"name"}}}`, "/$ref", `did you mean "name"?`},
		{"anchor twice", `{"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}}`, "/$defs/", `"$anchor" "x" is used twice`},
		{"identifier twice", `{"$defs":{"a":{"$id":"x:y"},"b":{"$id":"x:y"}}}`, "/$defs/", `"$id" "x:y" is used twice`},
		{"identifier that is no address", `{"$id":"http://[/","$defs":{"a":{"$id":"%zz"}}}`, "", `"$id" is not a URI reference`},
		{"unresolved inside an identifier", `{"$defs":{"a":{"$id":"http://x/y","$ref":"#/$defs/b"}}}`, "", "has no target"},
		{"unknown anchor inside an identifier", `{"$defs":{"a":{"$id":"http://x/y","$ref":"#b"}}}`, "", "names an anchor that does not exist"},

		{"stray tilde inside an identifier", `{"$defs":{"a":{"$id":"http://x/y","$ref":"#/a~2"}}}`, "", "invalid ~"},
		{"bad escape inside an identifier", `{"$defs":{"a":{"$id":"http://x/y","$ref":"#/%zz"}}}`, "/$defs/a/$ref", "must be of the format uri-reference"},

		{"draft 3", `{"$schema":"http://json-schema.org/draft-03/schema#"}`, "/$schema", `"http://json-schema.org/draft-03/schema#" is not a supported draft`},
		{"vocabulary as dialect", `{"$schema":"https://json-schema.org/draft/2020-12/meta/core"}`, "/$schema", "not a supported draft"},
		{"file as dialect", `{"$schema":"file:///etc/passwd"}`, "/$schema", "remote schemas are not read"},

		{"lookahead", object(`"name":{"pattern":"^(?!x)"}`), "/properties/name/pattern", `property "name": pattern uses (?!...), which this engine lacks; `},
		{"positive lookahead", object(`"a":{"items":{"pattern":"(?=x)"}}`), "/properties/a/items/pattern", `property "a[]": pattern uses (?=...)`},
		{"lookbehind", object(`"a":{"pattern":"(?<!x)y"}`), "/properties/a/pattern", `pattern uses (?<!...), which`},
		{"positive lookbehind", object(`"a":{"pattern":"(?<=x)y"}`), "/properties/a/pattern", `(?<=`},
		{"other escape", object(`"a":{"pattern":"\\Z"}`), "/properties/a/pattern", `uses \Z, which this engine lacks`},
		{"back-reference", object(`"a":{"pattern":"(a)\\1"}`), "/properties/a/pattern", `uses \1, which this engine lacks; back-references are not supported`},
		{"code point", object(`"a":{"pattern":"\\u00e9"}`), "/properties/a/pattern", `write a code point as \x{00e9}`},
		{"control escape", object(`"a":{"pattern":"\\cA"}`), "/properties/a/pattern", `write a control character as \x01`},
		{"empty class", object(`"a":{"pattern":"[^]"}`), "/properties/a/pattern", "not a regular expression of this engine"},
		{"long repeat", object(`"a":{"pattern":"a{1001}"}`), "/properties/a/pattern", "may be at most 1000; use minLength"},
		{"nested repeat", object(`"a":{"pattern":"(a{40}b{40}){400}"}`), "/properties/a/pattern", "multiplied with the counts around it"},
		{"large pattern", object(`"a":{"pattern":"` + strings.Repeat("a{900}", 30) + `"}`), "/properties/a/pattern", "grows too large"},
		{"long pattern", object(`"a":{"pattern":"` + strings.Repeat("a", MaxPatternBytes+1) + `"}`), "/properties/a/pattern", "4097 bytes long"},
		{"pattern as name", `{"patternProperties":{"(?!x)":{}}}`, "/patternProperties/(?!x)", "patternProperties uses (?!...), which this engine lacks"},

		{"default of another type", object(`"a":{"type":"integer","default":"5"}`), "/properties/a/default", `property "a": the default must be an integer, got string "5"`},
		{"default inside a default", object(`"a":` + object(`"b":{"type":"integer"}`, `"default":{"b":[]}`)), "/properties/a/default/b", `property "a": default field "b" must be an integer, got array []`},
		{"default completed by bad default", object(`"a":` + object(`"b":{"maximum":1,"default":2}`)), "/properties/a/properties/b/default", `property "a.b": the default must be at most 1`},
		{"default in a branch", object(`"a":{"anyOf":[{"type":"string","default":1},{"type":"null"}]}`), "/properties/a/anyOf/0/default", "the default must be a string"},
		{"default in unused definition", `{"$defs":{"a":{"enum":["x"],"default":"y"}}}`, "/$defs/a/default", `the default must be "x"`},
		{"default with undeclared field", object(`"a":` + object(`"limit":{}`, `"default":{"Limit":1}`)), "/properties/a/default", `has a field "Limit", which the schema does not declare; did you mean "limit"?`},
		{"default without end", object(`"a":{"$ref":"#/$defs/n"}`, `"$defs":{"n":`+object(`"next":{"$ref":"#/$defs/n"}`, `"default":{}`)+`}`), "/$defs/n/default", "the default contains itself without end"},
	} {
		t.Run(test.name, func(t *testing.T) {
			errs := schemaErrorsOf(t, test.schema)
			if !slices.ContainsFunc(errs, func(f SchemaError) bool {
				return strings.HasPrefix(f.Pointer, test.pointer) && strings.Contains(f.Message, test.want)
			}) {
				t.Errorf("got %+v, want %q at %q", errs, test.want, test.pointer)
			}
			if len(errs) != 1 && test.name != "identifier that is no address" {
				t.Errorf("want one violation, got %+v", errs)
			}
			if text := errs.Error(); strings.Contains(text, baseURL) || strings.Contains(text, "goroutine") {
				t.Errorf("the message shows internals: %s", text)
			}
		})
	}
}

func TestSchemaErrorsTogether(t *testing.T) {
	errs := schemaErrorsOf(t, object(`"a":{"type":"strng"},"b":{"$ref":"#/$defs/x"},"c":{"pattern":"(?!a)"},"d":{"maxLength":"5"}`,
		`"patternProperties":{"(?=a)":{}}`))
	var pointers []string
	for _, e := range errs {
		pointers = append(pointers, e.Pointer)
	}
	want := []string{
		"/properties/a/type", "/properties/c/pattern", "/patternProperties/(?=a)", "/properties/b/$ref", "/properties/d/maxLength",
	}
	if !slices.Equal(pointers, want) {
		t.Errorf("got %q, want %q", pointers, want)
	}
}

func TestSchemaErrorsAreBounded(t *testing.T) {
	var properties []string
	for i := range 100 {
		properties = append(properties, fmt.Sprintf(`"p%d":{"type":"int"}`, i))
	}
	errs := schemaErrorsOf(t, object(strings.Join(properties, ",")))
	if len(errs) != maxViolations+1 || errs[maxViolations].Message != "and 80 more" {
		t.Errorf("got %d, last %+v", len(errs), errs[len(errs)-1])
	}
}

func TestCompileParametersRoot(t *testing.T) {
	for schema, want := range map[string]string{
		`{"properties":{"a":{}}}`:    `add "type": "object"`,
		`{"type":"array"}`:           `"type" must be "object", got "array"`,
		`{"type":["object","null"]}`: `"type" must be "object", got ["object","null"]`,
		`true`:                       `must be an object schema, got boolean true`,
		`"object"`:                   "a schema must be an object",
		`{"$ref":"#/$defs/a","$defs":{"a":{"type":"object"}}}`: `add "type": "object"`,
	} {
		_, err := CompileParameters([]byte(schema))
		var errs SchemaErrors
		if !errors.As(err, &errs) || len(errs) != 1 || !strings.Contains(errs[0].Message, want) {
			t.Errorf("%s: got %v, want %q", schema, err, want)
		}
	}
}

func TestCompileAccepts(t *testing.T) {
	for name, schema := range map[string]string{
		"cycle":                         object(`"child":{"$ref":"#"}`),
		"dynamic reference":             `{"type":"object","$dynamicAnchor":"node","properties":{"c":{"$dynamicRef":"#node"}}}`,
		"identifier and reference":      `{"type":"object","$id":"https://example.com/tool","properties":{"a":{"$ref":"https://example.com/tool#/$defs/s"},"b":{"$ref":"tool#/$defs/s"}},"$defs":{"s":{"type":"string"}}}`,
		"embedded resource":             object(`"a":{"$ref":"item"}`, `"$defs":{"i":{"$id":"item","$ref":"#/$defs/x","$defs":{"x":{"type":"string"}}}}`),
		"meta-schema":                   object(`"a":{"$ref":"https://json-schema.org/draft/2020-12/schema"},"b":{"$ref":"http://json-schema.org/draft-07/schema#"}`),
		"draft 2020-12":                 `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}`,
		"draft 2019-09":                 `{"$schema":"https://json-schema.org/draft/2019-09/schema","type":"object","properties":{"a":{"$recursiveRef":"#"}}}`,
		"draft 7":                       `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"items":[{}],"$ref":"#/$defs/b"}},"$defs":{"b":{}},"dependencies":{"a":["b"]}}`,
		"draft 6":                       `{"$schema":"http://json-schema.org/draft-06/schema#","type":"object"}`,
		"draft 4":                       `{"$schema":"http://json-schema.org/draft-04/schema#","id":"http://x/y","type":"object","properties":{"a":{"minimum":1,"exclusiveMinimum":true}}}`,
		"names that look like keywords": object(`"type":{"type":"string"},"$ref":{"type":"string"},"pattern":{"type":"string"},"required":{"type":"boolean"}`),
		"enum that looks like a schema": object(`"a":{"enum":[{"type":"strng","$ref":"file:///x"}],"examples":[{"$ref":"file:///x"}]}`),
		"unknown keywords":              object(`"a":{"x-order":1,"nullable":true,"format":"int32"}`),
		"pointer with escapes":          object(`"a":{"$ref":"#/$defs/a~1b%20c"}`, `"$defs":{"a/b c":{"type":"string","default":"d"}}`),
	} {
		if _, err := CompileParameters([]byte(schema)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A schema must not be able to read a file or to find out whether a file exists.
func TestNothingIsRead(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.json")
	if err := os.WriteFile(secret, []byte(`{"const":"LEAKED"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	file := "file://" + filepath.ToSlash(secret)
	t.Chdir(dir)
	for _, schema := range []string{
		`{"type":"object","$ref":%q}`,
		`{"type":"object","$schema":%q}`,
		`{"type":"object","$id":%q,"$ref":"other.json"}`,
		`{"type":"object","$id":%q,"properties":{"a":{"$ref":"other.json#/const"}},"$defs":{"x":{"$id":"file:///"}}}`,
		`{"type":"object","properties":{"a":{"$dynamicRef":%q}}}`,
		`{"type":"object","$defs":{"a":{"$id":"http://x/","$schema":%q}}}`,
	} {
		existing := fmt.Sprintf(schema, file)
		absent := strings.ReplaceAll(existing, "secret", "absent")
		first, second := schemaErrorsOf(t, existing), schemaErrorsOf(t, absent)
		if strings.Contains(first.Error(), "LEAKED") || !strings.Contains(first.Error(), "remote schemas are not read") {
			t.Errorf("%s: got %v", existing, first)
		}
		if strings.ReplaceAll(first.Error(), "secret", "absent") != second.Error() {
			t.Errorf("an existing and an absent file differ: %v and %v", first, second)
		}
	}
	for _, ref := range []string{"secret.json", "./secret.json", "/secret.json", "//host/x", "http://127.0.0.1:1/x", "https://json-schema.org/draft-99/x", "ftp://x/y", "urn:x:y", "http://%zz"} {
		errs := schemaErrorsOf(t, fmt.Sprintf(`{"$ref":%q}`, ref))
		if !strings.Contains(errs.Error(), "remote schemas are not read") {
			t.Errorf("%s: got %v", ref, errs)
		}
	}
}

func TestSchemaJSON(t *testing.T) {
	s := mustCompile(t, "{ \"type\": \"object\",\n \"properties\": {\"b\": {\"minimum\": 1.0}, \"a\": true} }")
	const want = `{"type":"object","properties":{"b":{"minimum":1.0},"a":true}}`
	text := s.JSON()
	if string(text) != want {
		t.Errorf("got %s, want %s", text, want)
	}
	text[0] = 'x'
	if string(s.JSON()) != want {
		t.Error("the caller can change the schema")
	}
}

func TestParameters(t *testing.T) {
	s := mustCompile(t, object(
		`"zeta":{"type":"string","description":"last letter","enum":["a","b"]},
		"alpha":{"$ref":"#/$defs/n"},
		"both":{"type":["null","string"],"default":null},
		"opt":{"anyOf":[{"type":"number"},{"type":"null"}]},
		"any":{}`,
		`"required":["zeta"]`, `"$defs":{"n":{"type":"integer","description":"how many","default":1.0}}`))
	want := []Parameter{
		{Name: "zeta", Type: "string", Description: "last letter", Required: true, Enum: []json.RawMessage{[]byte(`"a"`), []byte(`"b"`)}},
		{Name: "alpha", Type: "integer", Description: "how many", Default: []byte("1.0")},
		{Name: "both", Type: "string or null", Default: []byte("null")},
		{Name: "opt", Type: "number or null"},
		{Name: "any", Type: "any"},
	}
	if got := s.Parameters(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}
