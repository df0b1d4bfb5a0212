package llm

import (
	"slices"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// union returns what one of several schemas admits.
func (r *reader) union(forms []*node, at string) *node {
	var flat []*node
	null := false
	for _, form := range forms {
		for _, f := range form.spread() {
			switch {
			case f.never:
			case f.types == jsontype.Null:
				null = true
			default:
				flat = append(flat, f)
			}
		}
	}
	switch {
	case len(flat) == 0 && null:
		return &node{at: at, types: jsontype.Null}
	case len(flat) == 0:
		return &node{at: at, never: true}
	case len(flat) > maxAlternatives:
		r.report(at, "alternatives", "there are too many; nothing is said of the value", Wider)
		return &node{at: at, types: jsontype.Any}
	case null && len(flat) == 1:
		return flat[0].orNull()
	case null:
		flat = append(flat, &node{at: at, types: jsontype.Null})
	}
	if len(flat) == 1 {
		return flat[0]
	}
	return &node{at: at, alternatives: flat, types: jsontype.Any}
}

// spread returns the alternatives of n, or n. What n says about all of them is said of
// each that says nothing itself.
func (n *node) spread() []*node {
	if n.alternatives == nil {
		return []*node{n}
	}
	return each.Of(n.alternatives, func(a *node) *node {
		if a.description == "" && n.description != "" {
			return a.annotated(&node{description: n.description})
		}
		return a
	})
}

// orNull returns n with null admitted too.
func (n *node) orNull() *node {
	out := *n
	switch {
	case n.admits(jsontype.Null):
		return n
	case n.never:
		return &node{at: n.at, types: jsontype.Null}
	case n.alternatives != nil:
		out.alternatives = append(slices.Clip(n.alternatives), &node{at: n.at, types: jsontype.Null})
		return &out
	}
	out.types |= jsontype.Null
	if n.enum != nil {
		out.enum = append(slices.Clip(n.enum), jsontree.Value{})
	}
	return &out
}

// maxComparisons bounds what is done to find out whether alternatives overlap.
const maxComparisons = 20_000

// disjoint reports whether no value can fit two of the schemas, as far as that is easily
// told.
func disjoint(forms []*node) bool {
	c := &comparison{left: maxComparisons}
	for i, a := range forms {
		for _, b := range forms[:i] {
			if !c.apart(a, b) {
				return false
			}
		}
	}
	return true
}

// comparison counts what comparing schemas costs.
type comparison struct{ left int }

// apart reports whether no value can fit both schemas: by type, by the values they list, or
// by a required field that tells them apart.
func (c *comparison) apart(a, b *node) bool {
	if c.left--; c.left < 0 {
		return false
	}
	if a.never || b.never {
		return true
	}
	if a.alternatives != nil || b.alternatives != nil {
		return c.allApart(a.forms(), b.forms())
	}
	if a.types&b.types == 0 {
		return true
	}
	if a.enum != nil && b.enum != nil {
		return !slices.ContainsFunc(a.enum, func(v jsontree.Value) bool { return c.lists(b, &v) })
	}
	if a.types != jsontype.Object || b.types != jsontype.Object {
		return false
	}
	return slices.ContainsFunc(a.fields, func(f field) bool {
		other := b.field(f.name)
		return f.required && other != nil && other.required && c.apart(f.node, other.node)
	})
}

func (c *comparison) allApart(as, bs []*node) bool {
	return !slices.ContainsFunc(as, func(a *node) bool {
		return slices.ContainsFunc(bs, func(b *node) bool { return !c.apart(a, b) })
	})
}

// lists reports whether the enum of n has a value, or may have.
func (c *comparison) lists(n *node, v *jsontree.Value) bool {
	c.left -= len(n.enum)
	return c.left < 0 || lists(n.enum, v)
}
