package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

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

// nameRule is a provider's rule for names.
type nameRule struct {
	// maxLen is the length limit in bytes; 0 allows every name, and the other fields then have no
	// effect.
	maxLen int
	// marks are the allowed characters in addition to ASCII letters and digits.
	marks string
	// letterFirst requires a letter or an underscore at the start.
	letterFirst bool
}

// accepts reports whether a name follows the rule.
func (r nameRule) accepts(name string) bool {
	if r.maxLen == 0 {
		return true
	}
	return len(name) <= r.maxLen && r.replaced(name) == name
}

func (r nameRule) allows(c rune) bool {
	return isLetter(c) && c != '_' || c >= '0' && c <= '9' || strings.ContainsRune(r.marks, c)
}

// isLetter reports whether c is an ASCII letter or an underscore.
func isLetter(c rune) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// toolName returns a tool's name changed to follow the rule. Each separator of an identifier
// (mcp:server/tool) becomes two underscores, and any other forbidden character becomes one. Two
// tools may get the same name.
func (r nameRule) toolName(name string) string {
	if r.accepts(name) {
		return name
	}
	plain := r.replaced(strings.NewReplacer(":", "__", "/", "__").Replace(name))
	if len(plain) <= r.maxLen {
		return plain
	}
	return r.join(plain, name)
}

// fieldName returns a property's name changed to follow the rule. A changed name ends in a hash
// of the original, so that two properties do not get the same name.
func (r nameRule) fieldName(name string) string {
	if r.accepts(name) {
		return name
	}
	return r.join(r.replaced(name), name)
}

// replaced returns a name with each forbidden character replaced by an underscore.
func (r nameRule) replaced(name string) string {
	text := strings.Map(func(c rune) rune {
		if r.allows(c) {
			return c
		}
		return '_'
	}, name)
	if text == "" || r.letterFirst && !isLetter(rune(text[0])) {
		text = "_" + text
	}
	return text
}

// join appends a hash of the original name, the parameter from, to name. It cuts name to fit.
func (r nameRule) join(name, from string) string {
	sum := sha256.Sum256([]byte(from))
	mark := "_" + hex.EncodeToString(sum[:4])
	return name[:min(len(name), r.maxLen-len(mark))] + mark
}
