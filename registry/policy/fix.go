package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// where returns the end of a fix: the place to change.
func where(source string) string {
	if source == "" {
		return ""
	}
	return " (" + source + ")"
}

// wideningLines returns the lines that add a tool which the profile does not have. A profile cannot
// be extended, so the lines select the profile full and allow only the tools of the old profile and
// the new tool.
func (p *Policy) wideningLines(t ToolFacts) string {
	lines := "profile = " + quote(profileFull)
	list := p.entries
	if p.narrowed {
		list = p.allow
	}
	if p.narrowed && anyPermits(p.allow, t) {
		return TableLines("policy", p.sources["profile"], lines)
	}
	names := each.Of(list, func(s selector) string { return s.text })
	return TableLines("policy", p.sources["profile"], lines, ListLine("allow", append(names, t.Name)))
}

// allowingLines returns the lines that allow calls like this one: if possible, a rule for exactly
// the permissions that the call needs, and otherwise auto_execute.
func (p *Policy) allowingLines(c *call) string {
	words := c.risky()
	for _, word := range words {
		pattern, err := parsePermissionPattern(word)
		covers := func(w grantedPermission) bool { return w.text == word && pattern.covers(w) }
		if err != nil || !slices.ContainsFunc(c.words, covers) {
			return TableLines(ToolTable(c.tool.Name), p.tools[normal(c.tool.Name)].source, "auto_execute = true")
		}
	}
	lines := "[[policy.rules]]\neffect = \"allow\"\n" + ListLine("tools", []string{c.tool.Name})
	if words != nil {
		lines += "\n" + ListLine("capabilities", words)
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

// Key returns a TOML key.
func Key(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-_") == "" {
		return s
	}
	return quote(s)
}

// AllowLines returns the lines that grant permissions to a tool, for an operator's file that has no
// entry for the tool.
func AllowLines(tool string, words []string) string {
	return TableLines(ToolTable(tool), "", ListLine("allow", words))
}

// ToolTable returns the name of a tool's table in the operator's file.
func ToolTable(tool string) string { return "tools." + Key(tool) }

// TableLines returns the text that adds lines to a table of the operator's file. at is the place of
// the table as "file:line", or "" if the file does not have it yet.
func TableLines(table, at string, lines ...string) string {
	header := "[" + table + "]"
	if at != "" {
		header += " # already exists, " + at + "; change it to have"
	}
	return strings.Join(append([]string{header}, lines...), "\n")
}

// ListLine returns the line of the operator's file that sets a key to a list of strings.
func ListLine(key string, entries []string) string {
	return key + " = [" + strings.Join(each.Of(entries, quote), ", ") + "]"
}
