package pipeline

import (
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// ruleShell is the rule that decides where a script does.
const ruleShell = "shell"

// script classifies the script of a call, and returns nil for a call without one. text
// returns an argument.
func (r *Rules) script(spec tool.Spec, text func(name string) (string, bool)) *shellcommand.Result {
	if spec.Shell == "" {
		return nil
	}
	script, ok := text(spec.Shell)
	if !ok {
		return nil
	}
	result := shellcommand.Classify(script, r.Shell)
	return &result
}

// asksFor is what a call asks for: what its tool does, and no more than reading where its
// script only reads, so that a script that was taken for harmless and is not does no harm.
// What runs outside of the sandbox cannot be held to that.
func asksFor(spec tool.Spec, script *shellcommand.Result) capability.Permissions {
	if script != nil && script.ReadOnly && spec.Sandboxed {
		return spec.Permissions.Reading()
	}
	return spec.Permissions
}

// grantedWith adds what the operator's Shell allows to what was granted for a call.
func grantedWith(granted policy.Granted, script *shellcommand.Result) policy.Granted {
	if script != nil && script.Effect == policy.Allow && !script.ReadOnly {
		granted.AutoExecute, granted.Source, granted.Why = true, "", script.Reason
	}
	return granted
}

// weighScript makes a decision stricter where the script demands it. A yes to all of the
// patterns may be remembered; there are none where a rule of the policy asks, since a rule
// may ask about what patterns do not tell apart.
func (r *Rules) weighScript(d policy.Decision, script *shellcommand.Result) (_ policy.Decision, patterns []string) {
	if script == nil || d.Effect == policy.Deny || script.Effect == policy.Allow || script.Effect == policy.Ask && r.Shell.Unconfirmed {
		return d, nil
	}
	before := d.By
	d.By = policy.Reason{Effect: script.Effect, Rule: ruleShell, Why: script.Reason}
	d.Also = append([]policy.Reason{before}, d.Also...)
	// A decision of two policies names the rule of the second in Also.
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

// asksByRule reports whether a reason comes from a rule that asks.
func asksByRule(r policy.Reason) bool {
	return r.Effect == policy.Ask && strings.HasPrefix(r.Rule, "rules[")
}

// askedCommands are the parts of the script that are asked about, as they stand there.
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
