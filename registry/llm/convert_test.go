package llm_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/llm"
)

// define defines one tool, and returns the schema of its arguments and the losses.
func define(t *testing.T, m mode, schema string) (string, []llm.Loss) {
	t.Helper()
	tools, err := llm.New(m.format, []catalogue.Info{info("made_up", schema)}, llm.Options{Strict: m.strict})
	if err != nil {
		t.Fatal(err)
	}
	definition := checkDefinitions(t, m.format, tools.Definitions())["made_up"]
	if definition != nil {
		if _, err := jsonschema.CompileParameters(definition); err != nil {
			t.Errorf("the definition is not a schema: %v", err)
		}
	}
	return string(definition), tools.Losses()
}

func TestSchemasAreConverted(t *testing.T) {
	t.Parallel()
	openAI, strict := mode{format: llm.OpenAI}, mode{format: llm.OpenAI, strict: true}
	claude, gemini := mode{format: llm.Anthropic}, mode{format: llm.Gemini}
	// In these tests, p is the only parameter unless whole is set.
	for name, test := range map[string]struct {
		mode   mode
		p      string // the schema of p
		whole  string // the schema of all arguments; empty if p is set
		want   string // the expected schema in the definition, of p or of all arguments
		losses string // one line for each loss: "effect pointer what"
	}{
		"references are inlined": {
			openAI, "", `{"type":"object","properties":{"p":{"$ref":"#/$defs/a","description":"The P."}},"$defs":{"a":{"type":"string","maxLength":3}}}`,
			`{"type":"object","properties":{"p":{"type":"string","description":"The P.","maxLength":3}}}`, "",
		},
		"references to anchors and identifiers": {
			openAI, "", `{"type":"object","properties":{"p":{"$ref":"#here"},"q":{"$ref":"other#/$defs/n"}},"$defs":{"a":{"$anchor":"here","type":"string"},"b":{"$id":"other","$defs":{"n":{"type":"number"}}}}}`,
			`{"type":"object","properties":{"p":{"type":"string"},"q":{"type":"number"}}}`, "",
		},
		"a schema that contains itself": {
			openAI, "", `{"type":"object","properties":{"p":{"$ref":"#/$defs/tree"}},"$defs":{"tree":{"type":"object","properties":{"left":{"$ref":"#/$defs/tree"}}}}}`,
			`{"type":"object","properties":{"p":{"type":"object","properties":{"left":{"type":"object"}}}}}`,
			`wider /$defs/tree/properties/left/$ref "#/$defs/tree"`,
		},
		"the whole contains itself": {
			openAI, "", `{"type":"object","properties":{"p":{"$ref":"#"}}}`, `{"type":"object","properties":{"p":{"type":"object"}}}`,
			`wider /properties/p/$ref "#"`,
		},
		"draft 7 ignores keywords next to a reference, except title and description": {
			openAI, "", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"p":{"$ref":"#/definitions/a","type":"number","description":"D"}},"definitions":{"a":{"type":"string"}}}`,
			`{"type":"object","properties":{"p":{"type":"string","description":"D"}}}`, "",
		},
		"allOf is merged": {
			openAI, `{"allOf":[{"type":"integer","minimum":1},{"type":["number","null"],"minimum":3,"maximum":9}]}`, "",
			`{"type":"integer","minimum":3,"maximum":9}`, "",
		},
		"allOf of objects, one closed": {
			openAI, `{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false},{"required":["a"]}]}`, "",
			`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`, "",
		},
		"allOf, where one schema constrains the undeclared fields of the other": {
			openAI, `{"allOf":[{"type":"object","properties":{"a":{"maxLength":3}}},{"additionalProperties":{"type":"string"}},{"properties":{"b":{"minLength":1}}}]}`, "",
			`{"type":"object","properties":{"a":{"type":"string","maxLength":3},"b":{"type":"string","minLength":1}},"additionalProperties":{"type":"string"}}`, "",
		},
		"const becomes a list of one": {openAI, `{"const":"x"}`, "", `{"type":"string","enum":["x"]}`, ""},
		"oneOf that cannot overlap is anyOf": {
			openAI, `{"oneOf":[{"type":"string"},{"type":"integer"}]}`, "", `{"anyOf":[{"type":"string"},{"type":"integer"}]}`, "",
		},
		"oneOf with alternatives that differ in a field": {
			openAI, `{"oneOf":[{"type":"object","required":["k"],"properties":{"k":{"const":"a"}}},{"type":"object","required":["k"],"properties":{"k":{"const":"b"}}}]}`, "",
			`{"anyOf":[{"type":"object","properties":{"k":{"type":"string","enum":["a"]}},"required":["k"]},{"type":"object","properties":{"k":{"type":"string","enum":["b"]}},"required":["k"]}]}`, "",
		},
		"oneOf that may overlap": {
			openAI, `{"oneOf":[{"type":"string","minLength":2},{"type":"string","maxLength":3}]}`, "",
			`{"anyOf":[{"type":"string","minLength":2},{"type":"string","maxLength":3}]}`, "wider /properties/p/oneOf oneOf",
		},
		"oneOf with a value in two lists": {
			openAI, `{"oneOf":[{"enum":["a","b"]},{"enum":["b"]}]}`, "", `{"anyOf":[{"type":"string","enum":["a","b"]},{"type":"string","enum":["b"]}]}`,
			"wider /properties/p/oneOf oneOf",
		},
		"X or null": {openAI, `{"anyOf":[{"type":"string","enum":["a"]},{"type":"null"}]}`, "", `{"type":["string","null"],"enum":["a",null]}`, ""},
		"alternatives beside other keywords": {
			openAI, `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`, "",
			`{"anyOf":[{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"]},{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["b"]}]}`, "",
		},
		"alternatives at the top become one object": {
			claude, "", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`,
			`{"type":"object","description":"Give one of: a; b.","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`,
			"wider  alternatives of the arguments",
		},
		"a union at the top keeps fields required by all alternatives": {
			claude, "", `{"type":"object","oneOf":[{"required":["k"],"properties":{"k":{"const":"a"},"n":{"type":"integer"}}},{"required":["k"],"properties":{"k":{"const":"b"}}}]}`,
			`{"type":"object","description":"Give one of: k; k.","properties":{"k":{"anyOf":[{"type":"string","enum":["a"]},{"type":"string","enum":["b"]}]},"n":{"type":"integer"}},"required":["k"]}`,
			"wider /oneOf oneOf\nwider  alternatives of the arguments",
		},
		"a union at the top accepts the field of any alternative": {
			claude, "", `{"type":"object","properties":{"x":{"anyOf":[{"type":"string"},{"type":"integer"}]}},"anyOf":[{"properties":{"x":{"type":["string","null"]}}},{"required":["x"]}]}`,
			`{"type":"object","properties":{"x":{"anyOf":[{"type":"string"},{"type":"string"},{"type":"integer"}]}}}`,
			"wider  alternatives of the arguments",
		},
		"keywords that OpenAI refuses": {
			openAI, `{"type":"object","properties":{"a":{"type":"string","format":"uri"}},"not":{"required":["b"]},"patternProperties":{"^x":{"type":"string"}},"additionalProperties":false}`, "",
			`{"type":"object","properties":{"a":{"type":"string","description":"(format: uri)"}}}`,
			"wider /properties/p/not not\nwider /properties/p/patternProperties patternProperties\nwider /properties/p/properties/a/format format \"uri\"",
		},
		"keywords that Anthropic accepts": {
			claude, `{"type":"object","not":{"required":["b"]},"patternProperties":{"^x":{"type":"string"}},"additionalProperties":false}`, "",
			`{"type":"object","not":{"required":["b"]},"patternProperties":{"^x":{"type":"string"}},"properties":{},"additionalProperties":false}`, "",
		},
		"unevaluatedProperties closes the merged object": {
			openAI, `{"allOf":[{"type":"object","properties":{"a":{"type":"string"}}}],"unevaluatedProperties":false}`, "",
			`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`, "",
		},
		"strict: optional fields take null": {
			strict, "", `{"type":"object","required":["a"],"properties":{"a":{"type":"string"},"b":{"type":"integer","default":3},"c":{"enum":["x"]}}}`,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["integer","null"],"description":"(default: 3)"},"c":{"type":["string","null"],"enum":["x",null]}},"required":["a","b","c"],"additionalProperties":false}`, "",
		},
		"strict: null is already a valid value": {
			strict, `{"type":["string","null"]}`, "", `{"type":["string","null"]}`, "narrower /properties/p p is optional",
		},
		"strict is not for open maps": {
			strict, `{"type":"object","additionalProperties":{"type":"string"}}`, "",
			`{"type":"object","additionalProperties":{"type":"string"}}`, "wider  strict",
		},
		"strict is not for schemas without a type": {strict, `{"description":"Anything."}`, "", `{"description":"Anything."}`, "wider  strict"},
		"strict is not for schemas that contain themselves": {
			strict, "", `{"type":"object","properties":{"p":{"$ref":"#/$defs/t"}},"$defs":{"t":{"type":"object","properties":{"t":{"$ref":"#/$defs/t"}}}}}`,
			`{"type":"object","properties":{"p":{"type":"object","properties":{"t":{"type":"object"}}}}}`,
			"wider  strict\nwider /$defs/t/properties/t/$ref \"#/$defs/t\"",
		},
		"strict: a null with two meanings": {
			strict, `{"anyOf":[{"type":"object","required":["k"],"properties":{"k":{"type":["string","null"]}},"additionalProperties":false},{"type":"object","properties":{"k":{"type":["integer","null"]}},"additionalProperties":false},{"type":"object","properties":{"k":{"type":"boolean"}},"additionalProperties":false}]}`, "",
			`{"anyOf":[{"type":"object","properties":{"k":{"type":["string","null"]}},"required":["k"],"additionalProperties":false},{"type":"object","properties":{"k":{"type":["integer","null"]}},"additionalProperties":false},{"type":"object","properties":{"k":{"type":"boolean"}},"additionalProperties":false}]}`,
			"wider  strict",
		},
		"Gemini: one type at a time": {
			gemini, `{"type":["string","integer","null"],"minimum":1}`, "",
			`{"anyOf":[{"type":"string"},{"type":"integer","minimum":1},{"type":"null"}]}`, "",
		},
		"Gemini: no null and no boolean in an enum": {
			gemini, "", `{"type":"object","properties":{"p":{"enum":["a",null]},"q":{"const":true},"r":{"enum":[true,false]}}}`,
			`{"type":"object","properties":{"p":{"anyOf":[{"type":"string","enum":["a"]},{"type":"null"}]},"q":{"type":"boolean","description":"(one of: true)"},"r":{"type":"boolean"}}}`,
			"wider /properties/q/enum enum [true]",
		},
		"Gemini: exclusive bounds of integers become inclusive": {
			gemini, `{"type":"integer","exclusiveMinimum":0,"exclusiveMaximum":10}`, "", `{"type":"integer","minimum":1,"maximum":9}`, "",
		},
		"Gemini: exclusive bounds of other numbers": {
			gemini, `{"type":"number","exclusiveMinimum":0}`, "", `{"type":"number","description":"(exclusiveMinimum: 0)"}`,
			"wider /properties/p/exclusiveMinimum exclusiveMinimum 0",
		},
		"Gemini: a type inferred from other keywords": {
			gemini, `{"properties":{"a":{"type":"string"}}}`, "", `{"type":"object","properties":{"a":{"type":"string"}}}`, "narrower /properties/p no type",
		},
		"Gemini: names of properties": {
			gemini, "", `{"type":"object","required":["user-id"],"properties":{"user-id":{"type":"string"}}}`,
			`{"type":"object","properties":{"user_id_a7571dde":{"type":"string"}},"required":["user_id_a7571dde"]}`,
			"renamed /properties/user-id the name user-id",
		},
		"Gemini: names that begin with a digit": {
			gemini, "", `{"type":"object","properties":{"1st":{"type":"string"}}}`, `{"type":"object","properties":{"_1st_e01ddf65":{"type":"string"}}}`,
			"renamed /properties/1st the name 1st",
		},
		"lists with a schema for each position": {
			openAI, `{"type":"array","prefixItems":[{"type":"number"},{"type":"string"}],"items":false}`, "",
			`{"type":"array","maxItems":2,"items":{"anyOf":[{"type":"number"},{"type":"string"}]}}`,
			"wider /properties/p a list with a schema for each position",
		},
		"lists with a schema for each position in draft 7": {
			claude, "", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"p":{"type":"array","items":[{"type":"number"}],"additionalItems":{"type":"string"}}}}`,
			`{"type":"object","properties":{"p":{"type":"array","prefixItems":[{"type":"number"}],"items":{"type":"string"}}}}`, "",
		},
		"draft 4 flags for exclusive bounds": {
			claude, "", `{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","properties":{"p":{"type":"number","minimum":0,"exclusiveMinimum":true}}}`,
			`{"type":"object","properties":{"p":{"type":"number","exclusiveMinimum":0}}}`, "",
		},
		"propertyNames that admits every name": {
			openAI, `{"type":"object","propertyNames":{"type":"string"},"additionalProperties":{"type":"string"}}`, "",
			`{"type":"object","additionalProperties":{"type":"string"}}`, "",
		},
		"no parameters": {openAI, "", `{"type":"object"}`, `{"type":"object","properties":{}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schema, want := test.whole, test.want
			if schema == "" {
				schema = `{"type":"object","properties":{"p":` + test.p + `}}`
				want = `{"type":"object","properties":{"p":` + test.want + `}}`
				if strings.HasPrefix(name, "strict: ") {
					want = strings.TrimSuffix(want, "}") + `,"required":["p"],"additionalProperties":false}`
				}
				if name == "strict: a null with two meanings" {
					want = `{"type":"object","properties":{"p":` + test.want + `}}`
				}
			}
			got, losses := define(t, test.mode, schema)
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			var lines []string
			for _, l := range losses {
				lines = append(lines, fmt.Sprintf("%s %s %s", l.Effect, l.Pointer, l.What))
				if l.Tool != "made_up" || l.Why == "" {
					t.Errorf("a loss has no tool or reason: %+v", l)
				}
			}
			if got := strings.Join(lines, "\n"); got != test.losses {
				t.Errorf("losses\n%s\nwant\n%s", got, test.losses)
			}
		})
	}
}

// Inlining references can make a schema grow exponentially, so inlining stops at a limit. The
// provider still accepts the result.
func TestGrowingSchemaIsCut(t *testing.T) {
	t.Parallel()
	var defs []string
	for i := range 30 {
		next := fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i+1)
		defs = append(defs, fmt.Sprintf(`"d%d":{"type":"object","properties":{"a":%s,"b":%s},"anyOf":[%s,%s]}`, i, next, next, next, next))
	}
	defs = append(defs, `"d30":{"type":"string"}`)
	schema := `{"type":"object","properties":{"p":{"$ref":"#/$defs/d0"}},"$defs":{` + strings.Join(defs, ",") + `}}`
	for _, m := range []mode{{llm.OpenAI, true}, {llm.Anthropic, false}} {
		tools, err := llm.New(m.format, []catalogue.Info{info("made_up", schema)}, llm.Options{Strict: m.strict})
		if err != nil {
			t.Fatal(err)
		}
		if got := tools.Definitions(); len(got) > 1<<20 {
			t.Errorf("%s: the definition has %d bytes", m, len(got))
		}
		checkDefinitions(t, m.format, tools.Definitions())
		if len(tools.Losses()) == 0 {
			t.Errorf("%s: no loss is reported", m)
		}
	}
}

func TestStrictBounds(t *testing.T) {
	t.Parallel()
	deep := `{"type":"string"}`
	for range 11 {
		deep = `{"type":"object","properties":{"p":` + deep + `},"required":["p"],"additionalProperties":false}`
	}
	lists := `{"type":"string"}`
	for range 10 {
		lists = `{"type":"array","items":` + lists + `}`
	}
	values := func(n, size int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf("%0*d", size, i))
		}
		text, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		return `{"type":"object","properties":{"p":{"enum":` + string(text) + `}}}`
	}
	var optional []string
	for i := range 25 {
		optional = append(optional, fmt.Sprintf(`"p%d":{"type":"string"}`, i))
	}
	for name, test := range map[string]struct {
		format llm.Format
		schema string
		why    string
	}{
		"depth":               {llm.OpenAI, deep, "levels of nesting"},
		"depth of lists":      {llm.OpenAI, `{"type":"object","required":["p"],"properties":{"p":` + lists + `}}`, "levels of nesting"},
		"values":              {llm.OpenAI, values(1001, 4), "values in enums"},
		"texts of an enum":    {llm.OpenAIResponses, values(251, 100), "more than 250 values"},
		"optional properties": {llm.Anthropic, `{"type":"object","properties":{` + strings.Join(optional, ",") + `}}`, "optional properties"},
		"no strict mode":      {llm.Gemini, `{"type":"object"}`, "no strict mode"},
		"none documented":     {llm.Mistral, `{"type":"object"}`, "no strict mode"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, losses := define(t, mode{test.format, true}, test.schema)
			if len(losses) == 0 || losses[0].What != "strict" || !strings.Contains(losses[0].Why, test.why) {
				t.Errorf("losses %v, want strict for %q", losses, test.why)
			}
		})
	}
}

// Anthropic has limits for all tools of a request together. Tools past the limits are defined
// without strict mode.
func TestStrictBoundsOfARequest(t *testing.T) {
	t.Parallel()
	var infos []catalogue.Info
	for i := range 22 {
		infos = append(infos, info(fmt.Sprintf("tool_%d", i), `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`))
	}
	tools, err := llm.New(llm.Anthropic, infos, llm.Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(tools.Definitions()), `"strict":true`); n != 20 {
		t.Errorf("%d tools are strict, want 20", n)
	}
	if losses := tools.Losses(); len(losses) != 2 || losses[0].Tool != "tool_20" {
		t.Errorf("losses %v", losses)
	}
}

// Losses reports the parts of a request that a provider may refuse and that the package cannot
// change.
func TestRisks(t *testing.T) {
	t.Parallel()
	var infos []catalogue.Info
	for i := range 130 {
		infos = append(infos, info(fmt.Sprintf("tool_%d", i), ""))
	}
	infos[3].Description = strings.Repeat("é", 1025)
	for format, want := range map[llm.Format]int{llm.OpenAI: 2, llm.OpenAIResponses: 2, llm.Anthropic: 0, llm.MCP: 0} {
		tools, err := llm.New(format, infos, llm.Options{})
		if err != nil {
			t.Fatal(err)
		}
		losses := tools.Losses()
		if len(losses) != want {
			t.Errorf("%s: losses %v, want %d", format, losses, want)
		} else if want > 0 && (losses[0].Tool != "tool_3" || losses[1].Tool != "tool_128" || losses[0].Effect != llm.Risky) {
			t.Errorf("%s: losses %v", format, losses)
		}
	}
}

func TestNamesOfTools(t *testing.T) {
	t.Parallel()
	long := "mcp:server/" + strings.Repeat("long", 20)
	for _, m := range modes() {
		tools, err := llm.New(m.format, []catalogue.Info{info("read", `{"type":"object"}`), info("mcp:files/read", `{"type":"object"}`), info(long, `{"type":"object"}`), info("9lives", `{"type":"object"}`)}, llm.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if m.format == llm.MCP {
			continue
		}
		schemas := checkDefinitions(t, m.format, tools.Definitions())
		if _, ok := schemas["mcp__files__read"]; !ok || len(schemas) != 4 {
			t.Errorf("%s: the names are %v", m, schemas)
		}
		for name := range schemas {
			calls, err := tools.Calls([]byte(callMessage(m.format, name, "{}")))
			if err != nil || len(calls) != 1 || calls[0].Tool == "" {
				t.Errorf("%s: %s is not found in calls: %v %v", m, name, calls, err)
			} else if strings.HasPrefix(name, "mcp__server__") && calls[0].Tool != long {
				t.Errorf("%s: %s is %s", m, name, calls[0].Tool)
			}
		}
	}
	_, err := llm.New(llm.OpenAI, []catalogue.Info{info("mcp:a/b", ""), info("mcp__a__b", "")}, llm.Options{})
	if err == nil || !strings.Contains(err.Error(), "mcp:a/b and mcp__a__b would both have the name mcp__a__b") {
		t.Errorf("two tools with one name: %v", err)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for want, run := range map[string]func() error{
		"broken: the schema of the parameters is invalid": func() error {
			_, err := llm.New(llm.OpenAI, []catalogue.Info{info("broken", `{"type":"strng"}`)}, llm.Options{})
			return err
		},
		`unknown format "antropic"; did you mean anthropic?`: func() error {
			_, err := llm.New("antropic", nil, llm.Options{})
			return err
		},
	} {
		if err := run(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// A model sees one name of each parameter.
func TestDefinitionsLeaveOutAliases(t *testing.T) {
	t.Parallel()
	for _, m := range modes() {
		tools, err := llm.New(m.format, []catalogue.Info{info("a", `{"type":"object","properties":{"file_path":{"type":"string","x-aliases":["filePath"]}},"required":["file_path"]}`)}, llm.Options{Strict: m.strict})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(tools.Definitions()); strings.Contains(got, "lias") || strings.Contains(got, "filePath") || len(tools.Losses()) > 0 {
			t.Errorf("%s: %s, %v", m, got, tools.Losses())
		}
	}
}

// Disabled tools are left out. Without tools, the definitions are still valid in a request.
func TestDefinitionsLeaveOutDisabledTools(t *testing.T) {
	t.Parallel()
	off := info("off", `{"type":"object"}`)
	off.Disabled = true
	for _, m := range modes() {
		tools, err := llm.New(m.format, []catalogue.Info{off}, llm.Options{Strict: m.strict})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(tools.Definitions()); got != "[]" {
			t.Errorf("%s: %s", m, got)
		}
	}
}

// A loss says whether the description has the rule that was left out.
func TestLossesSayWhatTheDescriptionStates(t *testing.T) {
	t.Parallel()
	tools, err := llm.New(llm.Gemini, []catalogue.Info{info("x", `{"type":"object","properties":{"a":{"type":"string","maxLength":7},"b":{"type":"string","not":{"const":"x"}}}}`)}, llm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	stated := make(map[string]bool)
	for _, l := range tools.Losses() {
		stated[l.Pointer] = l.Stated
		if l.Effect != llm.Wider {
			t.Errorf("%v", l)
		}
	}
	if want := map[string]bool{"/properties/a/maxLength": true, "/properties/b/not": false}; !maps.Equal(stated, want) || !strings.Contains(string(tools.Definitions()), "maxLength: 7") {
		t.Errorf("got %v, want %v: %s", stated, want, tools.Definitions())
	}
}
