package llm

import (
	"cmp"
	"slices"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// node is a schema in the one shape that all ways of writing a schema are brought into:
// references inlined, allOf merged, alternatives apart. Nodes are shared and do not change
// once they are made.
type node struct {
	// at is the JSON pointer of the schema in the tool's parameters.
	at                 string
	title, description string
	fallback           *jsontree.Value  // the default; nil means none
	examples           []jsontree.Value // none means none
	// never admits nothing; the rest is empty then.
	never bool
	// alternatives admit what one of them admits. Only title, description, default and
	// examples are set beside them, and no alternative has alternatives itself.
	alternatives []*node
	types        jsontype.Set
	enum         []jsontree.Value // nil means any value
	limits       []keyword        // minLength, maximum and the like, and format
	fields       []field
	rest         *node // of fields that are not declared; nil says nothing of them
	prefix       []*node
	items        *node     // of the items after prefix; nil says nothing of them
	others       []keyword // that have no other place here: not, if, contains ...
	// cut marks where a reference to a schema around it was not followed.
	cut bool
}

// field is a property, or a name that is only required.
type field struct {
	name     string
	node     *node
	required bool
}

// keyword is a keyword of the tool's schema and where it stands.
type keyword struct {
	name  string
	value *jsontree.Value
	at    string
}

// limitTypes are the keywords that compare a value with a scalar, with the type of the values
// that they are for.
var limitTypes = map[string]jsontype.Set{
	"minLength": jsontype.String, "maxLength": jsontype.String, "pattern": jsontype.String, "format": jsontype.String,
	"minimum": jsontype.Number, "maximum": jsontype.Number, "multipleOf": jsontype.Number,
	"exclusiveMinimum": jsontype.Number, "exclusiveMaximum": jsontype.Number,
	"minItems": jsontype.Array, "maxItems": jsontype.Array, "uniqueItems": jsontype.Array,
	"minProperties": jsontype.Object, "maxProperties": jsontype.Object,
}

// others are the keywords that assert something which a node has no place for.
var others = []string{
	"not", "if", "then", "else", "dependentRequired", "dependentSchemas", "dependencies",
	"patternProperties", "propertyNames", "contains", "minContains", "maxContains", "unevaluatedItems",
}

// field returns the field of a name, or nil.
func (n *node) field(name string) *field {
	i := slices.IndexFunc(n.fields, func(f field) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return &n.fields[i]
}

// admits reports whether a value of one of the types may fit.
func (n *node) admits(t jsontype.Set) bool {
	if n.alternatives != nil {
		return slices.ContainsFunc(n.alternatives, func(a *node) bool { return a.admits(t) })
	}
	if n.never || n.types&t == 0 {
		return false
	}
	return n.enum == nil || slices.ContainsFunc(n.enum, func(v jsontree.Value) bool { return v.Types()&t != 0 })
}

// bare reports a node that asserts nothing.
func (n *node) bare() bool {
	return !n.never && !n.cut && n.alternatives == nil && n.types == jsontype.Any && n.enum == nil && len(n.limits) == 0 &&
		len(n.fields) == 0 && n.rest == nil && n.items == nil && len(n.prefix) == 0 && len(n.others) == 0
}

// anyText reports a node that admits every text.
func (n *node) anyText() bool {
	return n.types&jsontype.String != 0 && n.alternatives == nil && !n.cut && n.enum == nil && len(n.others) == 0 &&
		!slices.ContainsFunc(n.limits, func(k keyword) bool { return limitTypes[k.name] == jsontype.String })
}

// annotated returns a copy of n with the texts and the default of by, where it has some.
func (n *node) annotated(by *node) *node {
	out := *n
	out.title, out.description = cmp.Or(by.title, n.title), cmp.Or(by.description, n.description)
	out.fallback = cmp.Or(by.fallback, n.fallback)
	if by.examples != nil {
		out.examples = by.examples
	}
	return &out
}

// plain returns a copy of n without texts and default.
func (n *node) plain() *node {
	out := *n
	out.title, out.description, out.fallback, out.examples = "", "", nil, nil
	return &out
}

// settled returns n after its enum and its types were held against each other.
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
		// A type that no value of the enum has is none.
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
