package registry

import (
	"context"
	"encoding/json"

	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
)

// Explained is what decides about a call, for the operator.
type Explained struct {
	// Offered is what the call would get.
	Offered Offered
	// Policy is the decision with the way to it, the script's part in it included.
	Policy policy.Explanation
	// Shell is what the call's script comes to; nil for a call without one.
	Shell *shellcommand.Result
}

// Explain says what decides about a call of a tenant with these arguments, a JSON object,
// and runs nothing. The arguments are taken as they are: neither checked nor completed.
// Errors are those of Offered.
func (r *Registry) Explain(ctx context.Context, name, tenant string, arguments json.RawMessage) (Explained, error) {
	e, err := r.tools.Find(name)
	if err != nil {
		return Explained{}, err
	}
	rules := r.rules.Load()
	script := rules.script(e.Spec, arguments)
	given, err := r.offered(ctx, e, asksFor(e.Spec, script), rules, Overlay{}, tenant)
	if err != nil {
		return Explained{}, err
	}
	x := Explained{Offered: given, Shell: script}
	x.Policy = rules.Policy.Explain(factsOf(e.Spec), policy.CallFacts{
		Capabilities: given.Words, Arguments: arguments, Granted: grantedWith(given.Granted, script),
	})
	x.Policy.Decision, _ = rules.judgeScript(x.Policy.Decision, script)
	return x, nil
}
