package llm

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// converter writes nodes as schemas of a provider's subset.
type converter struct {
	*reader
	subset *subset
	// refusal says why the schema cannot be written in strict mode; empty when it can.
	refusal string
	wrote   int
}

// room reports whether one more schema may be written. Nodes are shared, so there may be far
// more places for them than there are nodes.
func (c *converter) room(n *node) bool {
	if c.within(&c.wrote, n.at) {
		return true
	}
	c.refuse(n.at, "the schema grows too large once references are inlined")
	return false
}

// refuse notes why strict mode is impossible. The first reason is told.
func (c *converter) refuse(at, why string) {
	if c.subset.strict != nil && c.refusal == "" {
		if at != "" {
			why = at + ": " + why
		}
		c.refusal = why
	}
}

// written is a schema as it is being written: what it holds so far, and what has to be said
// in its description since no keyword does.
type written struct {
	body  jsontree.Value // an object
	hints []string
}

func (w *written) hint(format string, args ...any) {
	w.hints = append(w.hints, fmt.Sprintf(format, args...))
}

// object returns the schema, texts first.
func (w *written) object(head *jsontree.Value, n *node) *jsontree.Value {
	head.AddText("title", n.title)
	text := n.description
	if len(w.hints) > 0 {
		text = strings.TrimSpace(text + " (" + strings.Join(w.hints, "; ") + ")")
	}
	head.AddText("description", text)
	head.Members = append(head.Members, w.body.Members...)
	return head
}

// schema writes a node, and tells how values for it are turned back.
func (c *converter) schema(n *node) (*jsontree.Value, *back) {
	if !c.room(n) {
		return jsontree.NewObject(), nil
	}
	w := &written{}
	c.notes(w, n)
	if forms := c.formsOf(n); forms != nil {
		return c.choice(w, n, forms)
	}
	if n.never {
		c.report(n.at, "false", "no value fits here, which "+c.subset.provider+" cannot be told", Wider)
		return w.object(jsontree.NewObject(), n), nil
	}
	n = c.inclusive(c.shortened(c.withType(n)))
	head := jsontree.NewObject()
	if n.types != jsontype.Any {
		if names := n.types.Names(); len(names) == 1 {
			head.AddText("type", names[0])
		} else {
			head.Add("type", texts(names))
		}
	}
	c.enum(w, n)
	c.limits(w, n)
	c.others(w, n)
	b := &back{}
	if n.types&jsontype.Object != 0 {
		c.object(w, b, n, false)
	}
	if n.types&jsontype.Array != 0 {
		c.array(w, b, n)
	}
	return w.object(head, n), b
}

// formsOf returns the alternatives as which a node must be written; nil when it needs none.
func (c *converter) formsOf(n *node) []*node {
	switch {
	case n.alternatives != nil:
		return n.alternatives
	case n.never:
		return nil
	case len(n.enum) > 1 && slices.ContainsFunc(n.enum, func(v jsontree.Value) bool { return v.IsNull() }) && c.subset.enums&jsontype.Null == 0:
		return []*node{n.only(n.types &^ jsontype.Null), n.only(jsontype.Null)}
	case n.types == jsontype.Any || c.subset.typeLists || len((n.types&^jsontype.Null).Names()) < 2:
		return nil
	}
	return each.Of(n.types.Names(), func(name string) *node { return n.only(jsontype.Named(name)) })
}

// only returns what n says of values of some types, without its texts.
func (n *node) only(t jsontype.Set) *node {
	out := n.plain()
	out.types &= t
	return out.settled()
}

// choice writes alternatives.
func (c *converter) choice(w *written, n *node, forms []*node) (*jsontree.Value, *back) {
	var b *back
	var list []*jsontree.Value
	for _, form := range forms {
		one, its := c.schema(form)
		list = append(list, one)
		var err error
		if b, err = b.merged(its); err != nil {
			c.refuse(n.at, err.Error())
		}
	}
	w.body.Add("anyOf", jsontree.NewArray(list...))
	return w.object(jsontree.NewObject(), n), b
}

// notes writes default and examples.
func (c *converter) notes(w *written, n *node) {
	if n.fallback != nil && n.admits(n.fallback.Types()) { // which merging may have ended
		if c.subset.notes {
			w.body.Add("default", n.fallback)
		} else {
			w.hint("default: %s", show(n.fallback))
		}
	}
	if len(n.examples) > 0 {
		if c.subset.notes {
			w.body.Add("examples", arrayOf(n.examples))
		} else {
			w.hint("examples: %s", showAll(n.examples))
		}
	}
}

func arrayOf(values []jsontree.Value) *jsontree.Value {
	return &jsontree.Value{Kind: jsontree.Array, Items: values}
}

func showAll(values []jsontree.Value) string {
	const most = 20
	shown := each.Of(values[:min(len(values), most)], func(v jsontree.Value) string { return show(&v) })
	if len(values) > most {
		shown = append(shown, fmt.Sprintf("and %d more", len(values)-most))
	}
	return strings.Join(shown, ", ")
}

// withType gives a type to a node that says none, where the provider needs one and the
// other keywords tell which is meant.
func (c *converter) withType(n *node) *node {
	if n.types != jsontype.Any || !c.subset.typed {
		return n
	}
	var meant jsontype.Set
	if len(n.fields) > 0 || n.rest != nil {
		meant |= jsontype.Object
	}
	if n.items != nil || len(n.prefix) > 0 {
		meant |= jsontype.Array
	}
	for _, k := range n.limits {
		meant |= limitTypes[k.name]
	}
	if meant == 0 {
		c.refuse(n.at, "the schema says no type")
		return n
	}
	c.report(n.at, "no type", "it is taken to be "+strings.Join(meant.Names(), " or ")+", as its other keywords say", Narrower)
	out := *n
	out.types = meant
	return &out
}

// enum writes the values listed.
func (c *converter) enum(w *written, n *node) {
	if n.enum == nil || n.types == jsontype.Null {
		return
	}
	var of jsontype.Set
	for _, v := range n.enum {
		of |= v.Types()
	}
	switch {
	case of&^c.subset.enums == 0:
		w.body.Add("enum", arrayOf(n.enum))
	case of == jsontype.Boolean && len(n.enum) == 2:
		// That is what the type says.
	default:
		w.hint("one of: %s", showAll(n.enum))
		c.report(n.at+"/enum", "enum "+show(arrayOf(n.enum)), c.subset.provider+" takes no such values in an enum; it is told in the description", Wider)
	}
}

// limits writes the limits that apply to the types of the node.
func (c *converter) limits(w *written, n *node) {
	for _, k := range n.limits {
		if limitTypes[k.name]&n.types == 0 {
			continue
		}
		if c.subset.knows(k.name, k.value) {
			w.body.Add(k.name, k.value)
			continue
		}
		w.hint("%s: %s", k.name, strings.Trim(show(k.value), `"`))
		c.report(k.at, k.name+" "+show(k.value), c.subset.provider+" does not know it here; it is told in the description", Wider)
	}
}

// others writes the keywords that a node has no place for, where the provider knows them.
func (c *converter) others(w *written, n *node) {
	for _, k := range n.others {
		switch {
		case c.subset.others && !refers(k.value):
			w.body.Add(k.name, k.value)
		case k.name == "then", k.name == "else", k.name == "minContains", k.name == "maxContains":
			// Told with the keyword that they belong to.
		case c.subset.others:
			c.report(k.at, k.name, "it holds references, which are not inlined here; only the tool checks it", Wider)
		default:
			c.report(k.at, k.name, c.subset.provider+" does not know it; only the tool checks it", Wider)
		}
		if k.name == "patternProperties" {
			c.refuse(k.at, "strict mode has no objects with fields of any name")
		}
	}
}

// refers reports whether a value may hold references.
func refers(v *jsontree.Value) bool {
	found := false
	walk(v, "", func(o *jsontree.Value, _ string) {
		found = found || o.Member("$ref") != nil || o.Member("$dynamicRef") != nil || o.Member("$recursiveRef") != nil
	})
	return found
}

// shortened says with maxItems what a node says by admitting no further items.
func (c *converter) shortened(n *node) *node {
	if n.items == nil || !n.items.never {
		return n
	}
	out := *n
	most := jsontree.NewInteger(int64(len(n.prefix)))
	out.limits = c.add(slices.Clone(n.limits), keyword{"maxItems", most, n.items.at})
	out.items = nil
	return &out
}

// inclusive says with minimum and maximum what a node says of integers with the bounds that
// exclude them, for providers that know only those.
func (c *converter) inclusive(n *node) *node {
	if n.types&^jsontype.Null != jsontype.Integer {
		return n
	}
	out := *n
	out.limits = nil
	for _, k := range n.limits {
		bound := number(k.value)
		exact := k.value.Types() == jsontype.Integer && math.Abs(bound) < 1<<53
		switch {
		case c.subset.knows(k.name, k.value) || !exact:
		case k.name == "exclusiveMinimum":
			k.name, k.value = "minimum", jsontree.NewInteger(int64(bound)+1)
		case k.name == "exclusiveMaximum":
			k.name, k.value = "maximum", jsontree.NewInteger(int64(bound)-1)
		}
		out.limits = c.add(out.limits, k)
	}
	return &out
}

// array writes what a node says of arrays.
func (c *converter) array(w *written, b *back, n *node) {
	items, prefix := n.items, n.prefix
	if len(prefix) > 0 && !c.subset.tuples {
		c.report(n.at, "a list with a schema for each place", c.subset.provider+" does not know it; each place takes all of them", Wider)
		all := prefix
		if items != nil {
			all = append(slices.Clip(prefix), items)
		}
		items, prefix = c.union(all, n.at), nil
	}
	var places []*jsontree.Value
	for _, p := range prefix {
		schema, its := c.schema(p)
		places = append(places, schema)
		b.prefix = append(b.prefix, its)
	}
	if places != nil {
		w.body.Add("prefixItems", jsontree.NewArray(places...))
	}
	switch {
	case items != nil:
		schema, its := c.schema(items)
		w.body.Add("items", schema)
		b.items = its
	case places == nil && c.subset.items && n.types != jsontype.Any:
		c.refuse(n.at, "the list says nothing of its items")
		w.body.Add("items", jsontree.NewObject())
	}
}
