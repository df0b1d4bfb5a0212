package jsonschema

import (
	"net/url"
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// reference is a $ref or a similar keyword.
type reference struct {
	pointer string // the JSON pointer to the keyword
	target  string
	scope   scope
}

// references checks the targets of all references. It also checks values that are schemas only
// because a reference leads to them.
func (c *checker) references(root *jsontree.Value) {
	loose := 0
	// The list grows while schemas are checked.
	for i := 0; i < len(c.refs) && !c.stopped; i++ {
		ref := c.refs[i]
		address, fragment, _ := strings.Cut(ref.target, "#")
		if address != "" {
			c.remote(ref, address)
			continue
		}
		if ref.scope.inside {
			continue // relative to another root; the library resolves it
		}
		name, err := url.PathUnescape(fragment)
		if err != nil {
			c.report(ref.pointer, "%s is not a reference", jsontree.QuoteName(ref.target))
			continue
		}
		if name != "" && !strings.HasPrefix(name, "/") {
			if !c.anchors[name] {
				c.report(ref.pointer, "%s names an anchor that the schema does not have%s",
					jsontree.QuoteName(ref.target), didYouMean(name, sorted(c.anchors), "the anchors are"))
			}
			continue
		}
		target := root.At(jsontree.SplitPointer(name))
		if target == nil {
			c.report(ref.pointer, "%s has no target%s", jsontree.QuoteName(ref.target), c.nearby(root, name))
			continue
		}
		// A pointer can be written in several ways; c.schemas has only the canonical form.
		if at := jsontree.FormatPointer(jsontree.SplitPointer(name)); c.schemas[at] == nil {
			if loose++; loose > maxLooseReferences {
				c.stop(ref.pointer, `more than %d references to values that are not schemas; keep shared schemas under "$defs"`, maxLooseReferences)
				return
			}
			c.schema(target, at, ref.scope)
		}
	}
}

// remote checks a reference with an address. The address must belong to a meta-schema or be the
// identifier of a part of this document.
func (c *checker) remote(ref reference, address string) {
	bare := strings.TrimPrefix(strings.TrimPrefix(address, "http://"), "https://")
	if drafts[bare] != 0 || c.ids[address] {
		return
	}
	u, err := url.Parse(address)
	if err == nil && !u.IsAbs() && len(c.ids) > 0 {
		return // may be relative to an identifier; the library resolves it
	}
	c.report(ref.pointer, `%s is outside this schema; remote schemas are not read: move it under "$defs" and refer to "#/$defs/NAME"`,
		jsontree.QuoteName(ref.target))
}

// nearby suggests the target that was probably meant by a pointer without a target.
func (c *checker) nearby(root *jsontree.Value, pointer string) string {
	path := jsontree.SplitPointer(pointer)
	last := len(path) - 1
	parent := root.At(path[:last])
	if parent == nil || parent.Kind != jsontree.Object {
		for _, keyword := range [...]string{"$defs", "definitions"} {
			if root.Member(keyword).Member(path[last]) != nil {
				return `; did you mean "#/` + keyword + "/" + jsontree.EscapeToken(jsontree.Cut(path[last])) + `"?`
			}
		}
		return ""
	}
	return didYouMean(path[last], parent.Names(), "there is")
}
