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

// Offered returns what a tool is given when a tenant calls it. Where something was granted
// to a tool of that name, it loads the tool. Errors are an *Error: not_found, those of
// loading, and permission_denied when what was granted cannot be read.
func (p *Pipeline) Access(ctx context.Context, name, tenant string) (Access, error) {
	t, err := p.o.Catalogue.Find(name)
	if err != nil {
		return Access{}, err
	}
	return p.offered(ctx, asks{tool: t, permissions: t.Spec.Permissions, rules: p.rules.Load(), tenant: tenant})
}

// Explained is what decides about a call, for the operator.
type Explained struct {
	// Offered is what the call would get.
	Offered Access
	// Policy is the decision with the way to it, the script's part in it included.
	Policy policy.Explanation
	// Shell is the classification of the call's script; nil for a call without one.
	Shell *shellcommand.Result
}

// Explain says what decides about a call of a tenant with these arguments, a JSON object,
// and runs nothing. The arguments are taken as they are: neither checked nor completed.
// Errors are those of Offered.
func (p *Pipeline) Explain(ctx context.Context, name, tenant string, arguments json.RawMessage) (Explained, error) {
	t, err := p.o.Catalogue.Find(name)
	if err != nil {
		return Explained{}, err
	}
	rules := p.rules.Load()
	script := rules.script(t.Spec, textIn(arguments))
	given, err := p.offered(ctx, asks{tool: t, permissions: asksFor(t.Spec, script), rules: rules, tenant: tenant})
	if err != nil {
		return Explained{}, err
	}
	x := Explained{Offered: given, Shell: script}
	x.Policy = rules.Policy.Explain(factsOf(t.Spec), policy.CallFacts{
		Capabilities: given.Permissions, Arguments: arguments, Granted: grantedWith(given.Granted, script),
	})
	x.Policy.Decision, _ = rules.weighScript(x.Policy.Decision, script)
	return x, nil
}

// textIn returns arguments that were not checked as text.
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

// loadedDigest loads a tool and returns its digest.
func (p *Pipeline) loadedDigest(ctx context.Context, t *catalogue.Tool) (string, error) {
	if err := p.o.Catalogue.Load(ctx, t); err != nil {
		return "", err
	}
	return t.Digest(ctx)
}

// MayDescribe returns what a tool in the sandbox may reach to describe itself, and whether it
// may do so at all. It reads the directories that it asks for and gets nothing else, and only
// where its calls could read them without a question: nobody is asked about a description.
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
	given, err := p.offered(ctx, asks{tool: t, permissions: reading, rules: rules})
	if err != nil || len(given.Missing) > 0 {
		return capability.Grant{}, false
	}
	decision := rules.Policy.Decide(factsOf(t.Spec), policy.CallFacts{
		Capabilities: withoutScratch(reading.List()), Arguments: []byte("{}"), Granted: given.Granted,
	})
	return given.Grant, decision.Effect == policy.Allow
}
