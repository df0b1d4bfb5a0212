package manifests

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/internal/suggest"
)

// schema reads a table that is a JSON Schema.
func (c *checker) schema(target **jsonschema.Schema, compile func(json.RawMessage) (*jsonschema.Schema, error)) stricttoml.Reader {
	return func(at stricttoml.Place, n *stricttoml.Node) {
		raw, ok := c.JSON(at, n)
		if !ok {
			return
		}
		schema, err := compile(raw)
		if err == nil {
			*target = schema
			return
		}
		for _, e := range schemaErrors(err) {
			c.Errorf(n.Locate(at, pointerSteps(e.Pointer)...), "%s", e.Message)
		}
	}
}

// schemaErrors returns the errors of a schema, with hidden characters in messages escaped.
func schemaErrors(err error) []jsonschema.SchemaError {
	var errs jsonschema.SchemaErrors
	if !errors.As(err, &errs) {
		errs = jsonschema.SchemaErrors{{Message: err.Error()}}
	}
	errs = slices.Clone(errs)
	for i := range errs {
		errs[i].Message = plaintext.Visible(errs[i].Message)
	}
	return errs
}

// pointerSteps splits the JSON pointer of an error into its tokens.
func pointerSteps(pointer string) []string {
	steps, _ := jsontree.ParsePointer(pointer) // always valid: package jsonschema made it
	return steps
}

// parameters finds the schema of the parameters, and checks the keys that depend on it. With a
// parameters_file, the checks happen after the file was read.
func (c *checker) parameters(m *Manifest) {
	inline, file := c.Root().Get("parameters") != nil, c.Root().Get("parameters_file") != nil
	switch {
	case inline && file:
		c.Errorf(c.At("parameters_file"), "the manifest has [parameters] as well; keep one of the two")
	case file, m.MCP != nil && !inline:
		return // the schema is read later, or the server has it
	case !inline:
		schema, err := jsonschema.CompileParameters(json.RawMessage(`{"type":"object","properties":{}}`))
		if err != nil {
			c.Errorf(stricttoml.Place{Key: "parameters", Offset: stricttoml.WholeFile}, "%s", err)
			return
		}
		m.Parameters = schema
	}
	c.dependants(m)
}

// dependants checks the keys that depend on the parameters. It does nothing when the schema is
// nil, because then its error was reported.
func (c *checker) dependants(m *Manifest) {
	if m.Parameters == nil {
		return
	}
	c.checkUses(m.Parameters)
	c.paths(m)
	c.restUses(m)
	c.warmUp(m)
	c.exampleCallsFit(m)
}

// paths checks each x-path: a person is asked about the paths only of tools that request all
// workspaces.
func (c *checker) paths(m *Manifest) {
	for _, p := range m.Parameters.Parameters() {
		at := c.At("parameters", "properties", p.Name, "x-path")
		asks := func(f capability.FS) bool {
			return f.Mount == capability.WorkspaceMount && f.Others && (p.Path == "read" || f.Mode == capability.ModeWrite)
		}
		switch {
		case p.Path == "":
		case p.Type != "string":
			c.Errorf(at, "needs a parameter of type string, got %s", p.Type)
		case !slices.ContainsFunc(m.Permissions.FS, asks):
			c.Errorf(at, "needs [[permissions.fs]] with mount = \"workspace\", mode = %s and others = true", stricttoml.Quote(p.Path))
		}
	}
}

// checkUses reports each placeholder that names no declared parameter.
func (c *checker) checkUses(schema *jsonschema.Schema) {
	var declared []string
	types := make(map[string]string)
	for _, p := range schema.Parameters() {
		declared = append(declared, p.Name)
		types[p.Name] = p.Type
	}
	unknown := 0
	for _, use := range c.uses {
		for _, name := range use.names {
			if kind, declared := types[name]; declared {
				if use.kind != "" && kind != use.kind {
					c.Errorf(use.at, "needs a parameter of type %s, but %s has the type %s", use.kind, stricttoml.Quote(name), kind)
				}
				continue
			}
			fix := "declare it under the properties of the parameters"
			// Only the errors that are listed get a suggestion, because searching for a similar
			// name takes time.
			if unknown++; unknown <= stricttoml.MaxErrors {
				if near := suggest.Nearest(name, declared); near != "" {
					fix = fmt.Sprintf("did you mean %s?", stricttoml.Quote("{"+near+"}"))
				}
			}
			c.Errorf(use.at, "%s is not a parameter; %s", stricttoml.Quote("{"+name+"}"), fix)
		}
	}
}
