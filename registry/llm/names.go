package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// nameRule is what a provider asks of a name.
type nameRule struct {
	// most is the longest name in bytes; 0 means that there is no rule at all.
	most int
	// marks are the characters allowed besides ASCII letters and digits.
	marks string
	// letterFirst asks for a letter or an underscore at the start.
	letterFirst bool
}

// keeps reports whether a name follows the rule.
func (r nameRule) keeps(name string) bool {
	if r.most == 0 {
		return true
	}
	if name == "" || len(name) > r.most || r.letterFirst && !isLetter(name[0]) {
		return false
	}
	for i := range len(name) {
		if !r.allows(name[i]) {
			return false
		}
	}
	return true
}

func (r nameRule) allows(c byte) bool {
	return isLetter(c) && c != '_' || c >= '0' && c <= '9' || strings.IndexByte(r.marks, c) >= 0
}

// isLetter reports an ASCII letter or underscore.
func isLetter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// toolName returns a tool's name under the rule: separators of identifiers (mcp:server/tool)
// become two underscores, and other characters one. Two tools may come out the same.
func (r nameRule) toolName(name string) string {
	if r.keeps(name) {
		return name
	}
	return r.cut(r.replaced(strings.NewReplacer(":", "__", "/", "__").Replace(name)), name)
}

// fieldName returns a property's name under the rule. It says by itself what it was made
// of, so that two properties do not come out the same.
func (r nameRule) fieldName(name string) string {
	if r.keeps(name) {
		return name
	}
	return r.join(r.replaced(name), name)
}

// replaced returns a name with an underscore for each character that is not allowed.
func (r nameRule) replaced(name string) string {
	var b strings.Builder
	for _, c := range name {
		if c < 0x80 && r.allows(byte(c)) {
			b.WriteRune(c)
		} else {
			b.WriteByte('_')
		}
	}
	text := b.String()
	if text == "" || r.letterFirst && !isLetter(text[0]) {
		text = "_" + text
	}
	return text
}

// cut shortens a name that is too long; what it was made of stays told apart.
func (r nameRule) cut(name, from string) string {
	if len(name) <= r.most {
		return name
	}
	return r.join(name, from)
}

// join returns a name with the mark of what it was made of at its end.
func (r nameRule) join(name, from string) string {
	sum := sha256.Sum256([]byte(from))
	mark := "_" + hex.EncodeToString(sum[:4])
	return name[:min(len(name), r.most-len(mark))] + mark
}
