package llm

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// resource is what references are relative to: the whole schema, or a part of it with an
// identifier of its own.
type resource struct {
	root any
	at   string
}

// address returns the identifier that makes a schema a resource; empty means none.
func (r *reader) address(o *object) string {
	if id := textOf(o.get(r.id)); !strings.HasPrefix(id, "#") {
		return id
	}
	return ""
}

// follow reads what a reference leads to.
func (r *reader) follow(ref, at string, base resource) *node {
	target, pointer, home := r.resolve(ref, base)
	if target == nil {
		r.report(at, show(literal(ref)), "the reference cannot be inlined; nothing is said of the value", Wider)
		return &node{at: at, types: jsontype.Any, cut: true}
	}
	if slices.Contains(r.following, pointer) || strings.HasPrefix(at, pointer+"/") {
		return r.recursive(ref, at, target)
	}
	r.following = append(r.following, pointer)
	defer func() { r.following = r.following[:len(r.following)-1] }()
	return r.read(target, pointer, home)
}

// recursive stands for a schema that contains itself: what type it is, and no more.
func (r *reader) recursive(ref, at string, target any) *node {
	n := &node{at: at, types: jsontype.Any, cut: true}
	if o, ok := target.(*object); ok {
		n.types = typesNamed(o.get("type"))
		n.title, n.description = textOf(o.get("title")), textOf(o.get("description"))
	}
	r.report(at, show(literal(ref)), "the schema contains itself, which cannot be inlined; only the type is said", Wider)
	return n
}

// resolve finds what a reference leads to; nil when it is not in this schema.
func (r *reader) resolve(ref string, base resource) (target any, pointer string, home resource) {
	address, fragment, _ := strings.Cut(ref, "#")
	if address != "" {
		var found bool
		walk(r.root, "", func(o *object, at string) {
			if !found && r.address(o) == address {
				found, base = true, resource{root: o, at: at}
			}
		})
		if !found {
			return nil, "", base
		}
	}
	name, err := url.PathUnescape(fragment)
	if err != nil {
		return nil, "", base
	}
	if name == "" || strings.HasPrefix(name, "/") {
		return at(base.root, jsontree.SplitPointer(name)), base.at + name, base
	}
	walk(base.root, base.at, func(o *object, where string) {
		if target == nil && (textOf(o.get("$anchor")) == name || textOf(o.get("$dynamicAnchor")) == name ||
			textOf(o.get(r.id)) == "#"+name) {
			target, pointer = o, where
		}
	})
	return target, pointer, base
}

// at returns the value that the tokens of a pointer lead to, or nil.
func at(v any, tokens []string) any {
	for _, token := range tokens {
		switch parent := v.(type) {
		case *object:
			v = parent.get(token)
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(parent) {
				return nil
			}
			v = parent[i]
		default:
			return nil
		}
	}
	return v
}

// walk visits all objects of a value, outermost first.
func walk(v any, at string, visit func(o *object, at string)) {
	switch v := v.(type) {
	case *object:
		visit(v, at)
		for _, m := range v.members {
			walk(m.value, at+"/"+jsontree.EscapeToken(m.name), visit)
		}
	case []any:
		for i, item := range v {
			walk(item, at+"/"+strconv.Itoa(i), visit)
		}
	}
}
