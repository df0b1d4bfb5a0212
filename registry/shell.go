package registry

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// ruleShell is the rule that decides where a script does.
const ruleShell = "shell"

// script is what a call's script comes to, and nil for a call without one.
func (r *Rules) script(spec tool.Spec, arguments json.RawMessage) *shellcommand.Result {
	if spec.Shell == "" {
		return nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(arguments, &fields); err != nil || fields[spec.Shell] == nil {
		return nil
	}
	var text string
	if err := json.Unmarshal(fields[spec.Shell], &text); err != nil {
		// The schema has a text there, so this is a call that will not run.
		text = string(fields[spec.Shell])
	}
	result := shellcommand.Classify(text, r.Shell)
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

// grantedWith adds to what was granted for a call what the operator's Shell allows.
func grantedWith(granted policy.Granted, script *shellcommand.Result) policy.Granted {
	if script != nil && script.Effect == policy.Allow && !script.ReadOnly {
		granted.AutoExecute, granted.Source, granted.Why = true, "", script.Reason
	}
	return granted
}

// judgeScript lets the script have its say in a decision. It only makes it stricter. The
// patterns are those of which a yes may be remembered; none where a rule of the policy
// asks, since a rule may ask about what patterns do not tell apart.
func (r *Rules) judgeScript(d policy.Decision, script *shellcommand.Result) (_ policy.Decision, patterns []string) {
	if script == nil || d.Effect == policy.Deny || script.Effect == policy.Allow || script.Effect == policy.Ask && r.Shell.Unconfirmed {
		return d, nil
	}
	before := d.By
	d.By = policy.Reason{Effect: script.Effect, Rule: ruleShell, Why: script.Reason}
	d.Also = append([]policy.Reason{before}, d.Also...)
	// A decision of two policies names the rule of the second among what holds besides.
	byRule := d.Effect == policy.Ask && (len(d.Grant) == 0 || slices.ContainsFunc(d.Also, asksByRule))
	if d.Effect == policy.Ask {
		d.By.Why += "; and " + before.Why
	}
	d.Effect, d.Grant = script.Effect, nil
	switch {
	case script.Effect == policy.Deny:
		d.Fix = ""
	case !byRule:
		d.Fix = ""
		var ok bool
		if patterns, ok = script.Patterns(); ok {
			d.Fix = r.shellLines(patterns)
		}
	}
	return d, patterns
}

// asksByRule reports whether a reason is that of a rule that asks.
func asksByRule(r policy.Reason) bool {
	return r.Effect == policy.Ask && strings.HasPrefix(r.Rule, "rules[")
}

// judgeShell is the step that looks at the script of a call, before anything is granted to
// it, and ends the call whose script must not run.
func (x *execution) judgeShell() error {
	x.script = x.rules.script(x.tool.Spec, x.arguments.JSON)
	if x.script == nil || x.script.Effect != policy.Deny {
		return nil
	}
	x.decision, _ = x.rules.judgeScript(policy.Decision{Effect: policy.Allow}, x.script)
	x.decision.Also = nil
	return x.errDenied()
}

// patternKeys are the keys of approvals that together are good for the call, with the
// pattern of each.
func (x *execution) patternKeys(digest string) map[string]remembered.Key {
	keys := make(map[string]remembered.Key)
	for _, p := range x.patterns {
		keys[p] = remembered.NewPatternKey(digest, p, x.bounds)
	}
	return keys
}

// askedCommands are the parts of the script that are asked about, as they stand there.
func (x *execution) askedCommands() []string {
	if x.script == nil {
		return nil
	}
	var commands []string
	for _, p := range x.script.Parts {
		if p.Effect == policy.Ask && !slices.Contains(commands, p.Source) {
			commands = append(commands, p.Source)
		}
	}
	return commands
}
