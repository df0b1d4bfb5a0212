package jsonschema

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// Schema is a compiled schema. It is immutable and safe for concurrent use, and concurrent
// validations do not wait for each other. Use [Compile] or [CompileParameters] to create one.
type Schema struct {
	text    jsontree.Value
	schemas map[string]*jsontree.Value
	root    *place
	pool    *validators
}

// Compile compiles a JSON Schema. Without "$schema" the draft is 2020-12; drafts 4, 6, 7 and
// 2019-09 are supported too. The error is [SchemaErrors] with all errors that can be found at once.
func Compile(schema json.RawMessage) (*Schema, error) {
	return compile(schema, nil)
}

// CompileParameters is like [Compile], for the parameters of a tool: the root must have
// "type": "object".
func CompileParameters(schema json.RawMessage) (*Schema, error) {
	return compile(schema, checkParametersRoot)
}

// checkParametersRoot returns an error if the root may admit anything but objects.
func checkParametersRoot(root *jsontree.Value) *SchemaError {
	declared := root.Member("type")
	switch {
	case root.Kind == jsontree.Boolean:
		return &SchemaError{Message: `the parameters must be an object schema, got ` + root.Describe() +
			`; write {"type": "object", "properties": {...}}`}
	case root.Kind != jsontree.Object:
		return nil // the checker reports this error
	case declared == nil:
		return &SchemaError{Message: `the parameters must be an object schema; add "type": "object"`}
	case declared.Text() != "object":
		return &SchemaError{Pointer: "/type", Message: `the parameters must be an object schema; "type" must be "object", got ` +
			declared.Excerpt()}
	}
	return nil
}

// rootCheck returns an error if a schema has the wrong root.
type rootCheck func(*jsontree.Value) *SchemaError

func compile(schema json.RawMessage, checkRoot rootCheck) (*Schema, error) {
	text, err := jsontree.Parse(schema, schemaBounds())
	if err != nil {
		return nil, SchemaErrors{{Message: err.Error()}}
	}
	s, errs := compileTree(text, checkRoot)
	if len(errs) > 0 {
		return nil, limitErrors(errs)
	}
	return s, nil
}

// compileTree compiles a parsed schema, which the Schema keeps. It returns all errors that can be
// found at once.
func compileTree(text jsontree.Value, checkRoot rootCheck) (*Schema, SchemaErrors) {
	c := check(&text)
	if checkRoot != nil {
		if e := checkRoot(&text); e != nil {
			c.errs = append(c.errs, *e)
		}
	}
	if c.stopped {
		return nil, c.errs
	}
	src := source{tree: text.Tree(nil), patterns: c.patterns}
	plain, root, err := src.plain()
	for i := 0; err == nil && i < len(c.order); i++ {
		// Compile every subschema, because the library compiles only subschemas that the root
		// refers to.
		_, err = plain.Compile(locationOf(c.order[i]))
	}
	if err != nil {
		c.errs = append(c.errs, libraryErrors(err, &text, c.schemas, c.errs)...)
	}
	if len(c.errs) > 0 {
		return nil, c.errs
	}
	s := &Schema{text: text, schemas: c.schemas, pool: newValidators(src)}
	if errs := s.plan(c, plain, root); len(errs) > 0 {
		return nil, errs
	}
	return s, nil
}

// plan computes the places and checks each default of the schema.
func (s *Schema) plan(c *checker, plain *santhosh.Compiler, root *santhosh.Schema) SchemaErrors {
	p := &planner{
		schemas: c.schemas, places: map[string]*place{},
		ids: map[*santhosh.Schema]int{}, types: map[*santhosh.Schema]jsontype.Set{},
	}
	s.root = p.place([]*santhosh.Schema{root})
	// Some defaults belong to no place, for example in the branch of a choice. They are checked
	// too.
	own := map[string]*place{}
	for _, pointer := range c.order {
		if c.schemas[pointer].Member("default") == nil {
			continue
		}
		schema, err := plain.Compile(locationOf(pointer))
		if err == nil && schema.Default != nil {
			own[pointer] = p.place([]*santhosh.Schema{schema})
		}
	}
	if p.tooLarge() {
		return SchemaErrors{{Message: `the schema combines too many schemas; use fewer "allOf" and references`}}
	}
	f := filler{done: map[*place]bool{}, busy: map[*place]bool{}, implied: map[*place]bool{}}
	for _, made := range p.all {
		f.fallback(made)
		f.imply(made)
	}
	if len(own) == 0 {
		return f.errs
	}
	guarded, err := s.pool.get()
	if err != nil {
		return SchemaErrors{libraryError(err)}
	}
	defer s.pool.put(guarded)
	for _, pointer := range sorted(own) {
		fallback := own[pointer].fallback
		schema, err := guarded.compiler.Compile(locationOf(pointer))
		if fallback == nil || err != nil {
			continue
		}
		found, err := guarded.run(context.Background(), schema, allowance(fallback.values, 0), translator{
			doc: &fallback.value, namer: defaultNamer, schemas: s.schemas,
		})
		var unfinished Violations
		errors.As(err, &unfinished)
		for _, v := range append(found, unfinished...) {
			f.errs = append(f.errs, SchemaError{
				Pointer: pointer + "/default" + v.Pointer,
				Message: propertySubject(pointer) + v.Message,
			})
		}
	}
	return f.errs
}

// JSON returns the schema that was compiled, in compact form. The caller may change the result.
func (s *Schema) JSON() json.RawMessage {
	return s.text.JSON()
}

// Tree returns the schema as a tree, which the caller may change.
func (s *Schema) Tree() *jsontree.Value {
	return new(s.text.Clone())
}

// Validate parses a document, such as a result, strictly and validates it without changing it. An
// empty document is a violation. Validate stops when ctx is done. The error is [Violations] or the
// cause of ctx.
func (s *Schema) Validate(ctx context.Context, doc []byte) error {
	v, err := parseWithin(ctx, string(doc), jsontree.Document("the result"))
	if err != nil {
		return err
	}
	values, _ := v.Measure()
	return s.check(ctx, allowance(values, len(doc)), translator{doc: &v, namer: resultNamer})
}

// check validates the document of t against the whole schema. The budget is the parameter work.
func (s *Schema) check(ctx context.Context, work int, t translator) error {
	with, err := s.pool.get()
	if err != nil {
		return unchecked(t.namer.root)
	}
	defer s.pool.put(with)
	t.schemas = s.schemas
	found, err := with.run(ctx, with.root, work, t)
	if err == nil && len(found) > 0 {
		err = found
	}
	return err
}

// Parameter is one top-level parameter of a tool, for display. It leaves out rules of the schema
// that it cannot represent.
type Parameter struct {
	Name string
	// Aliases are the further names of the parameter, sorted.
	Aliases []string
	// Type is a type name of JSON Schema, several joined with " or ", or "any".
	Type        string
	Description string
	// Path is "read" or "write" if the parameter is the path of a file or directory: see x-path.
	Path     string
	Required bool
	// Default is the value of "default"; nil if there is none.
	Default json.RawMessage
	// Enum lists the allowed values; nil if the values are not listed.
	Enum []json.RawMessage
}

// Parameters returns the declared top-level parameters in the order of the schema. It follows
// references. The caller may change the result.
func (s *Schema) Parameters() []Parameter {
	fields := s.root.object.fields
	list := make([]Parameter, 0, len(fields))
	for i := range fields {
		f := &fields[i]
		p := Parameter{
			Name: f.name, Type: f.place.types.String(), Description: f.place.description, Path: f.place.path, Required: f.required,
			Enum: each.Of(f.place.enum, func(v jsontree.Value) json.RawMessage { return v.JSON() }),
		}
		for name, of := range s.root.object.aliases {
			if of == i {
				p.Aliases = append(p.Aliases, name)
			}
		}
		slices.Sort(p.Aliases)
		if f.place.declared != nil {
			p.Default = f.place.declared.JSON()
		}
		list = append(list, p)
	}
	return list
}
