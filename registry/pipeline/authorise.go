package pipeline

import (
	"context"
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// authorised is a call that may run, with the access that it gets.
type authorised struct {
	prepared
	grant       capability.Grant
	permissions []capability.Permission // of the grant, without the call's scratch directory
	// outside are paths outside all mounts of the call, which only an approver can add to the
	// grant. permissions has the permissions for them.
	outside []capability.FS
}

// authorise is the stage that checks everything that may forbid the call: its script, the grants
// of the operator, the policy, repetition, and the approver if one of these requires an approval.
// A tool that requests more than it gets does not run, because it would fail half-way, where the
// reason is harder to see.
func (p *Pipeline) authorise(ctx context.Context, entry *ledger.Entry, c prepared) (authorised, error) {
	if c.script != nil && c.script.Effect == policy.Deny {
		decision, _ := c.rules.addScript(policy.Decision{Effect: policy.Allow}, c.script)
		decision.Also = nil
		entry.Decided(decision)
		return authorised{}, errDenied(decision)
	}
	access, err := p.access(ctx, c.accessRequest(c.requested))
	if err != nil {
		return authorised{}, err
	}
	if len(access.Missing) > 0 {
		entry.Granted(nil, access.digest)
		return authorised{}, c.errNotGranted(access, p.readingWouldRun(ctx, c))
	}
	a := authorised{prepared: c, grant: access.Grant, permissions: access.Permissions}
	if a.outside = p.outsidePaths(a, access.Grantable.Deny); len(a.outside) > 0 {
		a.permissions = slices.Concat(a.permissions, permissionsOf(a.outside...))
	}
	entry.Granted(access.Permissions, access.digest)
	decision, patterns, byTenant := a.decide(access.Granted)
	if len(a.outside) > 0 {
		decision, patterns = policy.Stricter(outsideDecision(a.outside), decision), nil
	}
	decision, repetition := entry.Decided(decision)
	switch {
	case decision.Effect == policy.Allow:
		return a, nil
	case decision.Effect == policy.Ask:
		return p.approve(ctx, entry, a, reason{decision, patterns, repetition, a.askReason(decision, byTenant)})
	case repetition == ledger.RepeatedTooOften:
		return authorised{}, &tool.Error{
			Code: tool.CodePermissionDenied, Recoverable: true, Message: "not run again: " + decision.By.Why + repetition.Advice(),
		}
	}
	return authorised{}, errDenied(decision)
}

// readingWouldRun reports whether the call would have all permissions that it needs if its script
// only read.
func (p *Pipeline) readingWouldRun(ctx context.Context, c prepared) bool {
	if c.script == nil || c.script.ReadOnly || !c.tool.Spec.Sandboxed {
		return false
	}
	access, err := p.access(ctx, c.accessRequest(c.tool.Spec.Permissions.Reading()))
	return err == nil && len(access.Missing) == 0
}

// decide asks the policies whether the call may run, and takes its script into account. If patterns
// is not empty, an approval of all patterns counts as an approval of the call and may be
// remembered. byTenant reports whether the policy of the tenant options asks.
func (a authorised) decide(granted policy.Granted) (d policy.Decision, patterns []string, byTenant bool) {
	facts := policy.CallFacts{
		Capabilities: a.permissions, WorkingDirectory: a.Call.WorkingDirectory, Arguments: a.arguments.JSON, Decoded: a.arguments.Tree, Granted: grantedWith(granted, a.script),
	}
	tool := factsOfCalled(a.tool)
	d = a.rules.Policy.Decide(tool, facts)
	if a.Options.Policy != nil {
		own := a.Options.Policy.Decide(tool, facts)
		d, byTenant = policy.Stricter(d, own), own.Effect == policy.Ask
	}
	d, patterns = a.rules.addScript(d, a.script)
	return d, patterns, byTenant
}

// errDenied returns the error of a call that the policy denies.
func errDenied(d policy.Decision) error {
	return &tool.Error{
		Code: tool.CodePermissionDenied, Message: "the operator's policy denies the call: " + d.By.Why,
		Recoverable: true, // other arguments may be allowed
		Details:     tool.Details{Fix: d.Fix},
	}
}
