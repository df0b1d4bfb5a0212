package llm

import (
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// maxNodes bounds what inlining references and multiplying alternatives can grow a tool's
// schema to.
const maxNodes = 2000

// reader brings the parameters of one tool into nodes. The schema was compiled before, so
// its references lead somewhere and how deeply it nests is bounded.
type reader struct {
	root   any
	report func(at, what, why string, effect Effect)
	// following are the pointers of the references being followed.
	following []string
	made      int
	full      bool // maxNodes was reached, and reported
	// lone tells that what stands beside a reference does not count, as up to draft 7.
	lone bool
	// id is the keyword for identifiers: "$id", or "id" up to draft 4.
	id string
}

func newReader(root any, report func(at, what, why string, effect Effect)) *reader {
	r := &reader{root: root, report: report, id: "$id"}
	if o, ok := root.(*object); ok {
		draft := textOf(o.get("$schema"))
		for _, old := range []string{"draft-04", "draft-06", "draft-07"} {
			r.lone = r.lone || strings.Contains(draft, old)
		}
		if strings.Contains(draft, "draft-04") {
			r.id = "id"
		}
	}
	return r
}

// count reports whether one more node may be made.
func (r *reader) count(at string) bool {
	if r.made++; r.made <= maxNodes {
		return true
	}
	if !r.full {
		r.full = true
		r.report(at, "the schema", "it grows too large once references are inlined; from here on nothing is said", Wider)
	}
	return false
}

// read returns the schema v, which stands at the pointer at. base is what its references
// are relative to.
func (r *reader) read(v any, at string, base resource) *node {
	if !r.count(at) {
		return &node{at: at, types: jsontype.Any}
	}
	if isFalse(v) {
		return &node{at: at, never: true}
	}
	o, ok := v.(*object)
	if !ok {
		return &node{at: at, types: jsontype.Any}
	}
	if at != base.at && r.address(o) != "" {
		base = resource{root: o, at: at}
	}
	n := r.own(o, at, base)
	for _, name := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
		ref := o.get(name)
		if ref == nil {
			continue
		}
		target := r.follow(textOf(ref), at+"/"+name, base)
		if r.lone {
			return target.annotated(n)
		}
		n = r.both(n, target).annotated(n)
	}
	for _, part := range r.schemas(o.get("allOf"), at+"/allOf", base) {
		description := n.description
		n = r.both(n, part)
		if description != "" && part.description != "" && description != part.description {
			n.description = description + "\n" + part.description
		}
	}
	if list := o.get("anyOf"); list != nil {
		n = r.both(n, r.union(r.schemas(list, at+"/anyOf", base), at+"/anyOf"))
	}
	if list := o.get("oneOf"); list != nil {
		forms := r.schemas(list, at+"/oneOf", base)
		if !disjoint(forms) {
			r.report(at+"/oneOf", "oneOf", "it is written as anyOf, so that a value may fit several forms", Wider)
		}
		n = r.both(n, r.union(forms, at+"/oneOf"))
	}
	if v := o.get("unevaluatedProperties"); v != nil {
		n = n.closedBy(r.read(v, at+"/unevaluatedProperties", base))
	}
	return n
}

func (r *reader) schemas(v any, at string, base resource) []*node {
	list, _ := v.([]any)
	var nodes []*node
	for i, one := range list {
		nodes = append(nodes, r.read(one, at+"/"+strconv.Itoa(i), base))
	}
	return nodes
}

// closedBy gives the fields that are not declared in n, or in its alternatives, a schema.
func (n *node) closedBy(rest *node) *node {
	out := *n
	if n.alternatives != nil {
		out.alternatives = nil
		for _, a := range n.alternatives {
			out.alternatives = append(out.alternatives, a.closedBy(rest))
		}
		return &out
	}
	if out.rest == nil {
		out.rest = rest
	}
	return &out
}

// own reads the keywords of a schema that do not combine schemas.
func (r *reader) own(o *object, at string, base resource) *node {
	n := &node{at: at, types: typesNamed(o.get("type")), fallback: o.get("default")}
	n.title, n.description = textOf(o.get("title")), textOf(o.get("description"))
	n.examples, _ = o.get("examples").([]any)
	n.enum, _ = o.get("enum").([]any)
	if v := o.get("const"); v != nil {
		n = r.both(n, &node{at: at, types: jsontype.Any, enum: []any{v}})
	}
	for _, m := range o.members {
		where := at + "/" + jsontree.EscapeToken(m.name)
		switch {
		case limitTypes(m.name) != 0:
			n.limits = append(n.limits, r.limit(o, keyword{m.name, m.value, where})...)
		case m.name == "propertyNames" && r.read(m.value, where, base).anyText():
			// Names are texts anyway.
		case isOther(m.name) && applies(o, m.name):
			n.others = append(n.others, keyword{m.name, m.value, where})
		}
	}
	r.object(n, o, at, base)
	r.array(n, o, at, base)
	return n.settled()
}

// applies reports whether a keyword does something, which some do only beside another.
func applies(o *object, name string) bool {
	switch name {
	case "then", "else":
		return o.get("if") != nil
	case "if":
		return o.get("then") != nil || o.get("else") != nil
	case "minContains", "maxContains":
		return o.get("contains") != nil
	}
	return true
}

// limit returns a limit as drafts from 6 on write it: draft 4 has a flag beside minimum.
func (r *reader) limit(o *object, k keyword) []keyword {
	switch {
	case kindOf(k.value) == "boolean" && k.name != "uniqueItems", k.name == "uniqueItems" && !isTrue(k.value):
		return nil
	case k.name == "minimum" && isTrue(o.get("exclusiveMinimum")):
		k.name = "exclusiveMinimum"
	case k.name == "maximum" && isTrue(o.get("exclusiveMaximum")):
		k.name = "exclusiveMaximum"
	}
	return []keyword{k}
}

// object reads what a schema says of objects.
func (r *reader) object(n *node, o *object, at string, base resource) {
	if properties, ok := o.get("properties").(*object); ok {
		for _, m := range properties.members {
			where := at + "/properties/" + jsontree.EscapeToken(m.name)
			n.fields = append(n.fields, field{name: m.name, node: r.read(m.value, where, base)})
		}
	}
	if v := o.get("additionalProperties"); v != nil {
		n.rest = r.read(v, at+"/additionalProperties", base)
	}
	required, _ := o.get("required").([]any)
	for _, name := range required {
		if f := n.field(textOf(name)); f != nil {
			f.required = true
			continue
		}
		n.fields = append(n.fields, field{name: textOf(name), node: n.undeclared(at + "/required"), required: true})
	}
}

// undeclared returns what n says of a field that it does not declare.
func (n *node) undeclared(at string) *node {
	if n.rest != nil {
		return n.rest
	}
	return &node{at: at, types: jsontype.Any}
}

// array reads what a schema says of arrays, in any draft.
func (r *reader) array(n *node, o *object, at string, base resource) {
	n.prefix = r.schemas(o.get("prefixItems"), at+"/prefixItems", base)
	switch items := o.get("items").(type) {
	case nil:
	case []any:
		n.prefix = r.schemas(items, at+"/items", base)
		if v := o.get("additionalItems"); v != nil {
			n.items = r.read(v, at+"/additionalItems", base)
		}
	default:
		n.items = r.read(items, at+"/items", base)
	}
}
