package pipeline

import (
	"context"
	"encoding/json"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Access returns what a tool may access when a tenant calls it. If there is a grant for a tool with
// this name, it loads the tool. The error is a *[tool.Error]: an error of loading, or an error with
// the code not_found, or permission_denied if the grants cannot be read or the Rules have tenants
// but not this one.
func (p *Pipeline) Access(ctx context.Context, name, tenant string) (Access, error) {
	t, err := p.o.Catalogue.Find(name)
	if err != nil {
		return Access{}, err
	}
	rules := p.rules.Load()
	options, err := rules.optionsOf(tenant)
	if err != nil {
		return Access{}, err
	}
	return p.access(ctx, accessRequest{tool: t, permissions: t.Spec.Permissions, rules: rules, options: options, tenant: tenant})
}

// Explained is the explanation, for the operator, of the decision about a call.
type Explained struct {
	// Access is what the call could access.
	Access Access
	// Policy is the decision and how it was reached, including the decision about the script.
	Policy policy.Explanation
	// Shell is the classification of the call's script; nil if there is none.
	Shell *shellcommand.Result
}

// Explain explains the decision about a tenant's call with these arguments, a JSON object, and runs
// nothing. It neither validates the arguments nor adds defaults. Errors are the same as for
// [Pipeline.Access].
func (p *Pipeline) Explain(ctx context.Context, name, tenant string, arguments json.RawMessage) (Explained, error) {
	t, err := p.o.Catalogue.Find(name)
	if err != nil {
		return Explained{}, err
	}
	rules := p.rules.Load()
	options, err := rules.optionsOf(tenant)
	if err != nil {
		return Explained{}, err
	}
	arguments = t.Parameters.Rename(arguments)
	script := rules.script(t.Spec, textIn(arguments))
	permissions, err := requested(t, script, textIn(arguments))
	if err != nil {
		return Explained{}, err
	}
	access, err := p.access(ctx, accessRequest{tool: t, permissions: permissions, rules: rules, options: options, tenant: tenant})
	if err != nil {
		return Explained{}, err
	}
	explained := Explained{Access: access, Shell: script}
	facts := policy.CallFacts{Capabilities: access.Permissions, Arguments: arguments, Granted: grantedWith(access.Granted, script)}
	explained.Policy = rules.Policy.Explain(factsOfCalled(t), facts)
	if options.Policy != nil {
		explained.Policy = explained.Policy.And(options.Policy.Explain(factsOfCalled(t), facts))
	}
	explained.Policy.Decision, _ = rules.addScript(explained.Policy.Decision, script)
	return explained, nil
}

// textIn returns a function that returns an argument as text, from arguments that may be invalid.
func textIn(arguments json.RawMessage) func(name string) (string, bool) {
	return func(name string) (text string, ok bool) {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(arguments, &fields); err != nil || fields[name] == nil {
			return "", false
		}
		if err := json.Unmarshal(fields[name], &text); err != nil {
			return string(fields[name]), true
		}
		return text, true
	}
}

// MayDescribe returns what a tool in the sandbox may access to describe itself, and whether it may
// describe itself at all. No approver is asked about a description. The tool may therefore only
// read the directories that it requests, and only if its calls may read them without an approval.
func (p *Pipeline) MayDescribe(ctx context.Context, t *catalogue.Tool) (capability.Grant, bool) {
	rules := p.rules.Load()
	if p.o.Ledger.HoldsBack(tool.CallRef{}, t) || p.identified(ctx, t, rules) != nil {
		return capability.Grant{}, false
	}
	var reading capability.Permissions
	for _, fs := range t.Spec.Permissions.FS {
		if fs.Mount != capability.ScratchMount {
			fs.Mode = capability.ModeRead
			reading.FS = append(reading.FS, fs)
		}
	}
	access, err := p.access(ctx, accessRequest{tool: t, permissions: reading, rules: rules})
	if err != nil || len(access.Missing) > 0 {
		return capability.Grant{}, false
	}
	decision := rules.Policy.Decide(factsOfCalled(t), policy.CallFacts{
		Capabilities: withoutScratch(reading.List()), Arguments: []byte("{}"), Granted: access.Granted,
	})
	return access.Grant, decision.Effect == policy.Allow
}
