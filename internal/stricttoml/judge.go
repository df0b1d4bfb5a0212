package stricttoml

import "github.com/wasmtool/wasmtool/internal/plaintext"

// judge reports each text of the file that holds a character which can hide or act, whatever
// the format makes of its key: what it is not used for today is shown tomorrow.
func (c *Checker) judge() {
	c.hidden = make(map[Place]bool)
	if c.judgeNode(Place{Offset: WholeFile}, c.root) {
		return
	}
	// What is left are comments: people read them to decide whether they trust the file.
	text := string(c.doc.text)
	if found, bad := plaintext.First(text, plaintext.Lines); bad {
		c.Fault(Place{Offset: found.Offset}, "a comment holds %s; leave it out", found)
	}
}

// judgeNode reports whether a value or what is below it holds such a character.
func (c *Checker) judgeNode(at Place, n *Node) (found bool) {
	for _, m := range n.Members {
		key := at.Member(m.Name, m.Offset)
		found = c.judgeText(key, "the key holds", m.Name, plaintext.Line) || found
		found = c.judgeNode(at.Member(m.Name, m.Value.Offset), m.Value) || found
	}
	for i, item := range n.Items {
		found = c.judgeNode(at.Item(i, item.Offset), item) || found
	}
	if n.Kind == KindString {
		found = c.judgeText(at, "holds", n.Text, plaintext.Lines) || found
	}
	return found
}

func (c *Checker) judgeText(at Place, holds, text string, form plaintext.Form) bool {
	found, bad := plaintext.First(text, form)
	if bad {
		c.Fault(at, "%s %s; leave it out", holds, found)
		c.hidden[at] = true
	}
	return bad
}
