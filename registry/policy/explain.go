package policy

import (
	"fmt"
	"strings"
)

// RuleTrace is what became of one rule.
type RuleTrace struct {
	// Rule is its name, such as "rules[2]".
	Rule string `json:"rule"`
	// Effect is what it says.
	Effect Effect `json:"effect"`
	// Source and Reason are as in the Config.
	Source string `json:"source,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Holds tells whether it holds for the call.
	Holds bool `json:"holds"`
	// Why says what made it hold, or where it does not.
	Why string `json:"why"`
}

// Explanation is a Decision with the way to it.
type Explanation struct {
	Decision
	// Visible is the answer of the first gate.
	Visible Reason `json:"visible"`
	// Rules are all rules in the order of the Config; empty when the tool is not
	// there, since no rule is looked at then.
	Rules []RuleTrace `json:"rules,omitempty"`
}

// Explain decides as Decide does and says how. It is for the operator: it tells what
// a model must not know.
func (p *Policy) Explain(t ToolFacts, c CallFacts) Explanation {
	_, visible := p.Visible(t)
	decision, traces := p.decide(t, c)
	return Explanation{Decision: decision, Visible: visible, Rules: traces}
}

// String returns the explanation as text of several lines: the answer with what
// decided, what else holds, the rules that do not, and the fix. It quotes nothing of
// the arguments.
func (e Explanation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n  decided by %s%s: %s\n", e.Effect, e.By.Rule, where(e.By.Source), e.By.Why)
	for _, also := range e.Also {
		fmt.Fprintf(&b, "  also holds: %s\n", also)
	}
	for _, r := range e.Rules {
		if !r.Holds {
			fmt.Fprintf(&b, "  does not hold: %s by %s%s: %s\n", r.Effect, r.Rule, where(r.Source), r.Why)
		}
	}
	if e.Fix != "" {
		fmt.Fprintf(&b, "to allow it:\n  %s\n", strings.ReplaceAll(e.Fix, "\n", "\n  "))
	}
	return b.String()
}
