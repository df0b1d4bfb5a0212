package pipeline

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/internal/deadline"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/schedule"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// run is the stage that loads and runs the tool. It retries if the call allows retries, the failure
// may be temporary, and the attempt changed nothing or the tool is declared safe to retry.
func (p *Pipeline) run(ctx context.Context, entry *ledger.Entry, a authorised) (tool.Result, error) {
	if err := p.o.Catalogue.Load(ctx, a.tool); err != nil {
		return tool.Result{}, err
	}
	entry.Loaded()
	var total tool.CallInfo
	for {
		result, ran, err := p.attempt(ctx, entry, a, total.Attempts+1)
		changed := result.Call.Usage.Changed()
		total.Fuel += result.Call.Fuel
		total.Memory = max(total.Memory, result.Call.Memory)
		total.Usage = total.Usage.Plus(result.Call.Usage)
		if ran {
			total.Attempts++
		}
		result.Call = total
		if err == nil || changed && !a.safeToRetry() || !ran {
			return result, err
		}
		wait, again := p.retry(ctx, a, total.Attempts, err)
		if !again {
			return result, err
		}
		if err := sleep(ctx, wait); err != nil {
			return result, err
		}
	}
}

// attempt waits for a slot, then runs the tool once within its timeout. ran is false if the tool
// did not begin to run.
func (p *Pipeline) attempt(ctx context.Context, entry *ledger.Entry, a authorised, number int) (result tool.Result, ran bool, err error) {
	leave, err := p.enter(ctx, entry, a)
	if err != nil {
		return tool.Result{}, false, err
	}
	defer leave()
	if err := p.mayBegin(ctx, entry, a); err != nil {
		return tool.Result{}, false, err
	}
	timeout := p.timeout(a.prepared)
	allowed := timeout
	if number == 1 {
		allowed -= a.took
	}
	began := time.Now()
	running := deadline.New(ctx, began.Add(allowed))
	defer running.Cancel()
	result, err = p.call(running, entry, a)
	if err == nil {
		if err = a.checkResult(running, result); err != nil {
			result = tool.Result{Call: result.Call}
		}
	}
	entry.Waited(result.Call.Waited)
	p.o.Schedule.Spend(a.Call.Tenant, result.Call, time.Since(began)-result.Call.Waited)
	if stop := callerror.OfStop(ctx); stop != nil {
		return tool.Result{Call: result.Call}, true, stop
	}
	e, ok := errors.AsType[*tool.Error](err)
	if !ok || (e.Code != tool.CodeTimeout && e.Code != tool.CodeCancelled) {
		return result, true, err
	}
	// The executor cannot know whether the caller or the tool's timeout ended the call.
	if err := callerror.OfContext(ctx); err != nil {
		return result, true, err
	}
	if running.Err() != nil {
		err = (&tool.Error{
			Code: tool.CodeTimeout, Message: fmt.Sprintf("no result within %v; ask for less or raise the timeout", timeout),
			Details: e.Details,
		}).WithCause(err)
	}
	return result, true, err
}

// enter waits until the schedule allows the call to run.
func (p *Pipeline) enter(ctx context.Context, entry *ledger.Entry, a authorised) (leave func(), err error) {
	need := schedule.Need{Tenant: a.Call.Tenant, Name: a.tool.Spec.Name, Paths: schedule.Changes(a.grant, a.changes())}
	if in := a.inside; in != nil {
		need.Inside, need.Held = true, in.held
	}
	if a.Parent != "" {
		need.Name += ", which another tool such as process started,"
	}
	if bounded, ok := a.tool.Executor.(tool.MemoryBounded); ok {
		need.Memory = bounded.MaxMemory()
	}
	leave, waited, err := p.o.Schedule.Enter(ctx, need)
	entry.Waited(waited)
	return leave, err
}

// mayBegin checks what may forbid a call at the last moment: a Drain, the tool's digest and the
// tenant's budget. It first marks the call as running, so that a concurrent Drain or revocation
// either sees the call or is seen by these checks.
func (p *Pipeline) mayBegin(ctx context.Context, entry *ledger.Entry, a authorised) error {
	if err := entry.Run(); err != nil {
		return err
	}
	if err := p.identified(ctx, a.tool, a.rules); err != nil {
		return err
	}
	return p.o.Schedule.Check(a.Call.Tenant)
}

// identified returns an error if the operator pinned a different digest for the tool or for its
// original, or revoked one of them.
func (p *Pipeline) identified(ctx context.Context, t *catalogue.Tool, rules *Rules) error {
	if adapted, ok := t.Executor.(tool.Adapted); ok && t.Spec.Original != "" {
		if err := p.checkDigest(t.Spec.Original, rules, func() (string, error) { return adapted.OriginalDigest(), nil }); err != nil {
			return err
		}
	}
	return p.checkDigest(t.Spec.Name, rules, func() (string, error) { return t.Digest(ctx) })
}

// checkDigest compares the digest of a tool with the digest that the operator pinned for its name,
// and with the revoked digests.
func (p *Pipeline) checkDigest(name string, rules *Rules, digestOf func() (string, error)) error {
	pinned, revoked := rules.Digests[name], p.rules.Load().Revoked
	if pinned == "" && len(revoked) == 0 {
		return nil
	}
	digest, err := digestOf()
	switch {
	case err != nil:
		return err
	case slices.Contains(revoked, digest):
		return &tool.Error{Code: tool.CodeDisabled, Message: "the operator has revoked the tool"}
	case pinned != "" && pinned != digest:
		return &tool.Error{
			Code: tool.CodePermissionDenied, Message: "the tool differs from the version that the operator pinned: its manifest or module changed",
			Details: tool.Details{Fix: "look at the change, then set digest = \"" + digest + "\" in [" + policy.ToolTable(name) + "]"},
		}
	}
	return nil
}

// call runs the executor. It converts a panic to an error, so that a tool cannot end the process.
func (p *Pipeline) call(ctx context.Context, entry *ledger.Entry, a authorised) (result tool.Result, err error) {
	id, name := a.Call.ID, a.tool.Spec.Name
	defer func() {
		if value := recover(); value != nil {
			p.o.Logger.Error("panic in an executor", "tool", name, "call", id, "panic", value, "stack", string(debug.Stack()))
			result, err = tool.Result{}, &tool.Error{Code: tool.CodeInternal, Message: "the call failed inside wasmtool; see the log for call " + id}
		}
	}()
	number, complete := entry.Attempt()
	own, parent, in := entry.Call(), a.Request, insideOf(a) // closures keep the last two
	return a.tool.Executor.Execute(ctx, tool.Invocation{
		Call: own, Update: own.OnUpdate, Complete: complete, Attempt: number, Depth: a.depth,
		Arguments: a.arguments.JSON, Text: a.arguments.Text, Fields: a.arguments.Fields, Grant: a.grant,
		Secrets: a.Options.Secrets, Now: a.Options.Now, Seed: a.Options.Seed, Inside: a.inside != nil,
		Start:     func(ctx context.Context, call tool.Call) tool.Started { return p.startNested(ctx, parent, call) },
		CallTools: p.callerInside(parent, in), FindTools: func(query string, limit int) []tool.Spec { return p.callable(parent.Options, in.grant, query, limit) },
		Tools: func() tool.View { return p.view(parent.Options) },
	})
}

// checkResult checks a result, including the tool's result schema. An invalid result fails the
// call. ctx is the context of the attempt.
func (c prepared) checkResult(ctx context.Context, result tool.Result) error {
	if err := result.Check(); err != nil {
		return err
	}
	if c.tool.Result == nil || result.Pending {
		return nil
	}
	if len(result.Structured) == 0 {
		return &tool.Error{Code: tool.CodeInvalidOutput, Message: "the tool declares a result schema but returned no structured result"}
	}
	err := c.tool.Result.Validate(ctx, result.Structured)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return (&tool.Error{Code: tool.CodeTimeout, Message: "checking the result took too long; ask for less or raise the timeout"}).WithCause(err)
	}
	return tool.Errorf(tool.CodeInvalidOutput, "the result violates the tool's own schema: %s", err).WithCause(err)
}
