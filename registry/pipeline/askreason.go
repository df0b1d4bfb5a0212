package pipeline

import (
	"slices"

	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// askReasons are the kinds of reasons, the most explicit first.
var askReasons = []tool.AskReason{tool.AskOutside, tool.AskRepeated, tool.AskRule, tool.AskDangerous, tool.AskScript, tool.AskEffects}

// askReason returns why a decision asks: the most explicit of its reasons that ask. byTenant means
// that the policy of the tenant options asks. Such a policy counts as a rule, even if it asks by
// default, because the program chose to check the tenant's calls a second time.
func (a authorised) askReason(d policy.Decision, byTenant bool) tool.AskReason {
	explicit := len(askReasons)
	for _, r := range append([]policy.Reason{d.By}, d.Also...) {
		if r.Effect == policy.Ask {
			explicit = min(explicit, slices.Index(askReasons, a.askKind(r)))
		}
	}
	if explicit == len(askReasons) || byTenant {
		explicit = min(explicit, slices.Index(askReasons, tool.AskRule))
	}
	return askReasons[explicit]
}

// askKind returns the kind of a reason that asks. A reason that askKind does not know counts as a
// rule, because such a reason can only be approved by an approver.
func (a authorised) askKind(r policy.Reason) tool.AskReason {
	switch {
	case r.Rule == ruleOutside:
		return tool.AskOutside
	case r.Rule == ledger.RuleLoop:
		return tool.AskRepeated
	case r.Rule == ruleShell && a.script != nil && !a.script.Restricted():
		return tool.AskScript
	case r.ByDefault() && a.tool.Spec.Dangerous:
		return tool.AskDangerous
	case r.ByDefault():
		return tool.AskEffects
	}
	return tool.AskRule
}
