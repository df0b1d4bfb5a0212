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
	return len(name) <= r.most && r.replaced(name) == name
}

func (r nameRule) allows(c rune) bool {
	return isLetter(c) && c != '_' || c >= '0' && c <= '9' || strings.ContainsRune(r.marks, c)
}

// isLetter reports an ASCII letter or underscore.
func isLetter(c rune) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// toolName returns a tool's name under the rule: separators of identifiers (mcp:server/tool)
// become two underscores, and other characters one. Two tools may come out the same.
func (r nameRule) toolName(name string) string {
	if r.keeps(name) {
		return name
	}
	plain := r.replaced(strings.NewReplacer(":", "__", "/", "__").Replace(name))
	if len(plain) <= r.most {
		return plain
	}
	return r.join(plain, name)
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

// join returns a name with the mark of what it was made of at its end.
func (r nameRule) join(name, from string) string {
	sum := sha256.Sum256([]byte(from))
	mark := "_" + hex.EncodeToString(sum[:4])
	return name[:min(len(name), r.most-len(mark))] + mark
}
