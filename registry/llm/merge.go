package llm

import (
	"slices"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// maxAlternatives bounds the alternatives of one schema, since combining schemas multiplies
// their alternatives.
const maxAlternatives = 64

// both returns a schema that admits the values that both a and b admit. It has the title,
// description, default and examples of a. Where a has none, it has the value of b.
func (r *reader) both(a, b *node) *node {
	switch {
	case a.bare():
		return b.annotated(a)
	case b.bare():
		return a.orAnnotated(b)
	case a.never, b.never:
		return &node{at: a.at, never: true}
	case a.alternatives != nil || b.alternatives != nil:
		return r.each(a, b)
	case !r.count(a.at):
		return a
	}
	out := a.orAnnotated(b)
	out.types &= b.types
	out.cut = a.cut || b.cut
	if b.enum != nil {
		out.enum = b.enum
		if a.enum != nil {
			out.enum = slices.DeleteFunc(slices.Clone(a.enum), func(v jsontree.Value) bool { return !lists(b.enum, &v) })
		}
	}
	out.limits = slices.Clone(a.limits)
	for _, k := range b.limits {
		out.limits = r.add(out.limits, k)
	}
	out.others = slices.Clone(a.others)
	for _, k := range b.others {
		out.others = r.add(out.others, k)
	}
	r.bothObjects(out, a, b)
	r.bothArrays(out, a, b)
	return out.settled()
}

// orAnnotated returns a copy of n. If n lacks a title, description, default or examples, the copy
// takes them from other.
func (n *node) orAnnotated(other *node) *node { return n.annotated(other.annotated(n)) }

// each combines every alternative of a with every alternative of b.
func (r *reader) each(a, b *node) *node {
	as, bs := a.forms(), b.forms()
	out := a.orAnnotated(b)
	if len(as)*len(bs) > maxAlternatives {
		r.report(b.at, "alternatives", "these alternatives are left out, because there are too many when they are combined with the alternatives around them", Wider)
		return out
	}
	var forms []*node
	for _, x := range as {
		for _, y := range bs {
			forms = append(forms, r.both(x, y))
		}
	}
	texts := &node{title: out.title, description: out.description, fallback: out.fallback, examples: out.examples}
	return r.union(forms, a.at).annotated(texts)
}

// forms returns the alternatives of n. If it has none, the result is n itself without title,
// description, default and examples.
func (n *node) forms() []*node {
	if n.alternatives == nil {
		return []*node{n.plain()}
	}
	return n.alternatives
}

// add adds a keyword to a list. Of two limits with the same name, it keeps the tighter one. Of two
// other keywords with the same name, it keeps the first.
func (r *reader) add(list []keyword, k keyword) []keyword {
	i := slices.IndexFunc(list, func(other keyword) bool { return other.name == k.name })
	switch {
	case i < 0:
		return append(list, k)
	case same(list[i].value, k.value):
		return list
	case slices.Contains(others, k.name):
		r.report(k.at, k.name, "one schema cannot have this keyword twice; the first is kept", Wider)
		return list
	}
	switch k.name {
	case "minLength", "minimum", "exclusiveMinimum", "minItems", "minProperties":
		if number(k.value) > number(list[i].value) {
			list[i] = k
		}
	case "maxLength", "maximum", "exclusiveMaximum", "maxItems", "maxProperties":
		if number(k.value) < number(list[i].value) {
			list[i] = k
		}
	default:
		r.report(k.at, k.name+" "+show(k.value), "one schema cannot have this keyword twice; "+show(list[i].value)+" is kept", Wider)
	}
	return list
}

// bothObjects combines the constraints of a and b on objects, and stores them in the node out.
func (r *reader) bothObjects(out, a, b *node) {
	out.fields = nil
	for _, f := range a.fields {
		other := b.field(f.name)
		switch {
		case other != nil:
			f.node, f.required = r.both(f.node, other.node), f.required || other.required
		case b.rest != nil:
			f.node = r.both(f.node, b.restFor(f.name, r))
		}
		out.fields = append(out.fields, f)
	}
	for _, f := range b.fields {
		if a.field(f.name) != nil {
			continue
		}
		if a.rest != nil {
			f.node = r.both(f.node, a.restFor(f.name, r))
		}
		out.fields = append(out.fields, f)
	}
	switch {
	case a.rest == nil:
		out.rest = b.rest
	case b.rest != nil:
		out.rest = r.both(a.rest, b.rest)
	}
}

// restFor returns the schema that n has for a field that it does not declare.
func (n *node) restFor(name string, r *reader) *node {
	if slices.ContainsFunc(n.others, func(k keyword) bool { return k.name == "patternProperties" }) {
		r.report(n.at, "patternProperties", "it may match "+name+"; the definition accepts any value there", Wider)
		return &node{at: n.at, types: jsontype.Any}
	}
	return n.rest
}

// bothArrays combines the constraints of a and b on arrays, and stores them in the node out.
func (r *reader) bothArrays(out, a, b *node) {
	item := func(n *node, i int) *node {
		switch {
		case i < len(n.prefix):
			return n.prefix[i]
		case n.items != nil:
			return n.items
		}
		return &node{at: n.at, types: jsontype.Any}
	}
	out.prefix = nil
	for i := range max(len(a.prefix), len(b.prefix)) {
		out.prefix = append(out.prefix, r.both(item(a, i), item(b, i)))
	}
	switch {
	case a.items == nil:
		out.items = b.items
	case b.items != nil:
		out.items = r.both(a.items, b.items)
	}
}
