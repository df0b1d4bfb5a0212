package jsonschema

import (
	"net/url"
	"strings"
)

// reference is a $ref or one of its relatives.
type reference struct {
	pointer string // of the keyword
	target  string
	scope   scope
}

// references checks where all references lead, and looks at the schemas that
// only a reference makes one.
func (c *checker) references(root *value) {
	loose := 0
	// The list grows while loose schemas are looked at.
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
			c.fault(ref.pointer, "%s is not a reference", quoteName(ref.target))
			continue
		}
		if name != "" && !strings.HasPrefix(name, "/") {
			if !c.anchors[name] {
				c.fault(ref.pointer, "%s names an anchor that the schema does not have%s",
					quoteName(ref.target), didYouMean(name, sorted(c.anchors), "the anchors are"))
			}
			continue
		}
		target := root.at(pathOf(name))
		if target == nil {
			c.fault(ref.pointer, "%s leads nowhere%s", quoteName(ref.target), c.nearby(root, name))
			continue
		}
		// The pointer may be spelt in several ways; the checker knows one.
		if at := pointerOf(pathOf(name)); c.schemas[at] == nil {
			if loose++; loose > maxLooseReferences {
				c.stop(ref.pointer, `more than %d references to places that are no schemas; keep shared schemas under "$defs"`, maxLooseReferences)
				return
			}
			c.schema(target, at, ref.scope)
		}
	}
}

// remote checks a reference with an address: it must be a meta-schema, or the
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
	c.fault(ref.pointer, `%s is outside this schema; remote schemas are not read: move it under "$defs" and refer to "#/$defs/NAME"`,
		quoteName(ref.target))
}

// nearby suggests what a pointer that leads nowhere could have meant.
func (c *checker) nearby(root *value, pointer string) string {
	path := pathOf(pointer)
	last := len(path) - 1
	parent := root.at(path[:last])
	if parent == nil || parent.kind != kindObject {
		for _, keyword := range [...]string{"$defs", "definitions"} {
			if root.member(keyword).member(path[last]) != nil {
				return `; did you mean "#/` + keyword + "/" + escapeToken(cut(path[last])) + `"?`
			}
		}
		return ""
	}
	return didYouMean(path[last], parent.names(), "there is")
}
