package registry

import (
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Approver answers whether a call may run. Implementations are safe for concurrent
// use and return when ctx is done.
type Approver interface {
	// Approve returns true for yes. Any error means no.
	Approve(ctx context.Context, q Question) (bool, error)
}

// ApproverFunc is a function as an Approver.
type ApproverFunc func(ctx context.Context, q Question) (bool, error)

// Approve calls f.
func (f ApproverFunc) Approve(ctx context.Context, q Question) (bool, error) { return f(ctx, q) }

// Question is what an Approver is asked. Everything but Confirm and the arguments'
// values is the host's own knowledge; the tool's author wrote Confirm, and a model
// may have written the arguments, so show both as quoted text.
type Question struct {
	// CallID is the call's ID.
	CallID string
	// Tool is the tool's Spec.
	Tool tool.Spec
	// Grant is what the tool will reach.
	Grant capability.Grant
	// Arguments is the JSON object that the tool will get.
	Arguments json.RawMessage
	// Confirm is the author's own question with the arguments filled in; may be
	// empty.
	Confirm string
}

// approve is the step that asks before a dangerous tool runs. Nobody to ask means
// no, never a hang; nothing in the arguments can approve.
func (r *Registry) approve(ctx context.Context, x *execution) error {
	spec := x.entry.spec
	if !spec.Dangerous {
		return nil
	}
	if r.opts.Approver == nil {
		return &tool.Error{
			Code:    tool.CodeApprovalRequired,
			Message: "the tool is dangerous and there is nobody to ask for a yes",
		}
	}
	asking, cancel := context.WithTimeout(ctx, r.opts.ApprovalTimeout)
	defer cancel()
	yes, err := r.ask(asking, Question{
		CallID: x.call.ID, Tool: spec.Clone(), Grant: x.grant, Arguments: slices.Clone(x.arguments.JSON),
		Confirm: x.confirmText(),
	})
	switch {
	case ctx.Err() != nil:
		return cancelled(ctx)
	case asking.Err() != nil:
		return &tool.Error{Code: tool.CodeApprovalRequired, Message: "nobody answered the question in time"}
	case err != nil:
		return (&tool.Error{Code: tool.CodeApprovalRequired, Message: "the question could not be asked"}).WithCause(err)
	case !yes:
		return &tool.Error{Code: tool.CodePermissionDenied, Message: "the call was not approved"}
	}
	return nil
}

// ask asks, and neither waits beyond ctx nor dies with an Approver that does not keep
// to its contract.
func (r *Registry) ask(ctx context.Context, q Question) (bool, error) {
	type answer struct {
		yes bool
		err error
	}
	answers := make(chan answer, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				r.log.Error("panic in the approver", "call", q.CallID, "panic", p, "stack", string(debug.Stack()))
				answers <- answer{err: errors.New("the approver panicked")}
			}
		}()
		yes, err := r.opts.Approver.Approve(ctx, q)
		answers <- answer{yes, err}
	}()
	select {
	case a := <-answers:
		return a.yes, a.err
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// cancelled returns the error for a context that is done, or nil.
func cancelled(ctx context.Context) error {
	switch err := ctx.Err(); {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return (&tool.Error{Code: tool.CodeTimeout, Message: "the caller's deadline passed"}).WithCause(err)
	default:
		return (&tool.Error{Code: tool.CodeCancelled, Message: "the caller cancelled the call"}).WithCause(err)
	}
}
