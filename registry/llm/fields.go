package llm

import (
	"slices"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// object writes the constraints of a node on objects.
func (c *converter) object(w *written, b *back, n *node, root bool) {
	properties, required := jsontree.NewObject(), []string{}
	b.fields = map[string]backField{}
	for _, f := range n.fields {
		if f.node.never {
			if f.required || !c.closes(n) {
				c.report(f.node.at, "false", f.name+" must be absent, which "+c.subset.provider+" cannot express", Wider)
			}
			continue
		}
		name := c.subset.fields.fieldName(f.name)
		if name != f.name {
			c.report(f.node.at, "the name "+f.name, c.subset.provider+" does not accept it; the definition calls the property "+name, Renamed)
		}
		schema, back := c.field(f)
		back.name = f.name
		b.fields[name] = back
		properties.Add(name, schema)
		if f.required || c.allRequired() {
			required = append(required, name)
		}
	}
	if len(properties.Members) > 0 || root || c.closes(n) {
		w.body.Add("properties", properties)
	}
	if len(required) > 0 || c.allRequired() {
		w.body.Add("required", texts(required))
	}
	c.rest(w, b, n, root)
}

func (c *converter) allRequired() bool {
	return c.subset.strict != nil && c.subset.strict.allRequired
}

// closes reports whether the object accepts only the fields that it declares.
func (c *converter) closes(n *node) bool {
	return c.subset.strict != nil || n.rest != nil && n.rest.never
}

// field writes the schema of a field. If the provider requires all fields, an optional field
// also accepts null.
func (c *converter) field(f field) (*jsontree.Value, backField) {
	var b backField
	node := f.node
	switch {
	case f.required || !c.allRequired():
	case node.admits(jsontype.Null):
		b.null = nullItself
		c.report(node.at, f.name+" is optional", "strict mode requires every field, and null is a valid value of this field; the model cannot omit it", Narrower)
	default:
		b.null = nullAbsent
		node = node.orNull()
	}
	schema, in := c.schema(node)
	b.in = in
	return schema, b
}

// rest writes the constraints of a node on fields that it does not declare.
func (c *converter) rest(w *written, b *back, n *node, root bool) {
	open := slices.ContainsFunc(n.others, func(k keyword) bool { return k.name == "patternProperties" }) && !c.subset.others
	switch {
	case c.subset.strict != nil:
		if n.rest != nil && !n.rest.never || n.rest == nil && len(n.fields) == 0 && !root || n.cut {
			c.refuse(n.at, "strict mode has no objects with arbitrary field names")
		}
		w.body.Add("additionalProperties", jsontree.NewBoolean(false))
	case n.rest == nil || open:
	case n.rest.never:
		w.body.Add("additionalProperties", jsontree.NewBoolean(false))
	case n.rest.bare():
		w.body.Add("additionalProperties", jsontree.NewBoolean(true))
	default:
		schema, its := c.schema(n.rest)
		w.body.Add("additionalProperties", schema)
		b.rest = its
	}
}
