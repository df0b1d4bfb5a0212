package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
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
		return TableLines("policy", p.sources["profile"], lines)
	}
	names := each.Of(list, func(s selector) string { return s.text })
	return TableLines("policy", p.sources["profile"], lines, ListLine("allow", append(names, t.Name)))
}

// allowingLines returns the lines that allow calls like this one: a rule for exactly
// what it reaches where such a rule can be written, and else auto_execute.
func (p *Policy) allowingLines(c *call) string {
	words := c.risky()
	for _, word := range words {
		pattern, err := parseWordPattern(word)
		covers := func(w grantWord) bool { return w.text == word && pattern.covers(w) }
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

// AllowLines returns the lines of an operator's file without an entry for a tool that grant
// words to it.
func AllowLines(tool string, words []string) string {
	return TableLines(ToolTable(tool), "", ListLine("allow", words))
}

// ToolTable is the table of a tool in the operator's file.
func ToolTable(tool string) string { return "tools." + Key(tool) }

// TableLines returns the lines of the operator's file by which a table has these lines. at is
// where the file has the table already, as "file:line", or "" when it is to be added.
func TableLines(table, at string, lines ...string) string {
	header := "[" + table + "]"
	if at != "" {
		header += " # is there already, " + at + "; change it to have"
	}
	return strings.Join(append([]string{header}, lines...), "\n")
}

// ListLine returns the line of the operator's file that makes a key a list of texts.
func ListLine(key string, entries []string) string {
	return key + " = [" + strings.Join(each.Of(entries, quote), ", ") + "]"
}
