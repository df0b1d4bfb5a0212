package llm

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// resource is the base of relative references: the whole schema, or a part of it with its own
// identifier.
type resource struct {
	root *jsontree.Value
	at   string
}

// address returns the identifier that makes a schema a resource, or "".
func (r *reader) address(o *jsontree.Value) string {
	if id := o.Member(r.id).Text(); !strings.HasPrefix(id, "#") {
		return id
	}
	return ""
}

// follow reads the target of a reference.
func (r *reader) follow(ref, at string, base resource) *node {
	target, pointer, home := r.resolve(ref, base)
	if target == nil {
		r.report(at, show(jsontree.NewString(ref)), "the reference cannot be inlined; the definition accepts any value here", Wider)
		return &node{at: at, types: jsontype.Any, cut: true}
	}
	if slices.Contains(r.following, pointer) || strings.HasPrefix(at, pointer+"/") {
		return r.recursive(ref, at, target)
	}
	r.following = append(r.following, pointer)
	defer func() { r.following = r.following[:len(r.following)-1] }()
	return r.read(target, pointer, home)
}

// recursive returns a node for a schema that contains itself. It keeps only the type, title and
// description.
func (r *reader) recursive(ref, at string, target *jsontree.Value) *node {
	n := &node{at: at, types: jsontype.Any, cut: true}
	if target.Kind == jsontree.Object {
		n.types = typesNamed(target.Member("type"))
		n.title, n.description = target.Member("title").Text(), target.Member("description").Text()
	}
	r.report(at, show(jsontree.NewString(ref)), "the schema contains itself and cannot be inlined; only its type is kept", Wider)
	return n
}

// resolve returns the target of a reference, or nil if it is not in this schema.
func (r *reader) resolve(ref string, base resource) (target *jsontree.Value, pointer string, home resource) {
	address, fragment, _ := strings.Cut(ref, "#")
	if address != "" {
		var found bool
		walk(r.root, "", func(o *jsontree.Value, at string) {
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
		return base.root.At(jsontree.SplitPointer(name)), base.at + name, base
	}
	walk(base.root, base.at, func(o *jsontree.Value, where string) {
		if target == nil && (o.Member("$anchor").Text() == name || o.Member("$dynamicAnchor").Text() == name ||
			o.Member(r.id).Text() == "#"+name) {
			target, pointer = o, where
		}
	})
	return target, pointer, base
}

// walk calls visit for every object in a value, parents before children.
func walk(v *jsontree.Value, at string, visit func(o *jsontree.Value, at string)) {
	if v.Kind == jsontree.Object {
		visit(v, at)
	}
	for i := range v.Members {
		walk(&v.Members[i].Value, at+"/"+jsontree.EscapeToken(v.Members[i].Name), visit)
	}
	for i := range v.Items {
		walk(&v.Items[i], at+"/"+strconv.Itoa(i), visit)
	}
}
