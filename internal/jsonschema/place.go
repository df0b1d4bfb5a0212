package jsonschema

import (
	"cmp"
	"slices"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// place is what the schema says about one place in a document, as far as
// preparing arguments needs it: all schemas that apply there without condition,
// read together. Places form a graph with the shape of the documents; it is
// cyclic where the schema is.
type place struct {
	types  jsontype.Set
	object objectRules
	array  arrayRules
	// declared is the value of "default" as written; nil if there is none. pointer
	// leads to the schema that holds it.
	declared *jsontree.Value
	pointer  string
	// fallback is the default with the defaults inside it.
	fallback *filled
	// description and enum are for people.
	description string
	enum        []jsontree.Value
	// implied is what a required object becomes that is absent and has no
	// default, when the defaults of its fields complete it.
	implied *filled
}

// filled is a value that is ready to be added to a document.
type filled struct {
	value         jsontree.Value
	values, depth int
}

// objectRules is what a place says about objects.
type objectRules struct {
	fields []field // declared, in the order of the schema
	index  map[string]int
	// rest applies to fields that are not declared; nil if nothing does.
	rest *place
	// silent: nothing but the list of fields says what may be there.
	silent bool
	// listed: the schema has "properties".
	listed bool
}

// field is a declared field of an object.
type field struct {
	name     string
	literal  string // the name as JSON
	place    *place
	required bool
}

// absent returns what stands in for the field when it was not sent, or nil.
func (f *field) absent() *filled {
	if f.place.fallback == nil && f.required {
		return f.place.implied
	}
	return f.place.fallback
}

// drops reports whether undeclared fields are to be dropped. The arguments
// themselves are no open map, even if the schema lists no field.
func (r *objectRules) drops(root bool) bool {
	return r.silent && (r.listed || root)
}

// arrayRules is what a place says about arrays.
type arrayRules struct {
	prefix []*place // by index
	rest   *place   // of items after the prefix; nil if nothing applies
}

// at returns the place of the item at an index, or nil.
func (r *arrayRules) at(i int) *place {
	if i < len(r.prefix) {
		return r.prefix[i]
	}
	return r.rest
}

// planner builds places from compiled schemas.
type planner struct {
	schemas map[string]*jsontree.Value // each schema of the document, by pointer
	places  map[string]*place          // by the set of schemas that makes them
	all     []*place                   // in the order in which they were made
	ids     map[*santhosh.Schema]int
	types   map[*santhosh.Schema]jsontype.Set
	size    int // schemas looked at so far
}

// tooLarge reports that places were left out because there were too many.
func (p *planner) tooLarge() bool { return p.size > maxPlanSize }

// source returns the text of a compiled schema and its pointer, unless it is
// part of a meta-schema.
func (p *planner) source(s *santhosh.Schema) (*jsontree.Value, string) {
	pointer, ok := pointerInSchema(s.Location)
	if !ok {
		return nil, ""
	}
	return p.schemas[pointer], pointer
}

// place returns the place where all of the schemas apply; nil if there are none.
func (p *planner) place(set []*santhosh.Schema) *place {
	if len(set) == 0 {
		return nil
	}
	var key []byte
	for _, s := range set {
		id, ok := p.ids[s]
		if !ok {
			id = len(p.ids)
			p.ids[s] = id
		}
		key = append(key, byte(id), byte(id>>8), byte(id>>16))
	}
	if made := p.places[string(key)]; made != nil {
		return made
	}
	made := &place{types: jsontype.Any}
	p.places[string(key)] = made // before going on, because schemas are cyclic
	p.all = append(p.all, made)
	if p.size += len(set); p.tooLarge() {
		return made
	}
	for _, s := range set {
		made.types &= p.typesOf(s)
	}
	p.annotate(made, set)
	made.object = p.objectRules(set)
	made.array = p.arrayRules(set)
	return made
}

// typesOf returns the types that a schema admits, or more where that can't be
// told.
func (p *planner) typesOf(s *santhosh.Schema) jsontype.Set {
	if t, ok := p.types[s]; ok {
		return t
	}
	p.types[s] = jsontype.Any // for cycles
	t := declaredTypes(s)
	if s.Bool != nil && !*s.Bool {
		t = 0
	}
	if s.Const != nil {
		t &= typesOfTree(*s.Const)
	}
	if s.Enum != nil {
		t &= unionOf(s.Enum.Values, typesOfTree)
	}
	if s.Ref != nil {
		t &= p.typesOf(s.Ref)
	}
	for _, part := range s.AllOf {
		t &= p.typesOf(part)
	}
	for _, choice := range [...][]*santhosh.Schema{s.AnyOf, s.OneOf} {
		if len(choice) > 0 {
			t &= unionOf(choice, p.typesOf)
		}
	}
	p.types[s] = t
	return t
}

func unionOf[T any](list []T, types func(T) jsontype.Set) jsontype.Set {
	var t jsontype.Set
	for _, one := range list {
		t |= types(one)
	}
	return t
}

// annotate takes the first default, description and list of values that apply
// without condition.
func (p *planner) annotate(made *place, set []*santhosh.Schema) {
	all, _ := p.applying(set, 0)
	for _, s := range all {
		made.description = cmp.Or(made.description, s.Description)
		source, pointer := p.source(s)
		if source == nil {
			continue
		}
		if s.Default != nil && made.declared == nil {
			made.declared, made.pointer = source.Member("default"), pointer
		}
		if s.Enum != nil && made.enum == nil {
			made.enum = source.Member("enum").Items
		}
	}
}

// applying returns the schemas that apply, when a value has the type t, without
// a condition: those given, what they include by $ref and allOf, and the branch
// of a choice that alone admits t. certain is false if other schemas may apply
// too.
func (p *planner) applying(set []*santhosh.Schema, t jsontype.Set) (all []*santhosh.Schema, certain bool) {
	certain = true
	seen := map[*santhosh.Schema]bool{}
	var visit func(s *santhosh.Schema)
	visit = func(s *santhosh.Schema) {
		if s == nil || seen[s] || p.tooLarge() {
			return
		}
		p.size++
		seen[s] = true
		all = append(all, s)
		visit(s.Ref)
		for _, part := range s.AllOf {
			visit(part)
		}
		for _, choice := range [...][]*santhosh.Schema{s.AnyOf, s.OneOf} {
			fitting := slices.DeleteFunc(slices.Clone(choice), func(branch *santhosh.Schema) bool { return p.typesOf(branch)&t == 0 })
			if len(fitting) == 1 {
				visit(fitting[0])
			}
			certain = certain && len(fitting) < 2
		}
		certain = certain && !conditional(s)
	}
	for _, s := range set {
		visit(s)
	}
	return all, certain
}

// conditional reports whether a schema has keywords by which other schemas
// apply depending on the value.
func conditional(s *santhosh.Schema) bool {
	return s.Not != nil || s.If != nil || s.DynamicRef != nil || s.RecursiveRef != nil ||
		len(s.DependentSchemas) > 0 || len(s.Dependencies) > 0
}
