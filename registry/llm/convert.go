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

// converter writes nodes as schemas within a provider's subset.
type converter struct {
	*reader
	subset *subset
	// refusal is the reason why the schema does not fit strict mode; empty means that it fits.
	refusal string
	wrote   int
}

// room reports whether one more schema may be written. Nodes are shared, so a few nodes can
// expand to far more schemas.
func (c *converter) room(n *node) bool {
	if c.within(&c.wrote, n.at) {
		return true
	}
	c.refuse(n.at, "the schema grows too large once references are inlined")
	return false
}

// refuse records why strict mode is impossible. Only the first reason is kept.
func (c *converter) refuse(at, why string) {
	if c.subset.strict != nil && c.refusal == "" {
		if at != "" {
			why = at + ": " + why
		}
		c.refusal = why
	}
}

// written is a schema under construction. Its hints go into the description, because the
// provider has no keyword for them.
type written struct {
	body  jsontree.Value // an object
	hints []string
}

func (w *written) hint(format string, args ...any) {
	w.hints = append(w.hints, fmt.Sprintf(format, args...))
}

// object returns the schema, with title and description before the other keywords.
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

// schema returns the schema of a node, and how to convert values of that schema back.
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
		c.report(n.at, "false", "no value is valid here, which "+c.subset.provider+" cannot express", Wider)
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

// formsOf returns the alternatives that a node must be written as, or nil if it needs none.
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

// only restricts n to values of some types, and removes title, description and default.
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

// notes writes the keywords "default" and "examples".
func (c *converter) notes(w *written, n *node) {
	if n.fallback != nil && n.admits(n.fallback.Types()) { // merging may have excluded the default
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
	const maxShown = 20
	shown := each.Of(values[:min(len(values), maxShown)], func(v jsontree.Value) string { return show(&v) })
	if len(values) > maxShown {
		shown = append(shown, fmt.Sprintf("and %d more", len(values)-maxShown))
	}
	return strings.Join(shown, ", ")
}

// withType adds a type to a node without one if the provider needs a type. It infers the type
// from the other keywords.
func (c *converter) withType(n *node) *node {
	if n.types != jsontype.Any || !c.subset.typed {
		return n
	}
	var inferred jsontype.Set
	if len(n.fields) > 0 || n.rest != nil {
		inferred |= jsontype.Object
	}
	if n.items != nil || len(n.prefix) > 0 {
		inferred |= jsontype.Array
	}
	for _, k := range n.limits {
		inferred |= limitTypes[k.name]
	}
	if inferred == 0 {
		c.refuse(n.at, "the schema has no type")
		return n
	}
	c.report(n.at, "no type", "the other keywords suggest "+strings.Join(inferred.Names(), " or "), Narrower)
	out := *n
	out.types = inferred
	return &out
}

// enum writes the values that the node lists.
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
		// The type boolean already allows exactly these two values.
	default:
		w.hint("one of: %s", showAll(n.enum))
		c.report(n.at+"/enum", "enum "+show(arrayOf(n.enum)), c.subset.provider+" does not support such values in an enum; the description lists them", stated)
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
		c.report(k.at, k.name+" "+show(k.value), c.subset.provider+" does not support it here; the description states it", stated)
	}
}

// others writes the keywords in n.others that the provider supports.
func (c *converter) others(w *written, n *node) {
	for _, k := range n.others {
		switch {
		case c.subset.others && !refers(k.value):
			w.body.Add(k.name, k.value)
		case k.name == "then", k.name == "else", k.name == "minContains", k.name == "maxContains":
			// The loss that is reported for "if" or "contains" covers these keywords as well.
		case c.subset.others:
			c.report(k.at, k.name, "it contains references, which are not inlined here; only the tool checks it", Wider)
		default:
			c.report(k.at, k.name, c.subset.provider+" does not support it; only the tool checks it", Wider)
		}
		if k.name == "patternProperties" {
			c.refuse(k.at, "strict mode has no objects with arbitrary field names")
		}
	}
}

// refers reports whether a value may contain references.
func refers(v *jsontree.Value) bool {
	found := false
	walk(v, "", func(o *jsontree.Value, _ string) {
		found = found || o.Member("$ref") != nil || o.Member("$dynamicRef") != nil || o.Member("$recursiveRef") != nil
	})
	return found
}

// shortened replaces "items": false with maxItems. Both allow no items after the prefix.
func (c *converter) shortened(n *node) *node {
	if n.items == nil || !n.items.never {
		return n
	}
	out := *n
	maxItems := jsontree.NewInteger(int64(len(n.prefix)))
	out.limits = c.add(slices.Clone(n.limits), keyword{"maxItems", maxItems, n.items.at})
	out.items = nil
	return &out
}

// inclusive replaces the exclusive bounds of integers with minimum and maximum, for providers that
// support only inclusive bounds.
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

// array writes the constraints of a node on arrays.
func (c *converter) array(w *written, b *back, n *node) {
	items, prefix := n.items, n.prefix
	if len(prefix) > 0 && !c.subset.tuples {
		c.report(n.at, "a list with a schema for each position", c.subset.provider+" does not support it; each position accepts any of these schemas", Wider)
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
		c.refuse(n.at, "the list has no schema for its items")
		w.body.Add("items", jsontree.NewObject())
	}
}
