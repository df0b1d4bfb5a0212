package pipeline

import (
	"context"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// authorised is a call that may run, with what it may reach.
type authorised struct {
	prepared
	grant capability.Grant
	words []capability.Permission // of the grant, without the call's own scratch directory
}

// authorise is the stage that looks at everything that may forbid the call: the script in
// its arguments, what the operator grants, the policy, repetition, and the answer of the
// approver where one of them asks. A tool that asks for more than it gets does not run: it
// would fail half-way, where the reason is harder to see.
func (p *Pipeline) authorise(ctx context.Context, entry *ledger.Entry, c prepared) (authorised, error) {
	if c.script != nil && c.script.Effect == policy.Deny {
		decision, _ := c.rules.weighScript(policy.Decision{Effect: policy.Allow}, c.script)
		decision.Also = nil
		entry.Decided(decision)
		return authorised{}, errDenied(decision)
	}
	given, err := p.offered(ctx, c.asks(c.asksFor()))
	if err != nil {
		return authorised{}, err
	}
	if len(given.Missing) > 0 {
		entry.Granted(nil, given.digest)
		return authorised{}, c.errNotGranted(given, p.readingWouldRun(ctx, c))
	}
	a := authorised{prepared: c, grant: given.Grant, words: given.Permissions}
	entry.Granted(a.words, given.digest)
	decision, patterns := a.decide(given.Granted)
	decision, repetition := entry.Decided(decision)
	switch {
	case decision.Effect == policy.Allow:
		return a, nil
	case decision.Effect == policy.Ask:
		return p.approve(ctx, entry, a, reason{decision, patterns, repetition})
	case repetition == ledger.RepeatedTooOften:
		return authorised{}, &tool.Error{
			Code: tool.CodePermissionDenied, Recoverable: true, Message: "not run again: " + decision.By.Why + repetition.Advice(),
		}
	}
	return authorised{}, errDenied(decision)
}

// readingWouldRun reports whether the call would have all that it needs if its script only
// read.
func (p *Pipeline) readingWouldRun(ctx context.Context, c prepared) bool {
	if c.script == nil || c.script.ReadOnly || !c.tool.Spec.Sandboxed {
		return false
	}
	given, err := p.offered(ctx, c.asks(c.tool.Spec.Permissions.Reading()))
	return err == nil && len(given.Missing) == 0
}

// decide asks the policies whether the call may run, and weighs what its script would do. A
// yes to all of the patterns may be remembered as a yes to the call.
func (a authorised) decide(granted policy.Granted) (d policy.Decision, patterns []string) {
	facts := policy.CallFacts{
		Capabilities: a.words, Arguments: a.arguments.JSON, Decoded: a.arguments.Tree, Granted: grantedWith(granted, a.script),
	}
	tool := factsOf(a.tool.Spec)
	d = a.rules.Policy.Decide(tool, facts)
	if own := a.Overlay.Policy; own != nil {
		d = stricter(d, own.Decide(tool, facts))
	}
	return a.rules.weighScript(d, a.script)
}

// stricter returns the decision that permits less, with what the other one says.
func stricter(a, b policy.Decision) policy.Decision {
	if b.Effect < a.Effect {
		a, b = b, a
	}
	a.Also = append(append(a.Also, b.By), b.Also...)
	return a
}

// errDenied is the failure of a call that the policy denies.
func errDenied(d policy.Decision) error {
	return &tool.Error{
		Code: tool.CodePermissionDenied, Message: "the operator's policy denies the call: " + d.By.Why,
		Recoverable: true, // other arguments may be allowed
		Details:     tool.Details{Fix: d.Fix},
	}
}
