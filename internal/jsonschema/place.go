package jsonschema

import (
	"cmp"
	"slices"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// place holds the rules of a schema for one place in a document, as far as they are needed to
// prepare arguments. It combines all schemas that apply at the place unconditionally. Places form a
// graph with the structure of the documents, which is cyclic if the schema is recursive.
type place struct {
	types  jsontype.Set
	object objectRules
	array  arrayRules
	// declared is the value of "default" in the schema; nil if there is none.
	declared *jsontree.Value
	// pointer is the JSON pointer to the schema that contains declared.
	pointer string
	// fallback is the schema's default, with the defaults of nested schemas filled in.
	fallback *filled
	// description and enum are shown to people.
	description string
	path        string // the value of x-path
	enum        []jsontree.Value
	// implied replaces an absent required object without a default, if the defaults of its fields
	// complete it. It is nil otherwise.
	implied *filled
}

// filled is a value that can be added to a document, with the number of its values and its depth.
type filled struct {
	value         jsontree.Value
	values, depth int
}

// objectRules holds the rules of a place for objects.
type objectRules struct {
	fields []field        // the declared fields in the order of the schema
	index  map[string]int // the indices in fields by name
	// aliases holds the indices in fields by further names; nil if there are none.
	aliases map[string]int
	// rest applies to undeclared fields; nil if there is no rule for them.
	rest *place
	// silent reports whether the list of fields is the only rule about which fields may occur.
	silent bool
	// listed reports whether the schema has "properties".
	listed bool
}

// field is a declared field of an object.
type field struct {
	name     string
	literal  string // the name as a JSON literal
	place    *place
	required bool
}

// absent returns the value that replaces the field if it was not sent, or nil if there is none.
func (f *field) absent() *filled {
	if f.place.fallback == nil && f.required {
		return f.place.implied
	}
	return f.place.fallback
}

// drops reports whether undeclared fields are dropped. root means that the object holds the
// arguments of a call. Such an object is never an open map, even if the schema lists no fields.
func (r *objectRules) drops(root bool) bool {
	return r.silent && (r.listed || root)
}

// arrayRules holds the rules of a place for arrays.
type arrayRules struct {
	prefix []*place // the places of the first items
	rest   *place   // the place of all other items; nil if there is no rule for them
}

// at returns the place of the item at an index, or nil.
func (r *arrayRules) at(i int) *place {
	if i < len(r.prefix) {
		return r.prefix[i]
	}
	return r.rest
}

// planner computes places from compiled schemas.
type planner struct {
	schemas map[string]*jsontree.Value // each schema of the document, by pointer
	places  map[string]*place          // by the set of schemas that apply there
	all     []*place                   // in the order of creation
	ids     map[*santhosh.Schema]int
	types   map[*santhosh.Schema]jsontype.Set
	size    int // the number of schemas visited so far
}

// tooLarge reports whether places were left out because there were too many.
func (p *planner) tooLarge() bool { return p.size > maxPlanSize }

// source returns the JSON of a compiled schema in the document, and its pointer. It returns nil for
// a part of a meta-schema.
func (p *planner) source(s *santhosh.Schema) (*jsontree.Value, string) {
	pointer, ok := pointerInSchema(s.Location)
	if !ok {
		return nil, ""
	}
	return p.schemas[pointer], pointer
}

// place returns the place at which all of the schemas apply, or nil if there are no schemas.
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
	p.places[string(key)] = made // stored before it is complete, because schemas can be cyclic
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

// typesOf returns the types that a schema admits. It may return too many if the types cannot be
// determined.
func (p *planner) typesOf(s *santhosh.Schema) jsontype.Set {
	if t, ok := p.types[s]; ok {
		return t
	}
	p.types[s] = jsontype.Any // stored first, so that the recursion stops at a cycle of references
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

// annotate sets the default, the description and the list of values of a place. Each comes from the
// first unconditional schema that has it.
func (p *planner) annotate(made *place, set []*santhosh.Schema) {
	all, _ := p.applying(set, 0)
	for _, s := range all {
		made.description = cmp.Or(made.description, s.Description)
		source, pointer := p.source(s)
		if source == nil {
			continue
		}
		if path := source.Member(pathKeyword); path != nil {
			made.path = cmp.Or(made.path, path.Text())
		}
		if s.Default != nil && made.declared == nil {
			made.declared, made.pointer = source.Member("default"), pointer
		}
		if s.Enum != nil && made.enum == nil {
			made.enum = source.Member("enum").Items
		}
	}
}

// applying returns the schemas that apply unconditionally to a value of the type t. These are the
// given schemas and the schemas that they include by $ref and allOf. A branch of a choice is
// included if no other branch admits t. certain is false if other schemas may apply as well.
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

// conditional reports whether a schema has keywords that apply other schemas depending on the
// value.
func conditional(s *santhosh.Schema) bool {
	return s.Not != nil || s.If != nil || s.DynamicRef != nil || s.RecursiveRef != nil ||
		len(s.DependentSchemas) > 0 || len(s.Dependencies) > 0
}
