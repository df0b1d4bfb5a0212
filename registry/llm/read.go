package llm

import (
	"slices"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// maxNodes limits the size of a tool's schema, since inlining references and combining
// alternatives can multiply it.
const maxNodes = 2000

// reader converts the parameters of one tool to nodes. The schema has been compiled, so its
// references have targets and its nesting is bounded.
type reader struct {
	root   *jsontree.Value
	report func(at, what, why string, effect Effect)
	// following are the pointers of the references that are being followed.
	following []string
	made      int
	// lone is set for drafts up to 7, which ignore keywords next to a reference.
	lone bool
	// id is the keyword for identifiers: "id" in draft 4, "$id" in later drafts.
	id string
}

func newReader(root *jsontree.Value, report func(at, what, why string, effect Effect)) *reader {
	r := &reader{root: root, report: report, id: "$id"}
	draft := root.Member("$schema").Text()
	for _, old := range []string{"draft-04", "draft-06", "draft-07"} {
		r.lone = r.lone || strings.Contains(draft, old)
	}
	if strings.Contains(draft, "draft-04") {
		r.id = "id"
	}
	return r
}

// count counts one more node, and reports whether it may be created.
func (r *reader) count(at string) bool { return r.within(&r.made, at) }

// within increments a counter and reports whether it is at most maxNodes. It reports a loss when
// the counter first exceeds the limit.
func (r *reader) within(have *int, at string) bool {
	if *have++; *have == maxNodes+1 {
		r.report(at, "the schema", "it grows too large once references are inlined; from here on the definition accepts any value", Wider)
	}
	return *have <= maxNodes
}

// read converts the schema o to a node. The parameter at is the JSON pointer of o, and base is the
// base of its references.
func (r *reader) read(o *jsontree.Value, at string, base resource) *node {
	if !r.count(at) {
		return &node{at: at, types: jsontype.Any}
	}
	if is(o, "false") {
		return &node{at: at, never: true}
	}
	if o.Kind != jsontree.Object {
		return &node{at: at, types: jsontype.Any}
	}
	if at != base.at && r.address(o) != "" {
		base = resource{root: o, at: at}
	}
	n := r.own(o, at, base)
	for _, name := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
		ref := o.Member(name)
		if ref == nil {
			continue
		}
		target := r.follow(ref.Text(), at+"/"+name, base)
		if r.lone {
			return target.annotated(n)
		}
		n = r.both(n, target).annotated(n)
	}
	for _, part := range r.schemas(o.Member("allOf"), at+"/allOf", base) {
		description := n.description
		n = r.both(n, part)
		if description != "" && part.description != "" && description != part.description {
			n.description = description + "\n" + part.description
		}
	}
	if list := o.Member("anyOf"); list != nil {
		n = r.both(n, r.union(r.schemas(list, at+"/anyOf", base), at+"/anyOf"))
	}
	if list := o.Member("oneOf"); list != nil {
		forms := r.schemas(list, at+"/oneOf", base)
		if !disjoint(forms) {
			r.report(at+"/oneOf", "oneOf", "it is written as anyOf, so a value may match several alternatives", Wider)
		}
		n = r.both(n, r.union(forms, at+"/oneOf"))
	}
	if v := o.Member("unevaluatedProperties"); v != nil {
		n = n.closedBy(r.read(v, at+"/unevaluatedProperties", base))
	}
	return n
}

func (r *reader) schemas(list *jsontree.Value, at string, base resource) []*node {
	var nodes []*node
	for i := range list.List() {
		nodes = append(nodes, r.read(&list.Items[i], at+"/"+strconv.Itoa(i), base))
	}
	return nodes
}

// closedBy sets the schema for fields that neither n nor its alternatives declare.
func (n *node) closedBy(rest *node) *node {
	out := *n
	if n.alternatives != nil {
		out.alternatives = each.Of(n.alternatives, func(a *node) *node { return a.closedBy(rest) })
		return &out
	}
	if out.rest == nil {
		out.rest = rest
	}
	return &out
}

// own reads all keywords of a schema except the keywords that combine schemas, such as allOf.
func (r *reader) own(o *jsontree.Value, at string, base resource) *node {
	n := &node{at: at, types: typesNamed(o.Member("type")), fallback: o.Member("default")}
	n.title, n.description = o.Member("title").Text(), o.Member("description").Text()
	n.examples, n.enum = o.Member("examples").List(), o.Member("enum").List()
	if v := o.Member("const"); v != nil {
		n = r.both(n, &node{at: at, types: jsontype.Any, enum: []jsontree.Value{*v}})
	}
	for i := range o.Members {
		name, value := o.Members[i].Name, &o.Members[i].Value
		where := at + "/" + jsontree.EscapeToken(name)
		switch {
		case limitTypes[name] != 0:
			n.limits = append(n.limits, r.limit(o, keyword{name, value, where})...)
		case name == "propertyNames" && r.read(value, where, base).anyText():
			// Every property name is a string. A schema that admits every string therefore has no
			// effect here.
		case slices.Contains(others, name) && applies(o, name):
			n.others = append(n.others, keyword{name, value, where})
		}
	}
	r.object(n, o, at, base)
	r.array(n, o, at, base)
	return n.settled()
}

// applies reports whether a keyword has an effect. Some keywords have an effect only together with
// another keyword.
func applies(o *jsontree.Value, name string) bool {
	switch name {
	case "then", "else":
		return o.Member("if") != nil
	case "if":
		return o.Member("then") != nil || o.Member("else") != nil
	case "minContains", "maxContains":
		return o.Member("contains") != nil
	}
	return true
}

// limit returns a limit in the notation of draft 6 and later. In draft 4, exclusiveMinimum and
// exclusiveMaximum are flags that change the meaning of minimum and maximum.
func (r *reader) limit(o *jsontree.Value, k keyword) []keyword {
	switch {
	case k.value.Kind == jsontree.Boolean && k.name != "uniqueItems", k.name == "uniqueItems" && !is(k.value, "true"):
		return nil
	case k.name == "minimum" && is(o.Member("exclusiveMinimum"), "true"):
		k.name = "exclusiveMinimum"
	case k.name == "maximum" && is(o.Member("exclusiveMaximum"), "true"):
		k.name = "exclusiveMaximum"
	}
	return []keyword{k}
}

// object reads the keywords for objects.
func (r *reader) object(n *node, o *jsontree.Value, at string, base resource) {
	if properties := o.Member("properties"); properties != nil {
		for i := range properties.Members {
			m := &properties.Members[i]
			where := at + "/properties/" + jsontree.EscapeToken(m.Name)
			n.fields = append(n.fields, field{name: m.Name, node: r.read(&m.Value, where, base)})
		}
	}
	if v := o.Member("additionalProperties"); v != nil {
		n.rest = r.read(v, at+"/additionalProperties", base)
	}
	for _, one := range o.Member("required").List() {
		name := one.Text()
		if f := n.field(name); f != nil {
			f.required = true
			continue
		}
		n.fields = append(n.fields, field{name: name, node: n.undeclared(at + "/required"), required: true})
	}
}

// undeclared returns the schema that n has for a field that it does not declare.
func (n *node) undeclared(at string) *node {
	if n.rest != nil {
		return n.rest
	}
	return &node{at: at, types: jsontype.Any}
}

// array reads the keywords for arrays, in any draft.
func (r *reader) array(n *node, o *jsontree.Value, at string, base resource) {
	n.prefix = r.schemas(o.Member("prefixItems"), at+"/prefixItems", base)
	switch items := o.Member("items"); {
	case items == nil:
	case items.Kind == jsontree.Array:
		n.prefix = r.schemas(items, at+"/items", base)
		if v := o.Member("additionalItems"); v != nil {
			n.items = r.read(v, at+"/additionalItems", base)
		}
	default:
		n.items = r.read(items, at+"/items", base)
	}
}
