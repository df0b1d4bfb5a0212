package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

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
