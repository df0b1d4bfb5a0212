package llm

import (
	"slices"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// union returns a schema that admits the values that at least one of several schemas admits.
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
		r.report(at, "alternatives", "there are too many; the definition accepts any value here", Wider)
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

// spread returns the alternatives of n, or n itself if it has none. Alternatives without a
// description get the description of n.
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

// orNull returns n changed to admit null as well.
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

// maxComparisons bounds the work of finding out whether alternatives overlap.
const maxComparisons = 20_000

// disjoint reports whether no value can match two of the schemas. It also returns false if finding
// that out would take too much work.
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

// comparison counts down the comparisons that are left.
type comparison struct{ left int }

// apart reports whether no value can match both schemas: because of their types, their enums,
// or a required field that differs.
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

// lists reports whether the enum of n contains v. It returns true if no comparisons are left.
func (c *comparison) lists(n *node, v *jsontree.Value) bool {
	c.left -= len(n.enum)
	return c.left < 0 || lists(n.enum, v)
}
