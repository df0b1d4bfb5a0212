// Package signature declares tools as functions of a script, from the schemas of their parameters
// and results.
package signature

import (
	"slices"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/lazyregexp"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Python is the language of Python. Every other word means TypeScript.
const Python = "python"

// Of returns the declaration of a tool as a function below "tools": in TypeScript, or as a stub of
// Python. It has one line, and at most about 1,000 bytes: large schemas lose inner fields.
func Of(s tool.Spec, language string) string {
	var w writer = typeScript{}
	if language == Python {
		w = python{}
	}
	for depth := 4; ; depth-- {
		g := generator{w: w, depth: depth}
		text := "tools." + Path(s) + g.arguments(s) + w.returns(g.result(s))
		if len(text) <= maxLength || depth == 0 {
			return text
		}
	}
}

const maxLength = 1000

// writer writes types of one language.
type writer interface {
	named(name string) string // a type of JSON Schema
	list(item string) string
	mapping(value string) string
	object(fields []field) string
	union(all []string) string
	literal(v *jsontree.Value) string
	parameters(fields []field) string
	returns(result string) string
}

// field is a field of an object.
type field struct {
	name, kind string
	required   bool
	byDefault  *jsontree.Value // a scalar, or nil
}

// generator writes the types of one tool.
type generator struct {
	w     writer
	root  *jsontree.Value
	depth int // of objects and lists that are written in full
}

func (g generator) arguments(s tool.Spec) string {
	schema, err := jsonschema.CompileParameters(jsonschema.WithoutAliases(s.Parameters))
	if err != nil { // impossible for a registered tool
		return "()"
	}
	g.root = schema.Tree()
	return g.w.parameters(g.fields(g.resolve(g.root), g.depth))
}

// result returns the type of what the function returns: the text of a result without a schema.
func (g generator) result(s tool.Spec) string {
	if len(s.Result) == 0 {
		return g.w.named("string")
	}
	schema, err := jsonschema.Compile(s.Result)
	if err != nil {
		return g.w.named("")
	}
	g.root = schema.Tree()
	return g.of(g.root, g.depth)
}

// resolve follows references inside of the document.
func (g generator) resolve(v *jsontree.Value) *jsontree.Value {
	for range 8 {
		pointer, ok := strings.CutPrefix(v.Member("$ref").Text(), "#")
		if !ok {
			return v
		}
		target := g.root.At(jsontree.SplitPointer(pointer))
		if target == nil {
			return v
		}
		v = target
	}
	return v
}

// of returns the type of a schema.
func (g generator) of(v *jsontree.Value, depth int) string {
	v = g.resolve(v)
	if c := v.Member("const"); c != nil {
		return g.w.literal(c)
	}
	for _, choice := range [][]jsontree.Value{v.Member("anyOf").List(), v.Member("oneOf").List()} {
		if len(choice) > 0 && len(choice) <= maxChoices && depth > 0 {
			return g.union(choice, func(one *jsontree.Value) string { return g.of(one, depth-1) })
		}
	}
	if values := v.Member("enum").List(); len(values) > 0 && len(values) <= maxChoices {
		return g.union(values, g.w.literal)
	}
	kinds := v.Member("type")
	if list := kinds.List(); len(list) > 0 {
		return g.union(list, func(one *jsontree.Value) string { return g.plain(v, one.Text(), depth) })
	}
	return g.plain(v, kinds.Text(), depth)
}

// maxChoices limits the values and types of a union.
const maxChoices = 12

func (g generator) union(values []jsontree.Value, of func(*jsontree.Value) string) string {
	var all []string
	for i := range values {
		if kind := of(&values[i]); !slices.Contains(all, kind) {
			all = append(all, kind)
		}
	}
	return g.w.union(all)
}

// plain returns the type of a schema with one type.
func (g generator) plain(v *jsontree.Value, kind string, depth int) string {
	switch {
	case depth == 0:
		return g.w.named(kind)
	case kind == "array" && v.Member("items") != nil:
		return g.w.list(g.of(v.Member("items"), depth-1))
	case kind != "object" && (kind != "" || v.Member("properties") == nil):
		return g.w.named(kind)
	}
	if fields := g.fields(v, depth-1); len(fields) > 0 {
		return g.w.object(fields)
	}
	if values := v.Member("additionalProperties"); values != nil && values.Kind == jsontree.Object {
		return g.w.mapping(g.of(values, depth-1))
	}
	return g.w.named("object")
}

// fields returns the declared fields of an object, first those that are required.
func (g generator) fields(v *jsontree.Value, depth int) (fields []field) {
	properties := v.Member("properties")
	if properties == nil {
		return nil
	}
	required := v.Member("required").List()
	for i := range properties.Members {
		m := &properties.Members[i]
		f := field{name: m.Name, kind: g.of(&m.Value, depth)}
		f.required = slices.ContainsFunc(required, func(r jsontree.Value) bool { return r.Text() == m.Name })
		if value := m.Value.Member("default"); value != nil && value.Kind != jsontree.Object && value.Kind != jsontree.Array {
			f.byDefault = value
		}
		fields = append(fields, f)
	}
	slices.SortStableFunc(fields, func(a, b field) int {
		switch {
		case a.required == b.required:
			return 0
		case a.required:
			return -1
		}
		return 1
	})
	return fields
}

var identifier = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// key returns the name of a field as it is written in an object.
func key(name string) string {
	if identifier.MatchString(name) {
		return name
	}
	return strconv.Quote(name)
}
