package llm

import (
	"slices"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// parameters writes the schema of a tool's arguments. It is always a single object, because no
// provider accepts alternatives at the top level.
func (c *converter) parameters(n *node) (*jsontree.Value, *back) {
	n = c.oneForm(n)
	w, b := &written{}, &back{}
	c.notes(w, n)
	c.enum(w, n)
	c.limits(w, n)
	c.others(w, n)
	c.object(w, b, n, true)
	return w.object(jsontree.NewObject().AddText("type", "object"), n), b
}

// oneForm returns the arguments as one object. Alternatives become one object with the fields
// of all alternatives. A field is required if every alternative requires it.
func (c *converter) oneForm(n *node) *node {
	switch {
	case n.never:
		c.report(n.at, "false", "no arguments are valid, which "+c.subset.provider+" cannot express", Wider)
		return &node{at: n.at, types: jsontype.Object}
	case n.alternatives == nil:
		return n
	}
	out := &node{at: n.at, types: jsontype.Object}
	out = out.annotated(n)
	closed := true
	for _, form := range n.alternatives {
		closed = closed && form.rest != nil && form.rest.never
		for _, f := range form.fields {
			if out.field(f.name) == nil {
				out.fields = append(out.fields, c.fieldOf(n.alternatives, f.name))
			}
		}
	}
	if closed {
		out.rest = &node{at: n.at, never: true}
	}
	c.report(n.at, "alternatives of the arguments", "no provider accepts them at the top level; they become one object, and the description lists what each requires", Wider)
	out.description = strings.TrimSpace(out.description + " " + requirements(n.alternatives))
	return out
}

// fieldOf returns the field with the given name. The returned field accepts every value that the
// field accepts in any of the forms.
func (c *converter) fieldOf(forms []*node, name string) field {
	f := field{name: name, required: true}
	var nodes []*node
	for _, form := range forms {
		own := form.field(name)
		if own == nil {
			f.required = false
			continue
		}
		f.required = f.required && own.required
		if !own.node.never && !contains(nodes, own.node) {
			nodes = append(nodes, own.node)
		}
	}
	f.node = c.union(nodes, forms[0].at)
	return f
}

// contains reports whether nodes has n, or a scalar schema equal to n.
func contains(nodes []*node, n *node) bool {
	return slices.ContainsFunc(nodes, func(other *node) bool {
		return other == n || other.scalar() && n.scalar() && other.key() == n.key()
	})
}

// scalar reports whether a schema admits only scalars, which makes it comparable by its key.
func (n *node) scalar() bool {
	return !n.never && !n.cut && n.alternatives == nil && n.types&(jsontype.Array|jsontype.Object) == 0
}

// key returns a string that is equal for equal scalar schemas.
func (n *node) key() string {
	out := strconv.Itoa(int(n.types)) + string(arrayOf(n.enum).Key()) + n.description
	for _, k := range append(slices.Clip(n.limits), n.others...) {
		out += " " + k.name + string(k.value.Key())
	}
	return out
}

// requirements returns a sentence that lists what each of several forms of the arguments
// requires. It is empty if one form requires nothing.
func requirements(forms []*node) string {
	var sets []string
	for _, form := range forms {
		var names []string
		for _, f := range form.fields {
			if f.required {
				names = append(names, f.name)
			}
		}
		if len(names) == 0 {
			return ""
		}
		sets = append(sets, strings.Join(names, " and "))
	}
	return "Give one of: " + strings.Join(sets, "; ") + "."
}
