package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
)

// parametersTable returns a table with a row for each parameter. It also has a row for each field
// of a parameter that is an object or a list of objects.
func parametersTable(schema *jsonschema.Schema) (string, error) {
	rows, err := rowsOf("", "required", schema)
	if err != nil || len(rows) == 0 {
		return "The tool takes no parameters.\n", err
	}
	return "| name | type | default | description |\n| --- | --- | --- | --- |\n" + strings.Join(rows, ""), nil
}

// resultSection returns the section about the structured result, or "" if the tool has no schema
// for it.
func resultSection(schema *jsonschema.Schema) (string, error) {
	if schema == nil {
		return "", nil
	}
	rows, err := rowsOf("", "always", schema)
	if err != nil || len(rows) == 0 {
		return "", err
	}
	return "\n## Structured result\n\n| name | type | present | description |\n| --- | --- | --- | --- |\n" + strings.Join(rows, ""), nil
}

// rowsOf returns the rows for the properties of an object. required is the word for properties that
// the schema requires.
func rowsOf(prefix, required string, schema *jsonschema.Schema) ([]string, error) {
	var root struct{ Properties map[string]json.RawMessage }
	if err := json.Unmarshal(schema.JSON(), &root); err != nil {
		return nil, err
	}
	var rows []string
	for _, p := range schema.Parameters() {
		var b bounds
		if err := json.Unmarshal(root.Properties[p.Name], &b); err != nil {
			return nil, fmt.Errorf("%s%s: %w", prefix, p.Name, err)
		}
		fallback := ""
		switch {
		case p.Required:
			fallback = required
		case p.Default != nil:
			fallback = "`" + string(p.Default) + "`"
		}
		about := strings.TrimSuffix(prose(p.Description), ".")
		if limits := b.words(p.Enum); limits != "" {
			about = strings.TrimPrefix(about+". ", ". ") + upper(limits)
		}
		if len(p.Aliases) > 0 {
			about = strings.TrimPrefix(about+". ", ". ") + "Also called `" + strings.Join(p.Aliases, "`, `") + "`"
		}
		rows = append(rows, fmt.Sprintf("| `%s%s` | %s | %s | %s |\n", prefix, p.Name, cell(p.Type), cell(fallback), cell(about)))
		nested, err := b.rows(prefix+p.Name, required, root.Properties[p.Name])
		if err != nil {
			return nil, err
		}
		rows = append(rows, nested...)
	}
	return rows, nil
}

// bounds holds the keys of a schema that constrain a value.
type bounds struct {
	Properties         json.RawMessage
	Items              json.RawMessage
	Minimum, Maximum   json.Number
	MinLength          json.Number
	MaxLength          json.Number
	MinItems, MaxItems json.Number
	Pattern            string
}

// rows returns the rows for the fields of an object, or of the objects in a list.
func (b bounds) rows(name, required string, own json.RawMessage) ([]string, error) {
	inner, suffix := own, "."
	if b.Properties == nil {
		var items bounds
		if b.Items == nil || json.Unmarshal(b.Items, &items) != nil || items.Properties == nil {
			return nil, nil
		}
		inner, suffix = b.Items, "[]."
	}
	schema, err := jsonschema.CompileParameters(inner)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return rowsOf(name+suffix, required, schema)
}

// words describes in words how the schema constrains the value.
func (b bounds) words(enum []json.RawMessage) string {
	var list []string
	if len(enum) > 0 {
		values := make([][]byte, len(enum))
		for i, v := range enum {
			values[i] = v
		}
		list = append(list, "one of `"+string(bytes.Join(values, []byte("`, `")))+"`")
	}
	for _, r := range []struct {
		low, high json.Number
		of        string
	}{{b.Minimum, b.Maximum, ""}, {b.MinLength, b.MaxLength, " characters"}, {b.MinItems, b.MaxItems, " elements"}} {
		switch {
		case r.low != "" && r.high != "":
			list = append(list, fmt.Sprintf("%s to %s%s", r.low, r.high, r.of))
		case r.low == "1" && r.of != "":
			list = append(list, "not empty")
		case r.low != "":
			list = append(list, fmt.Sprintf("at least %s%s", r.low, r.of))
		case r.high != "":
			list = append(list, fmt.Sprintf("at most %s%s", r.high, r.of))
		}
	}
	if b.Pattern != "" {
		list = append(list, "matches `"+b.Pattern+"`")
	}
	return strings.Join(list, "; ")
}
