package registry

import (
	"context"

	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// decide is the step that asks the policy whether the call may run, and somebody where
// the policy says so.
func (r *Registry) decide(ctx context.Context, x *execution) error {
	x.decision = x.rules.Policy.Decide(factsOf(x.entry.spec), policy.CallFacts{
		Capabilities: x.words, Arguments: x.arguments.JSON, Granted: x.granted,
	})
	switch x.decision.Effect {
	case policy.Allow:
		return nil
	case policy.Ask:
		return r.approve(ctx, x)
	}
	return &tool.Error{
		Code: tool.CodePermissionDenied, Message: "the operator's policy denies the call: " + x.decision.By.Why,
		Recoverable: true, // other arguments may be allowed
		Details:     tool.Details{Fix: x.decision.Fix},
	}
}
