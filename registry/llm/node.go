package llm

import (
	"cmp"
	"slices"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// node is a normalized schema: references are inlined, allOf is merged, and alternatives are
// separate. Nodes are shared and immutable.
type node struct {
	// at is the JSON pointer of the schema in the tool's parameters.
	at                 string
	title, description string
	fallback           *jsontree.Value // the default; nil means none
	examples           []jsontree.Value
	// never is set for a schema that admits no value. The fields below are empty then.
	never bool
	// alternatives are schemas. A value must match at least one of them. A node with alternatives
	// has only title, description, default and examples. No alternative has alternatives itself.
	alternatives []*node
	types        jsontype.Set
	enum         []jsontree.Value // nil means any value
	limits       []keyword        // the keywords in limitTypes
	fields       []field
	rest         *node // schema of undeclared fields; nil means no constraint
	prefix       []*node
	items        *node     // schema of the items after prefix; nil means no constraint
	others       []keyword // the keywords in the variable others: not, if, contains ...
	// cut is set where a reference to an enclosing schema was not followed.
	cut bool
}

// field is a property, or the name of a property that "required" lists and no schema declares.
type field struct {
	name     string
	node     *node
	required bool
}

// keyword is a keyword of the tool's schema, with its JSON pointer.
type keyword struct {
	name  string
	value *jsontree.Value
	at    string
}

// limitTypes maps each keyword that limits a value to the types of value that it applies to.
var limitTypes = map[string]jsontype.Set{
	"minLength": jsontype.String, "maxLength": jsontype.String, "pattern": jsontype.String, "format": jsontype.String,
	"minimum": jsontype.Number, "maximum": jsontype.Number, "multipleOf": jsontype.Number,
	"exclusiveMinimum": jsontype.Number, "exclusiveMaximum": jsontype.Number,
	"minItems": jsontype.Array, "maxItems": jsontype.Array, "uniqueItems": jsontype.Array,
	"minProperties": jsontype.Object, "maxProperties": jsontype.Object,
}

// others are the asserting keywords that have no field of their own in a node.
var others = []string{
	"not", "if", "then", "else", "dependentRequired", "dependentSchemas", "dependencies",
	"patternProperties", "propertyNames", "contains", "minContains", "maxContains", "unevaluatedItems",
}

// field returns the field with a name, or nil.
func (n *node) field(name string) *field {
	i := slices.IndexFunc(n.fields, func(f field) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return &n.fields[i]
}

// admits reports whether n may admit a value of one of the types.
func (n *node) admits(t jsontype.Set) bool {
	if n.alternatives != nil {
		return slices.ContainsFunc(n.alternatives, func(a *node) bool { return a.admits(t) })
	}
	if n.never || n.types&t == 0 {
		return false
	}
	return n.enum == nil || slices.ContainsFunc(n.enum, func(v jsontree.Value) bool { return v.Types()&t != 0 })
}

// bare reports whether n admits every value.
func (n *node) bare() bool {
	return !n.never && !n.cut && n.alternatives == nil && n.types == jsontype.Any && n.enum == nil && len(n.limits) == 0 &&
		len(n.fields) == 0 && n.rest == nil && n.items == nil && len(n.prefix) == 0 && len(n.others) == 0
}

// anyText reports whether n admits every string.
func (n *node) anyText() bool {
	return n.types&jsontype.String != 0 && n.alternatives == nil && !n.cut && n.enum == nil && len(n.others) == 0 &&
		!slices.ContainsFunc(n.limits, func(k keyword) bool { return limitTypes[k.name] == jsontype.String })
}

// annotated returns a copy of n. If other has a title, description, default or examples, the copy
// takes them from other.
func (n *node) annotated(other *node) *node {
	out := *n
	out.title, out.description = cmp.Or(other.title, n.title), cmp.Or(other.description, n.description)
	out.fallback = cmp.Or(other.fallback, n.fallback)
	if other.examples != nil {
		out.examples = other.examples
	}
	return &out
}

// plain returns a copy of n without title, description, default and examples.
func (n *node) plain() *node {
	out := *n
	out.title, out.description, out.fallback, out.examples = "", "", nil, nil
	return &out
}

// settled removes from n the enum values that its types exclude and the types that no enum value
// has. It returns a node that admits nothing if none are left.
func (n *node) settled() *node {
	if n.never || n.alternatives != nil {
		return n
	}
	if n.enum != nil {
		var of jsontype.Set
		var enum []jsontree.Value
		for _, v := range n.enum {
			if t := v.Types(); n.types&t != 0 {
				enum = append(enum, v)
				of |= t
			}
		}
		for _, name := range jsontype.Names() {
			if set := jsontype.Named(name); of&set == 0 {
				n.types &^= set
			}
		}
		n.enum = enum
		if enum == nil {
			return &node{at: n.at, never: true}
		}
	}
	if n.types == 0 {
		return &node{at: n.at, never: true}
	}
	return n
}
