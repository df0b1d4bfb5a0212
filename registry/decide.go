package registry

import (
	"context"

	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// decide is the step that asks the policies whether the call may run, what its script would
// do and whether it is one repetition too many, and then somebody, where they say so: once
// at most.
func (r *Registry) decide(ctx context.Context, x *execution) error {
	facts := policy.CallFacts{Capabilities: x.words, Arguments: x.arguments.JSON, Granted: grantedWith(x.granted, x.script)}
	x.decision = x.rules.Policy.Decide(factsOf(x.tool.Spec), facts)
	if own := x.overlay.Policy; own != nil {
		x.decision = stricter(x.decision, own.Decide(factsOf(x.tool.Spec), facts))
	}
	x.decision, x.patterns = x.rules.judgeScript(x.decision, x.script)
	x.decision, x.repetition = x.entry.Decided(x.decision)
	switch {
	case x.decision.Effect == policy.Allow:
		return nil
	case x.decision.Effect == policy.Ask:
		return r.approve(ctx, x)
	case x.repetition == ledger.RepeatedTooOften:
		return x.errLoop()
	}
	return x.errDenied()
}

// errDenied is the failure of a call that the policy denies.
func (x *execution) errDenied() error {
	return &tool.Error{
		Code: tool.CodePermissionDenied, Message: "the operator's policy denies the call: " + x.decision.By.Why,
		Recoverable: true, // other arguments may be allowed
		Details:     tool.Details{Fix: x.decision.Fix},
	}
}

// errLoop is the failure of a call that is refused because of its repetition.
func (x *execution) errLoop() error {
	return &tool.Error{
		Code: tool.CodePermissionDenied, Recoverable: true,
		Message: "not run again: " + x.decision.By.Why + x.repetition.Advice(),
	}
}

// stricter is the decision of the two that permits less, with what the other says.
func stricter(a, b policy.Decision) policy.Decision {
	if b.Effect < a.Effect {
		a, b = b, a
	}
	a.Also = append(append(a.Also, b.By), b.Also...)
	return a
}
