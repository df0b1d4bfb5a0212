package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// RuleTrace is the outcome of one rule.
type RuleTrace struct {
	// Rule is the name of the rule, such as "rules[2]".
	Rule string `json:"rule"`
	// Effect is the effect of the rule.
	Effect Effect `json:"effect"`
	// Source and Reason are copied from the Config.
	Source string `json:"source,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Holds reports whether the rule matches the call.
	Holds bool `json:"holds"`
	// Why says what made the rule match, or what did not match.
	Why string `json:"why"`
}

// Explanation is a Decision and how it was reached.
type Explanation struct {
	Decision
	// Visible is the answer of Policy.Visible.
	Visible Reason `json:"visible"`
	// Rules lists all rules in the order of the Config. It is empty for a hidden tool, for which no
	// rule is evaluated.
	Rules []RuleTrace `json:"rules,omitempty"`
}

// Explain decides like Decide and says how. It is for the operator: it reveals facts that a model
// must not see.
func (p *Policy) Explain(t ToolFacts, c CallFacts) Explanation {
	_, visible := p.Visible(t)
	decision, traces := p.decide(t, c)
	return Explanation{Decision: decision, Visible: visible, Rules: traces}
}

// And returns the explanation of the stricter of two decisions about a call. Its rules are the
// rules of both.
func (e Explanation) And(other Explanation) Explanation {
	if other.Visible.Effect < e.Visible.Effect {
		e.Visible = other.Visible
	}
	e.Decision, e.Rules = Stricter(e.Decision, other.Decision), slices.Concat(e.Rules, other.Rules)
	return e
}

// String returns the explanation in several lines: the answer and its cause, other causes, rules
// that do not match, and the fix. It does not quote the arguments.
func (e Explanation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n  decided by %s%s: %s\n", e.Effect, e.By.Rule, where(e.By.Source), e.By.Why)
	for _, also := range e.Also {
		fmt.Fprintf(&b, "  also matches: %s\n", also)
	}
	for _, r := range e.Rules {
		if !r.Holds {
			fmt.Fprintf(&b, "  does not match: %s by %s%s: %s\n", r.Effect, r.Rule, where(r.Source), r.Why)
		}
	}
	if e.Fix != "" {
		fmt.Fprintf(&b, "to allow it:\n  %s\n", strings.ReplaceAll(e.Fix, "\n", "\n  "))
	}
	return b.String()
}

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
