// Package definition checks a tool.Spec, for the registry and for packages that define tools in
// Go.
package definition

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/lazyregexp"
	"github.com/wasmtool/wasmtool/internal/placeholder"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Definition is a valid Spec with its compiled schemas. It is immutable and may be used
// concurrently.
type Definition struct {
	// Spec is a copy of the spec, including defaults.
	Spec tool.Spec
	// Parameters is the schema of the arguments, and Result the schema of the structured result,
	// or nil if the tool has none.
	Parameters, Result *jsonschema.Schema
	// Confirm is the author's text for questions about calls.
	Confirm placeholder.Template
}

// noParameters is the schema of a tool without parameters.
const noParameters = `{"type":"object","properties":{}}`

var validName = lazyregexp.New(`^[a-z][a-z0-9_-]{0,63}$`)

// Compiled is implemented by executors that already have compiled schemas, for example from a
// manifest. With many tools, compiling schemas takes most of the startup time.
type Compiled interface {
	// Schemas returns the schemas of the arguments and of the result; nil means none.
	Schemas() (parameters, result *jsonschema.Schema)
}

// Compile checks a spec and compiles its schemas. If executor is [Compiled], Compile uses its
// schemas where they match; executor may be nil. The error is an *Error with the code
// invalid_manifest; its Details.Field names the invalid field.
func Compile(spec tool.Spec, executor tool.Executor) (*Definition, error) {
	if err := checkNames(spec); err != nil {
		return nil, err
	}
	if err := checkTexts(spec); err != nil {
		return nil, err
	}
	d := &Definition{Spec: spec.Clone()}
	d.Spec.Title = cmp.Or(d.Spec.Title, d.Spec.Name)
	d.Spec.Timeout = cmp.Or(max(d.Spec.Timeout, 0), tool.DefaultTimeout)
	if len(d.Spec.Parameters) == 0 {
		d.Spec.Parameters = json.RawMessage(noParameters)
	}
	var parameters, result *jsonschema.Schema
	if has, ok := executor.(Compiled); ok {
		parameters, result = has.Schemas()
	}
	var err error
	if d.Parameters, err = schema(spec.Name, "parameters", d.Spec.Parameters, parameters, jsonschema.CompileParameters); err != nil {
		return nil, err
	}
	if len(spec.Result) > 0 {
		if d.Result, err = schema(spec.Name, "result", spec.Result, result, jsonschema.Compile); err != nil {
			return nil, err
		}
	}
	if d.Confirm, err = parseConfirm(spec.Confirm, d.Parameters); err != nil {
		return nil, FieldError(spec.Name, "confirm", "confirm: %v", err)
	}
	if spec.Changes != "" && !declares(d.Parameters, spec.Changes) {
		return nil, FieldError(spec.Name, "changes", "changes: %q is not a parameter; name a parameter", spec.Changes)
	}
	if spec.Shell != "" && !isText(d.Parameters, spec.Shell) {
		return nil, FieldError(spec.Name, "shell", "shell: %q is not a parameter of the type string; name a parameter of that type", spec.Shell)
	}
	return d, nil
}

// schema checks and compiles a schema. If known was compiled from the same text, schema returns
// known and does not check it again.
func schema(
	name, field string, text json.RawMessage, known *jsonschema.Schema, compile func(json.RawMessage) (*jsonschema.Schema, error),
) (*jsonschema.Schema, error) {
	if known != nil && bytes.Equal(text, known.JSON()) {
		return known, nil
	}
	if invisible := jsonschema.CheckTexts(text); invisible != nil {
		return nil, FieldError(name, field, "%s: %s; leave it out", field, invisible)
	}
	compiled, err := compile(text)
	if err != nil {
		return nil, FieldError(name, field, "%s: %v", field, err)
	}
	return compiled, nil
}

// FieldError returns the error for an invalid field of a tool's definition.
func FieldError(name, field, format string, args ...any) error {
	return &tool.Error{
		Code: tool.CodeInvalidManifest, Tool: name, Message: fmt.Sprintf(format, args...),
		Details: tool.Details{Field: field},
	}
}

func checkNames(spec tool.Spec) error {
	seen := make(map[string]bool)
	for i, name := range append([]string{spec.Name}, spec.Aliases...) {
		field := "name"
		if i > 0 {
			field = "aliases"
		}
		if !validName.MatchString(name) {
			return FieldError(spec.Name, field, "the name %q must have 1 to 64 of the characters a-z, 0-9, _ and -, and begin with a letter", name)
		}
		if seen[name] {
			return FieldError(spec.Name, field, "the name %q appears twice; remove one of the two", name)
		}
		seen[name] = true
	}
	return nil
}

// parseConfirm parses Spec.Confirm, and checks that its placeholders are parameters of the tool.
func parseConfirm(text string, schema *jsonschema.Schema) (placeholder.Template, error) {
	template, err := placeholder.Parse(text)
	if err != nil {
		return template, err
	}
	for _, name := range template.Parameters() {
		if !declares(schema, name) {
			return template, fmt.Errorf("{%s} is not a parameter", name)
		}
	}
	return template, nil
}

// isText reports whether a schema has a parameter with the type string only.
func isText(schema *jsonschema.Schema, name string) bool {
	return slices.ContainsFunc(schema.Parameters(), func(p jsonschema.Parameter) bool { return p.Name == name && p.Type == "string" })
}

// declares reports whether a schema has a parameter with this name.
func declares(schema *jsonschema.Schema, name string) bool {
	return slices.ContainsFunc(schema.Parameters(), func(p jsonschema.Parameter) bool { return p.Name == name })
}
