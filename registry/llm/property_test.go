package llm_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/llm"
)

// Any schema is converted to a schema that the provider accepts. Unless a loss says otherwise,
// arguments that match the tool's schema also match the definition. Arguments that match the
// definition also match the tool's schema after they are converted back.
func TestAnySchema(t *testing.T) {
	t.Parallel()
	exact := 0
	for seed := range uint64(60) {
		exact += checkAnySchema(t, seed)
	}
	if exact < 300 {
		t.Errorf("only %d arguments were compared: the generated schemas lose too much to prove anything", exact)
	}
}

func FuzzAnySchema(f *testing.F) {
	for seed := range uint64(3) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { checkAnySchema(t, seed) })
}

// checkAnySchema generates a schema from a seed, and returns how many arguments it compared.
func checkAnySchema(t *testing.T, seed uint64) (compared int) {
	t.Helper()
	g := &generator{rand.New(rand.NewPCG(seed, 1))}
	text, err := json.Marshal(g.parameters())
	if err != nil {
		t.Fatal(err)
	}
	original, err := jsonschema.CompileParameters(text)
	if err != nil {
		// the schema is invalid, for example because a reference leads to something that is not a
		// schema
		return 0
	}
	for _, m := range modes() {
		tools, err := llm.New(m.format, []catalogue.Info{info("made_up", string(text))}, llm.Options{Strict: m.strict})
		if err != nil {
			t.Fatalf("seed %d, %s, %s: %v", seed, m, text, err)
		}
		schema := checkDefinitions(t, m.format, tools.Definitions())["made_up"]
		if t.Failed() {
			t.Fatalf("seed %d, %s: %s\nbecame %s", seed, m, text, schema)
		}
		if schema == nil || m.format == llm.MCP {
			continue
		}
		definition, err := jsonschema.CompileParameters(schema)
		if err != nil {
			t.Fatalf("seed %d, %s: %v", seed, m, err)
		}
		var v any
		if err := json.Unmarshal(schema, &v); err != nil {
			t.Fatal(err)
		}
		effects := map[llm.Effect]bool{}
		for _, l := range tools.Losses() {
			effects[l.Effect] = true
		}
		for range 5 {
			if !effects[llm.Wider] && g.checkBack(t, tools, m, definition, original, v, text) {
				compared++
			}
			if !effects[llm.Narrower] && !effects[llm.Renamed] && !m.strict && g.checkForth(t, m, definition, original, text) {
				compared++
			}
		}
	}
	return compared
}

// checkBack generates arguments for the definition, converts them back, and checks the result
// against the tool's schema.
func (g *generator) checkBack(t *testing.T, tools *llm.Tools, m mode, definition, original *jsonschema.Schema, schema any, text []byte) bool {
	t.Helper()
	sent, err := json.Marshal(g.valueOf(schema, 0))
	if err != nil {
		t.Fatal(err)
	}
	if definition.Validate(t.Context(), sent) != nil {
		return false
	}
	calls, err := tools.Calls([]byte(callMessage(m.format, "made_up", string(sent))))
	if err != nil || len(calls) != 1 || calls[0].Tool != "made_up" {
		t.Fatalf("%s: calls %+v: %v", m, calls, err)
	}
	if err := original.Validate(t.Context(), calls[0].Arguments); err != nil {
		t.Fatalf("%s: the definition accepts %s, which becomes %s, and the tool refuses that: %v\nschema %s\ndefinition %s",
			m, sent, calls[0].Arguments, err, text, definition.JSON())
	}
	return true
}

// checkForth generates arguments for the tool, and checks them against the definition.
func (g *generator) checkForth(t *testing.T, m mode, definition, original *jsonschema.Schema, text []byte) bool {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	wanted, err := json.Marshal(g.valueOf(v, 0))
	if err != nil {
		t.Fatal(err)
	}
	if original.Validate(t.Context(), wanted) != nil {
		return false
	}
	if err := definition.Validate(t.Context(), wanted); err != nil {
		t.Fatalf("%s: the tool accepts %s, but the definition does not: %v\nschema %s\ndefinition %s", m, wanted, err, text, definition.JSON())
	}
	return true
}

// generator generates random schemas and values.
type generator struct{ *rand.Rand }

func (g *generator) one(of ...any) any { return of[g.IntN(len(of))] }

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func (g *generator) parameters() map[string]any {
	s := g.object(0)
	s["$defs"] = map[string]any{"a": g.schema(2), "b": g.object(2), "loop": map[string]any{
		"type": "object", "properties": map[string]any{"next": map[string]any{"$ref": "#/$defs/loop"}, "n": map[string]any{"type": "integer"}},
	}}
	if g.chance(15) {
		s[g.one("anyOf", "oneOf", "allOf").(string)] = []any{g.object(2), map[string]any{"required": []any{"x"}}}
	}
	return s
}

func (g *generator) schema(depth int) map[string]any {
	if depth > 3 {
		return map[string]any{"type": g.one("string", "integer", "boolean")}
	}
	s := map[string]any{}
	switch g.IntN(12) {
	case 0, 1:
		s = map[string]any{"type": "string"}
		g.maybe(s, "minLength", 1, "maxLength", 3, "pattern", "^[ab]*$", "format", g.one("date", "uri", "color"))
	case 2, 3:
		s = map[string]any{"type": g.one("integer", "number")}
		g.maybe(s, "minimum", -1, "maximum", 5, "exclusiveMinimum", -2, "multipleOf", 1)
	case 4:
		s = map[string]any{"enum": []any{"a", g.one("b", 1, true), g.one("c", nil, 2.5)}}
	case 5:
		s = map[string]any{"const": g.one("a", 1, true, nil)}
	case 6:
		s = map[string]any{"type": []any{g.one("string", "integer"), g.one("null", "boolean")}}
	case 7:
		s = map[string]any{"type": "array", "items": g.schema(depth + 1)}
		g.maybe(s, "minItems", g.IntN(3), "maxItems", 2, "uniqueItems", true)
		if g.chance(20) {
			s["prefixItems"] = []any{g.schema(depth + 1)}
		}
	case 8:
		return g.object(depth)
	case 9:
		return map[string]any{"$ref": g.one("#/$defs/a", "#/$defs/b", "#/$defs/loop")}
	case 10:
		s = map[string]any{g.one("anyOf", "oneOf").(string): []any{g.schema(depth + 1), g.schema(depth + 1), map[string]any{"type": "null"}}}
	case 11:
		s = map[string]any{"allOf": []any{g.schema(depth + 1), map[string]any{"description": "again"}}}
	}
	g.maybe(s, "description", "Words.", "title", "T", "default", nil)
	return s
}

func (g *generator) object(depth int) map[string]any {
	properties := map[string]any{}
	for _, name := range []string{"x", "y", "a b"} {
		if g.chance(60) {
			properties[name] = g.schema(depth + 1)
		}
	}
	s := map[string]any{"type": "object", "properties": properties}
	g.maybe(s, "required", []any{g.one("x", "y")}, "additionalProperties", g.one(true, false, map[string]any{"type": "string"}), "minProperties", 1)
	if g.chance(5) {
		s["patternProperties"] = map[string]any{"^z": true}
	}
	return s
}

// maybe adds each of the given members to s with a probability of 25%.
func (g *generator) maybe(s map[string]any, members ...any) {
	for i := 0; i < len(members); i += 2 {
		if g.chance(25) {
			s[members[i].(string)] = members[i+1]
		}
	}
}

// valueOf generates a value that may match a schema.
func (g *generator) valueOf(v any, depth int) any {
	s, ok := v.(map[string]any)
	if !ok || depth > 8 {
		return "s"
	}
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		if forms, ok := s[keyword].([]any); ok && s["properties"] == nil {
			return g.valueOf(forms[g.IntN(len(forms))], depth+1)
		}
	}
	if values, ok := s["enum"].([]any); ok {
		return g.one(values...)
	}
	if value, ok := s["const"]; ok {
		return value
	}
	name, _ := s["type"].(string)
	if names, ok := s["type"].([]any); ok {
		name, _ = g.one(names...).(string)
	}
	switch name {
	case "null":
		return nil
	case "boolean":
		return g.chance(50)
	case "integer", "number":
		return g.IntN(8) - 2
	case "array":
		items := []any{}
		for range g.IntN(3) {
			items = append(items, g.valueOf(s["items"], depth+1))
		}
		return items
	case "object":
		return g.objectOf(s, depth)
	}
	return g.one("a", "b", "ab", "2020-01-02", "")
}

func (g *generator) objectOf(s map[string]any, depth int) map[string]any {
	out := map[string]any{}
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	for name, p := range properties {
		needed := g.chance(60)
		for _, r := range required {
			needed = needed || r == name
		}
		if needed {
			out[name] = g.valueOf(p, depth+1)
		}
	}
	if _, open := s["additionalProperties"].(map[string]any); open || s["additionalProperties"] == true {
		out["more"] = "text"
	}
	return out
}

// callMessage returns a model's message with one call.
func callMessage(format llm.Format, name, arguments string) string {
	asText, err := json.Marshal(arguments)
	if err != nil {
		return ""
	}
	switch format {
	case llm.OpenAIResponses:
		return fmt.Sprintf(`{"output":[{"type":"function_call","call_id":"c1","name":%q,"arguments":%s}]}`, name, asText)
	case llm.Anthropic:
		return fmt.Sprintf(`{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":%q,"input":%s}]}`, name, arguments)
	case llm.Gemini:
		return fmt.Sprintf(`{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"c1","name":%q,"args":%s}}]}}]}`, name, arguments)
	}
	return fmt.Sprintf(`{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":%q,"arguments":%s}}]}}]}`,
		name, asText)
}
