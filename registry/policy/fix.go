package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// where is the end of a fix that says where to look.
func where(source string) string {
	if source == "" {
		return ""
	}
	return " (" + source + ")"
}

// wideningLines returns the lines that bring in a tool which the profile does not
// have. A profile cannot be added to, so they take the profile full and list what
// there was, with the tool.
func (p *Policy) wideningLines(t ToolFacts) string {
	lines := "profile = " + quote(profileFull)
	list := p.entries
	if p.narrowed {
		list = p.allow
	}
	if p.narrowed && anyPermits(p.allow, t) {
		return lines
	}
	var quoted []string
	for _, s := range list {
		quoted = append(quoted, quote(s.text))
	}
	return fmt.Sprintf("%s\nallow = [%s]", lines, strings.Join(append(quoted, quote(t.Name)), ", "))
}

// allowingLines returns the lines that allow calls like this one: a rule for exactly
// what it reaches where such a rule can be written, and else auto_execute.
func (c *call) allowingLines() string {
	words := c.risky()
	var quoted []string
	for _, word := range words {
		pattern, err := parseWordPattern(word)
		covers := func(w grantWord) bool { return w.text == word && pattern.covers(w) }
		if err != nil || !slices.ContainsFunc(c.words, covers) {
			return fmt.Sprintf("[tools.%s]\nauto_execute = true", key(c.tool.Name))
		}
		quoted = append(quoted, quote(word))
	}
	lines := fmt.Sprintf("[[policy.rules]]\neffect = \"allow\"\ntools = [%s]", quote(c.tool.Name))
	if quoted != nil {
		lines += fmt.Sprintf("\ncapabilities = [%s]", strings.Join(quoted, ", "))
	}
	return lines
}

// quote returns a TOML string.
func quote(s string) string {
	s = strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(s)
	return `"` + plaintext.Replace(s, plaintext.Word, func(f plaintext.Finding) string {
		return fmt.Sprintf(`\U%08X`, f.Rune)
	}) + `"`
}

// key returns a TOML key.
func key(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-_") == "" {
		return s
	}
	return quote(s)
}

// AllowLines returns the lines of the operator's file that grant words to a tool.
func AllowLines(tool string, words []string) string {
	var quoted []string
	for _, word := range words {
		quoted = append(quoted, quote(word))
	}
	return fmt.Sprintf("[tools.%s]\nallow = [%s]", key(tool), strings.Join(quoted, ", "))
}
