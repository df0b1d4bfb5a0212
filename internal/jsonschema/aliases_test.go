package jsonschema

import (
	"strings"
	"testing"
)

const aliased = `"file_path":{"type":"string","x-aliases":["filePath","path"]},"limit":{"type":"integer"}`

func TestAliasesAreRenamed(t *testing.T) {
	list := `"edits":{"type":"array","items":` + object(`"old_string":{"type":"string","x-aliases":["oldString"]}`, `"required":["old_string"]`) + `}`
	for _, test := range []struct{ name, schema, args, want string }{
		{"the declared name", object(aliased), `{"file_path":"a"}`, `{"file_path":"a"}`},
		{"each alias", object(aliased), `{"filePath":"a"}`, `{"file_path":"a"}`},
		{"in its place, with its literal", object(aliased), `{"path":"\u0061","limit":2}`, `{"file_path":"\u0061","limit":2}`},
		{"coerced like the field", object(aliased), `{"path":5}`, `{"file_path":"5"}`},
		{"required", object(aliased, `"required":["file_path"]`), `{"path":"a"}`, `{"file_path":"a"}`},
		{"no other fields allowed", object(aliased, `"additionalProperties":false`), `{"path":"a"}`, `{"file_path":"a"}`},
		{"all other fields allowed", object(aliased, `"additionalProperties":true`), `{"path":"a","b":1}`, `{"file_path":"a","b":1}`},
		{"no default beside it", object(`"a":{"default":1,"x-aliases":["b"]}`), `{"b":2}`, `{"a":2}`},
		{"inside a list", object(list), `{"edits":[{"oldString":"a"},{"old_string":"b"}]}`, `{"edits":[{"old_string":"a"},{"old_string":"b"}]}`},
		{"in an encoded list", object(list), `{"edits":"[{\"oldString\":\"a\"}]"}`, `{"edits":[{"old_string":"a"}]}`},
		{"by reference", object(`"a":{"$ref":"#/$defs/o"}`, `"$defs":{"o":`+object(`"x":{"x-aliases":["y"]}`)+`}`), `{"a":{"y":1}}`, `{"a":{"x":1}}`},
		{"by allOf", `{"type":"object","allOf":[` + object(aliased) + `]}`, `{"path":"a"}`, `{"file_path":"a"}`},
		{"a name that another schema declares", `{"type":"object","allOf":[` + object(aliased) + `,` + object(`"path":{}`) + `]}`, `{"path":"a"}`, `{"path":"a"}`},
		{"a property with the keyword's name", object(`"x-aliases":{"type":"string"}`), `{"x-aliases":"a"}`, `{"x-aliases":"a"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := mustPrepare(t, mustCompile(t, test.schema), test.args)
			if string(got.JSON) != test.want || len(got.Warnings) > 0 {
				t.Errorf("got %s, %q, want %s", got.JSON, got.Warnings, test.want)
			}
		})
	}
}

// Two names of one field are an error even with equal values: which of them counts must never
// depend on their order.
func TestFieldSentUnderTwoNames(t *testing.T) {
	s := mustCompile(t, object(aliased+`,"o":{"type":"array","items":`+object(aliased)+`}`))
	for args, want := range map[string]Violation{
		`{"file_path":"a","path":"a"}`: {
			Pointer: "/path", Kind: KindConstraint,
			Message: `parameter "path" is another name of "file_path", which was sent as "file_path" too; send only "file_path"`,
		},
		`{"path":"a","filePath":"b"}`: {
			Pointer: "/filePath", Kind: KindConstraint,
			Message: `parameter "filePath" is another name of "file_path", which was sent as "path" too; send only "file_path"`,
		},
		`{"o":[{},{"path":"a","file_path":"b"}]}`: {
			Pointer: "/o/1/path", Kind: KindConstraint,
			Message: `parameter "o[1].path" is another name of "file_path", which was sent as "file_path" too; send only "file_path"`,
		},
	} {
		got, err := s.Prepare(t.Context(), []byte(args))
		if violations := violationsOf(t, err); len(violations) != 1 || violations[0] != want || got.JSON != nil {
			t.Errorf("%s: got %+v, %s", args, violations, got.JSON)
		}
	}
	many := `{"o":[` + strings.Repeat(`{"path":"a","file_path":"b"},`, 1000) + `{}]}`
	if violations := violationsOf(t, second(s.Prepare(t.Context(), []byte(many)))); len(violations) != maxViolations {
		t.Errorf("got %d violations", len(violations))
	}
}

// Rename does what Prepare does to names, also for arguments that Prepare refuses.
func TestRename(t *testing.T) {
	s := mustCompile(t, object(aliased+`,"o":{"type":"array","items":`+object(aliased)+`}`, `"required":["file_path","limit"]`))
	for args, want := range map[string]string{
		`{"path":5,"other":1}`:                   `{"file_path":5,"other":1}`,
		`{"o":[{"filePath":1.0},2],"limit":"x"}`: `{"o":[{"file_path":1.0},2],"limit":"x"}`,
		`{"path":1,"file_path":2}`:               `{"path":1,"file_path":2}`,
		`{`:                                      `{`,
		`[1]`:                                    `[1]`,
	} {
		if got := string(s.Rename([]byte(args))); got != want {
			t.Errorf("%s: got %s, want %s", args, got, want)
		}
	}
}

func TestInvalidAliases(t *testing.T) {
	for schema, want := range map[string]string{
		object(`"a":{"x-aliases":"b"}`):                           `must be a list of names, got string "b"; write ["name"]`,
		object(`"a":{"x-path":"append"}`):                         `must be "read" or "write", got string "append"`,
		object(`"a":{"x-path":true}`):                             `must be "read" or "write", got boolean true`,
		object(`"a":{"items":{"x-path":"read"}}`):                 `has no effect here; write it directly in a property of the arguments`,
		object(`"a":{"properties":{"b":{"x-path":"read"}}}`):      `has no effect here; write it directly in a property of the arguments`,
		object(`"a":{"x-aliases":[1]}`):                           `must be a list of names, got the item number 1`,
		object(`"a":{"x-aliases":[""]}`):                          `must be a list of names, got the item string ""`,
		object(`"a":{"x-aliases":["b"]},"b":{}`):                  `the name "b" belongs to the property "b" already; leave it out`,
		object(`"a":{"x-aliases":["c"]},"b":{"x-aliases":["c"]}`): `the name "c" belongs to the property "a" already; leave it out`,
		object(`"a":{"x-aliases":["a"]}`):                         `the name "a" belongs to the property "a" already; leave it out`,
		object(`"a":{"items":{"x-aliases":["b"]}}`):               `has no effect here; write it in the property that it gives more names`,
		object(`"a":{}`, `"x-aliases":["b"]`):                     `has no effect here; write it in the property that it gives more names`,
	} {
		if errs := schemaErrorsOf(t, schema); len(errs) != 1 || !strings.HasSuffix(errs[0].Message, want) {
			t.Errorf("%s: got %+v, want %q", schema, errs, want)
		}
	}
}

func TestWithoutAliases(t *testing.T) {
	for schema, want := range map[string]string{
		object(aliased): object(`"file_path":{"type":"string"},"limit":{"type":"integer"}`),
		object(`"a":{"items":` + object(aliased) + `}`):                         object(`"a":{"items":` + object(`"file_path":{"type":"string"},"limit":{"type":"integer"}`) + `}`),
		object(`"x-aliases":{"type":"string"},"b":{"default":{"x-aliases":1}}`): object(`"x-aliases":{"type":"string"},"b":{"default":{"x-aliases":1}}`),
		` { "type" : "object" } `:                                               ` { "type" : "object" } `,
	} {
		if got := string(WithoutAliases([]byte(schema))); got != want {
			t.Errorf("%s: got %s, want %s", schema, got, want)
		}
	}
}
