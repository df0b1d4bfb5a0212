package policy

import (
	"fmt"
	"slices"
	"strings"
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
