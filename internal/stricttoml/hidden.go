package stricttoml

import "github.com/wasmtool/wasmtool/internal/plaintext"

// checkHidden reports each key, string and comment with a character that is invisible or changes
// how the text around it is shown. It checks every string, even if no program shows the string
// today, because a later version may show it.
func (c *Checker) checkHidden() {
	c.hidden = make(map[Place]bool)
	if c.checkHiddenIn(Place{Offset: WholeFile}, c.root) {
		return
	}
	// Keys and strings have been checked, so only comments are left. People read comments to decide
	// whether they trust the file.
	text := string(c.doc.text)
	if found, bad := plaintext.First(text, plaintext.Lines); bad {
		c.Errorf(Place{Offset: found.Offset}, "a comment contains %s; leave it out", found)
	}
}

// checkHiddenIn reports the hidden characters in a value and in all values below it. The result
// found says whether there are any.
func (c *Checker) checkHiddenIn(at Place, n *Node) (found bool) {
	for _, m := range n.Members {
		key := at.Member(m.Name, m.Offset)
		found = c.checkString(key, "the key contains", m.Name, plaintext.Line) || found
		found = c.checkHiddenIn(at.Member(m.Name, m.Value.Offset), m.Value) || found
	}
	for i, item := range n.Items {
		found = c.checkHiddenIn(at.Item(i, item.Offset), item) || found
	}
	if n.Kind == KindString {
		found = c.checkString(at, "contains", n.Text, plaintext.Lines) || found
	}
	return found
}

// checkString reports whether a string holds a hidden character, and records an error if so.
func (c *Checker) checkString(at Place, holds, text string, form plaintext.Form) bool {
	found, bad := plaintext.First(text, form)
	if bad {
		c.Errorf(at, "%s %s; leave it out", holds, found)
		c.hidden[at] = true
	}
	return bad
}
