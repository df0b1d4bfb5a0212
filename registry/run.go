package registry

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/schedule"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// run runs the tool once, in its turn and within its timeout. ran is false when it did not
// come to that.
func (r *Registry) run(ctx context.Context, x *execution) (result tool.Result, ran bool, err error) {
	leave, waited, err := r.schedule.Enter(ctx, x.need())
	x.entry.Waited(waited)
	if err != nil {
		return tool.Result{}, false, err
	}
	defer leave()
	if err := x.entry.Run(); err != nil {
		return tool.Result{}, false, err
	}
	if err := r.identify(ctx, x); err != nil {
		return tool.Result{}, false, err
	}
	if err := r.schedule.Check(x.call.Tenant); err != nil {
		return tool.Result{}, false, err
	}
	result, err = r.runNow(ctx, x)
	return result, true, err
}

// runNow runs the tool within its timeout.
func (r *Registry) runNow(ctx context.Context, x *execution) (tool.Result, error) {
	n, complete := x.entry.Attempt()
	timeout := x.timeout(r.opts.MaxTimeout)
	allowed := timeout
	if n == 1 {
		allowed -= x.prepared
	}
	running, cancel := context.WithTimeout(ctx, allowed)
	defer cancel()
	began := time.Now()
	result, err := r.attempt(running, x, n, complete)
	if err == nil {
		if err = x.checkResult(running, result); err != nil {
			result = tool.Result{Call: result.Call}
		}
	}
	x.entry.Waited(result.Call.Waited)
	r.schedule.Spend(x.call.Tenant, result.Call, time.Since(began)-result.Call.Waited)
	if stop := callerror.OfStop(ctx); stop != nil {
		return tool.Result{Call: result.Call}, stop
	}
	var e *tool.Error
	if !errors.As(err, &e) || (e.Code != tool.CodeTimeout && e.Code != tool.CodeCancelled) {
		return result, err
	}
	// Who stopped it is known here: the caller, or the tool's own timeout.
	if err := callerror.OfContext(ctx); err != nil {
		return result, err
	}
	if running.Err() != nil {
		return result, (&tool.Error{
			Code: tool.CodeTimeout, Message: fmt.Sprintf("no result within %v; ask for less or raise the timeout", timeout),
			Details: e.Details,
		}).WithCause(err)
	}
	return result, err
}

// need is what an attempt needs to run.
func (x *execution) need() schedule.Need {
	need := schedule.Need{Tenant: x.call.Tenant, Name: x.tool.Spec.Name, Paths: schedule.Changes(x.grant, x.changes())}
	if x.literal {
		need.Name += ", which another tool such as process began,"
	}
	if bounded, ok := x.tool.Executor.(tool.MemoryBounded); ok {
		need.Memory = bounded.MaxMemory()
	}
	return need
}

// changes is the one file that the tool says the call changes; "" if it does not say.
func (x *execution) changes() string {
	if x.tool.Spec.Changes == "" {
		return ""
	}
	name, _ := x.arguments.Text(x.tool.Spec.Changes)
	return name
}

// timeout is the time of one attempt.
func (x *execution) timeout(most time.Duration) time.Duration {
	timeout := x.tool.Spec.Timeout
	if x.call.Timeout > 0 {
		timeout = x.call.Timeout
	}
	if own := x.overlay.MaxTimeout; own > 0 {
		most = min(most, own)
	}
	return min(timeout, most)
}

// attempt runs the executor and turns its panics into errors, so that no tool can
// take the process down.
func (r *Registry) attempt(
	ctx context.Context, x *execution, n int, complete func(tool.Result, *tool.Error),
) (result tool.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.log.Error("panic in an executor", "tool", x.tool.Spec.Name, "call", x.call.ID, "panic", p, "stack", string(debug.Stack()))
			result, err = tool.Result{}, &tool.Error{Code: tool.CodeInternal, Message: "the call failed inside wasmtool; the log has call " + x.call.ID}
		}
	}()
	return x.tool.Executor.Execute(ctx, tool.Invocation{
		Call: x.entry.Call(), Arguments: x.arguments.JSON, Text: x.arguments.Text, Grant: x.grant,
		Start:   func(ctx context.Context, call tool.Call) tool.Started { return r.startFor(ctx, x, call) },
		Secrets: x.overlay.Secrets, Now: x.overlay.Now, Attempt: n, Update: x.entry.Tell, Complete: complete,
		Tools: func() tool.View { return r.tools.View(x.overlay.sees) },
	})
}
