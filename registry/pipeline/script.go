package pipeline

import (
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// ruleShell is the name of the rule in a decision that is due to a script.
const ruleShell = "shell"

// script classifies the script of a call, or returns nil if the call has none. text returns an
// argument.
func (r *Rules) script(spec tool.Spec, text func(name string) (string, bool)) *shellcommand.Result {
	if spec.Shell == "" {
		return nil
	}
	script, ok := text(spec.Shell)
	if !ok {
		return nil
	}
	return new(shellcommand.Classify(script, r.Shell))
}

// grantedWith returns the grants of a call, and adds the permissions that the operator's shell
// settings allow.
func grantedWith(granted policy.Granted, script *shellcommand.Result) policy.Granted {
	if script != nil && script.Effect == policy.Allow && !script.ReadOnly {
		granted.AutoExecute, granted.Source, granted.Why = true, "", script.Reason
	}
	return granted
}

// addScript makes a decision stricter if the script requires it. patterns are the patterns of the
// script that an approver may approve instead of this call only. If a rule of the policy requires
// the approval, patterns is empty, because a rule may distinguish calls that have the same
// patterns.
func (r *Rules) addScript(d policy.Decision, script *shellcommand.Result) (_ policy.Decision, patterns []string) {
	if script == nil || d.Effect == policy.Deny || script.Effect == policy.Allow || script.Effect == policy.Ask && r.Shell.Unconfirmed {
		return d, nil
	}
	before := d.By
	d.By = policy.Reason{Effect: script.Effect, Rule: ruleShell, Why: script.Reason}
	d.Also = append([]policy.Reason{before}, d.Also...)
	// For a decision of two policies, Also contains the rule of the second policy.
	byRule := d.Effect == policy.Ask && (len(d.Grant) == 0 || slices.ContainsFunc(d.Also, asksByRule))
	if d.Effect == policy.Ask {
		d.By.Why += "; and " + before.Why
	}
	d.Effect, d.Grant = script.Effect, nil
	if script.Effect == policy.Ask && byRule {
		return d, nil
	}
	d.Fix = ""
	if script.Effect == policy.Ask {
		var ok bool
		if patterns, ok = script.Patterns(); ok {
			d.Fix = r.shellLines(patterns)
		}
	}
	return d, patterns
}

// asksByRule reports whether a reason is a rule that requires an approval.
func asksByRule(r policy.Reason) bool {
	return r.Effect == policy.Ask && strings.HasPrefix(r.Rule, "rules[")
}

// askedCommands returns the parts of the script that need an approval, as they are written.
func askedCommands(script *shellcommand.Result) []string {
	if script == nil {
		return nil
	}
	var commands []string
	for _, p := range script.Parts {
		if p.Effect == policy.Ask && !slices.Contains(commands, p.Source) {
			commands = append(commands, p.Source)
		}
	}
	return commands
}
