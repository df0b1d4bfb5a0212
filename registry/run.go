package registry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// load is the step that makes the tool ready, within its own budget.
func (e *entry) load(ctx context.Context, budget time.Duration) error {
	loading, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	err := e.executor.Prepare(loading)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return cancelled(ctx)
	case loading.Err() != nil:
		return (&tool.Error{
			Code: tool.CodeTimeout, Tool: e.spec.Name,
			Message: fmt.Sprintf("the tool was not loaded within %v; try again, loading goes on", budget),
		}).WithCause(err)
	}
	return err
}

// run is the step that runs the tool once, within its timeout.
func (r *Registry) run(ctx context.Context, x *execution) (tool.Result, error) {
	timeout := x.entry.spec.Timeout
	if x.call.Timeout > 0 {
		timeout = x.call.Timeout
	}
	timeout = min(timeout, r.opts.MaxTimeout)
	stoppable, end := r.live.begin(ctx, x)
	defer end()
	if err := r.identify(ctx, x); err != nil {
		return tool.Result{}, err
	}
	running, cancel := context.WithTimeout(stoppable, timeout)
	defer cancel()
	result, err := r.attempt(running, x)
	if context.Cause(stoppable) == errRevoked {
		return tool.Result{Call: result.Call}, &tool.Error{Code: tool.CodeDisabled, Message: "the operator revoked the tool while it ran"}
	}
	var e *tool.Error
	if !errors.As(err, &e) || (e.Code != tool.CodeTimeout && e.Code != tool.CodeCancelled) {
		return result, err
	}
	// Who stopped it is known here: the caller, or the tool's own timeout.
	if err := cancelled(ctx); err != nil {
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

// attempt runs the executor and turns its panics into errors, so that no tool can
// take the process down.
func (r *Registry) attempt(ctx context.Context, x *execution) (result tool.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.log.Error("panic in an executor", "tool", x.entry.spec.Name, "call", x.call.ID, "panic", p, "stack", string(debug.Stack()))
			result, err = tool.Result{}, &tool.Error{Code: tool.CodeInternal, Message: "the call failed inside wasmtool; the log has call " + x.call.ID}
		}
	}()
	return x.entry.executor.Execute(ctx, tool.Invocation{
		Call: r.guarded(x.call), Arguments: x.arguments.JSON, Text: x.arguments.Text, Grant: x.grant,
	})
}

// guarded returns a call whose listeners cannot break down in the middle of a guest.
func (r *Registry) guarded(call tool.Call) tool.Call {
	recovered := func() {
		if p := recover(); p != nil {
			r.log.Error("panic in a listener", "call", call.ID, "panic", p, "stack", string(debug.Stack()))
		}
	}
	if onLog := call.OnLog; onLog != nil {
		call.OnLog = func(level slog.Level, text string) {
			defer recovered()
			onLog(level, text)
		}
	}
	if onProgress := call.OnProgress; onProgress != nil {
		call.OnProgress = func(done, total float64, message string) {
			defer recovered()
			onProgress(done, total, message)
		}
	}
	return call
}
