package llm_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/wasmtool/wasmtool/registry/llm"
)

// The checkers implement the rules that each provider documents, independently of the converter.

// checkDefinitions checks the value of the field "tools" of a request. It returns the schemas
// keyed by the name of the tool; the schema of a tool without arguments may be nil.
func checkDefinitions(t *testing.T, format llm.Format, text []byte) map[string]json.RawMessage {
	t.Helper()
	var list []map[string]json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatalf("the definitions are not a list of objects: %v", err)
	}
	if format == llm.Gemini && len(list) > 0 {
		only(t, "", list[0], "functionDeclarations")
		declarations := list[0]["functionDeclarations"]
		list = nil
		if err := json.Unmarshal(declarations, &list); err != nil || len(list) == 0 {
			t.Fatalf("functionDeclarations is not a list with entries: %v", err)
		}
	}
	schemas := map[string]json.RawMessage{}
	strictTools, optional, unions := 0, 0, 0
	for _, d := range list {
		at, schema, strict := checkDefinition(t, format, d)
		if _, twice := schemas[at]; twice {
			t.Errorf("two definitions have the name %s", at)
		}
		schemas[at] = schema
		if schema == nil {
			continue
		}
		var v any
		if err := json.Unmarshal(schema, &v); err != nil {
			t.Fatal(err)
		}
		c := checkerFor(format, strict)
		c.root(v)
		for _, violation := range c.violations {
			t.Errorf("%s %s: %s", format, at, violation)
		}
		if strict {
			strictTools++
			optional += c.optional
			unions += c.unions
		}
	}
	if format == llm.Anthropic && (strictTools > 20 || optional > 24 || unions > 16) {
		t.Errorf("%d strict tools with %d optional properties and %d unions, want at most 20, 24, 16", strictTools, optional, unions)
	}
	return schemas
}

func checkDefinition(t *testing.T, format llm.Format, d map[string]json.RawMessage) (name string, schema json.RawMessage, strict bool) {
	t.Helper()
	pattern, field := `^[a-zA-Z0-9_-]{1,64}$`, "parameters"
	switch format {
	case llm.OpenAI, llm.Mistral:
		only(t, "", d, "type", "function")
		if string(d["type"]) != `"function"` {
			t.Errorf("the type is %s", d["type"])
		}
		inner := map[string]json.RawMessage{}
		if err := json.Unmarshal(d["function"], &inner); err != nil {
			t.Fatal(err)
		}
		d = inner
		only(t, "function", d, "name", "description", "strict", "parameters")
	case llm.OpenAIResponses:
		only(t, "", d, "type", "name", "description", "strict", "parameters")
		if _, said := d["strict"]; !said || string(d["type"]) != `"function"` {
			t.Errorf("type or strict is missing: %v", d)
		}
		delete(d, "type")
	case llm.Anthropic:
		only(t, "", d, "name", "description", "strict", "input_schema")
		field = "input_schema"
	case llm.Gemini:
		only(t, "", d, "name", "description", "parametersJsonSchema")
		field, pattern = "parametersJsonSchema", `^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$`
	case llm.MCP:
		only(t, "", d, "name", "title", "description", "inputSchema", "outputSchema", "annotations")
		field, pattern = "inputSchema", `^[a-zA-Z0-9_.-]{1,128}$`
	}
	if err := json.Unmarshal(d["name"], &name); err != nil || !regexp.MustCompile(pattern).MatchString(name) {
		t.Errorf("the name is %s, want %s", d["name"], pattern)
	}
	if d[field] == nil && format != llm.Gemini {
		t.Errorf("%s: there is no %s", name, field)
	}
	return name, d[field], string(d["strict"]) == "true"
}

func only(t *testing.T, where string, d map[string]json.RawMessage, names ...string) {
	t.Helper()
	for name := range d {
		if !slices.Contains(names, name) {
			t.Errorf("%s has a field %s", where, name)
		}
	}
}

// checker checks schemas against the rules of one provider, and collects violations of the rules.
type checker struct {
	format     llm.Format
	strict     bool
	keywords   []string // nil means any
	formats    []string // nil means any
	fieldName  *regexp.Regexp
	violations []string

	optional, unions, properties, enumValues, nameBytes int
}

func checkerFor(format llm.Format, strict bool) *checker {
	c := &checker{format: format, strict: strict}
	iso := []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
	base := []string{"type", "title", "description", "enum", "anyOf", "properties", "required", "additionalProperties", "items"}
	switch {
	case format == llm.Gemini:
		c.keywords = append(base, "format", "prefixItems", "minItems", "maxItems", "minimum", "maximum")
		c.formats = []string{"date-time", "date", "time"}
		c.fieldName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]{0,63}$`)
	case format == llm.Anthropic && strict:
		c.keywords = append(base, "format", "minItems")
		c.formats = append(iso, "uri")
		c.fieldName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
	case format == llm.Anthropic:
		c.fieldName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
	case strict:
		c.keywords = append(base, "format", "pattern", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems")
		c.formats = iso
	case format == llm.OpenAI || format == llm.OpenAIResponses:
		c.keywords = append(base, "format", "pattern", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
			"minItems", "maxItems", "uniqueItems", "minLength", "maxLength", "minProperties", "maxProperties", "default", "examples")
		c.formats = iso
	}
	return c
}

func (c *checker) violation(at, text string, args ...any) {
	c.violations = append(c.violations, at+": "+fmt.Sprintf(text, args...))
}

func (c *checker) root(v any) {
	schema, ok := v.(map[string]any)
	if !ok || schema["type"] != "object" {
		c.violation("", "the top must be an object")
		return
	}
	if c.format == llm.MCP {
		return
	}
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		if schema[keyword] != nil {
			c.violation("", "%s stands at the top", keyword)
		}
	}
	if _, ok := schema["properties"].(map[string]any); !ok {
		c.violation("", "the top has no properties")
	}
	if schema["enum"] != nil && c.openAI() {
		c.violation("", "enum stands at the top")
	}
	c.schema("", schema, 1)
	if c.strict && c.openAI() && (c.properties > 5000 || c.enumValues > 1000 || c.nameBytes > 120_000) {
		c.violation("", "%d properties, %d values of enums, %d bytes of names", c.properties, c.enumValues, c.nameBytes)
	}
}

func (c *checker) openAI() bool { return c.format == llm.OpenAI || c.format == llm.OpenAIResponses }

func (c *checker) schema(at string, v any, depth int) {
	if _, ok := v.(bool); ok && c.keywords == nil {
		return
	}
	schema, ok := v.(map[string]any)
	if !ok {
		c.violation(at, "not a schema: %v", v)
		return
	}
	if c.strict && c.openAI() && depth > 10 {
		c.violation(at, "nests deeper than 10")
	}
	for keyword := range schema {
		if c.keywords != nil && !slices.Contains(c.keywords, keyword) {
			c.violation(at, "the keyword %s is not supported", keyword)
		}
		if keyword == "$ref" || keyword == "$defs" || keyword == "definitions" {
			c.violation(at, "%s was not inlined", keyword)
		}
	}
	if f, ok := schema["format"].(string); ok && c.formats != nil && !slices.Contains(c.formats, f) {
		c.violation(at, "the format %s is not supported", f)
	}
	c.types(at, schema)
	c.enum(at, schema)
	c.object(at, schema, depth)
	for _, keyword := range []string{"anyOf", "prefixItems"} {
		forms, _ := schema[keyword].([]any)
		for i, form := range forms {
			c.schema(fmt.Sprintf("%s/%s/%d", at, keyword, i), form, depth+map[string]int{"prefixItems": 1}[keyword])
		}
	}
	if schema["anyOf"] != nil {
		c.unions++
	}
	if items, ok := schema["items"]; ok {
		c.schema(at+"/items", items, depth+1)
	}
	if n, ok := schema["minItems"].(float64); ok && c.format == llm.Anthropic && c.strict && n > 1 {
		c.violation(at, "minItems is %v", n)
	}
}

func (c *checker) types(at string, schema map[string]any) {
	switch list := schema["type"].(type) {
	case nil:
		if c.strict && schema["anyOf"] == nil {
			c.violation(at, "strict mode needs a type")
		}
	case string:
		if list == "array" && schema["items"] == nil && schema["prefixItems"] == nil && (c.openAI() || c.format == llm.Gemini || c.strict) {
			c.violation(at, "the array has no items")
		}
	case []any:
		c.unions++
		if c.format == llm.Gemini && (len(list) != 2 || !slices.Contains(list, any("null"))) {
			c.violation(at, "the types are %v", list)
		}
	}
}

func (c *checker) enum(at string, schema map[string]any) {
	values, ok := schema["enum"].([]any)
	if !ok {
		return
	}
	bytes := 0
	for _, v := range values {
		switch v := v.(type) {
		case string:
			bytes += len(v)
		case bool, nil:
			if c.format == llm.Gemini {
				c.violation(at, "the enum lists %v", v)
			}
		case map[string]any, []any:
			if c.openAI() || c.format == llm.Gemini || c.strict {
				c.violation(at, "the enum lists %v", v)
			}
		}
	}
	c.enumValues += len(values)
	c.nameBytes += bytes
	if c.strict && c.openAI() && len(values) > 250 && bytes > 15_000 {
		c.violation(at, "the enum has %d bytes", bytes)
	}
}

func (c *checker) object(at string, schema map[string]any, depth int) {
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for name, p := range properties {
		c.properties++
		c.nameBytes += len(name)
		if c.fieldName != nil && !c.fieldName.MatchString(name) {
			c.violation(at, "a property is called %q", name)
		}
		if !slices.Contains(required, any(name)) {
			c.optional++
			if c.strict && c.openAI() {
				c.violation(at, "%s is not required", name)
			}
		}
		c.schema(at+"/properties/"+name, p, depth+1)
	}
	for _, name := range required {
		if properties[name.(string)] == nil {
			c.violation(at, "%v is required but not a property", name)
		}
	}
	types, _ := schema["type"].([]any)
	isObject := schema["type"] == "object" || slices.Contains(types, any("object"))
	if c.strict && isObject && schema["additionalProperties"] != false {
		c.violation(at, "the object is not closed")
	}
	if rest, ok := schema["additionalProperties"].(map[string]any); ok {
		c.schema(at+"/additionalProperties", rest, depth+1)
	}
}
