package delegated

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// openCall is a call that has no result yet.
type openCall struct {
	request Request
	form    Form
	result  *jsonschema.Schema // nil if any result is valid
	// complete is called when a call of a Later tool ends.
	complete func(tool.Result, *tool.Error)
	// done receives the outcome of a call of a Wait tool. It buffers one value.
	done chan Completion
	// cancel cancels the context of OnCall, and with it the timer.
	cancel context.CancelFunc
}

func (c *openCall) copy() Request {
	r := c.request
	r.Arguments = slices.Clone(r.Arguments)
	return r
}

// add opens a call and calls OnCall.
func (b *Inbox) add(e *executor, in tool.Invocation) (*openCall, error) {
	ctx, cancel := context.WithTimeout(context.Background(), b.o.Timeout)
	deadline, _ := ctx.Deadline()
	ref := in.Call.Ref()
	ref.Tool = e.name // in.Call.Tool may be an alias
	c := &openCall{
		request: Request{CallRef: ref, Arguments: slices.Clone(in.Arguments), Deadline: deadline},
		form:    e.form, result: e.result, complete: in.Complete, done: make(chan Completion, 1), cancel: cancel,
	}
	if err := b.enter(c); err != nil {
		cancel()
		return nil, err
	}
	context.AfterFunc(ctx, func() {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			b.end(c, Completion{Err: tool.Errorf(tool.CodeTimeout, "no result arrived within %v", b.o.Timeout.Round(time.Millisecond))})
		}
	})
	if b.o.OnCall != nil {
		go b.onCall(ctx, c)
	}
	return c, nil
}

// enter records an open call, if there is room.
func (b *Inbox) enter(c *openCall) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	id := c.request.Key()
	switch {
	case b.closed:
		return &tool.Error{Code: tool.CodeCancelled, Message: "the inbox is closed"}
	case b.open[id] != nil:
		return tool.Errorf(tool.CodeInvalidArgument, "a call with the ID %q is already open; give each call its own ID", id.Call)
	case len(b.open) >= b.o.MaxOpen || b.tenants[id.Tenant] >= b.o.MaxOpenPerTenant:
		return &tool.Error{
			Code: tool.CodeResourceExhausted, Details: tool.Details{Limit: "open calls"},
			Message: "too many calls are waiting for their results; try again when some are completed",
		}
	}
	b.open[id] = c
	b.tenants[id.Tenant]++
	return nil
}

// onCall calls OnCall. A panic in OnCall ends the call.
func (b *Inbox) onCall(ctx context.Context, c *openCall) {
	defer func() {
		if p := recover(); p != nil {
			b.log.Error("panic in OnCall", "call", c.request.ID, "panic", p, "stack", string(debug.Stack()))
			b.end(c, Completion{Err: &tool.Error{Code: tool.CodeInternal, Message: "the call could not be delivered"}})
		}
	}()
	b.o.OnCall(ctx, c.copy())
}

// end closes a call and delivers its outcome. It reports whether the call was still open.
func (b *Inbox) end(c *openCall, outcome Completion) bool {
	id := c.request.Key()
	b.mu.Lock()
	if b.open[id] != c {
		b.mu.Unlock()
		return false
	}
	delete(b.open, id)
	if b.tenants[id.Tenant]--; b.tenants[id.Tenant] == 0 {
		delete(b.tenants, id.Tenant)
	}
	b.over.Use(id.Tenant, id.Call, func(code *tool.Code) {
		*code = ""
		if outcome.Err != nil {
			*code = outcome.Err.Code
		}
	})
	b.mu.Unlock()
	c.cancel()

	outcome.Request = c.request
	if outcome.Err != nil {
		outcome.Err.Tool, outcome.Err.CallID = c.request.Tool, id.Call
	}
	if c.form == Wait {
		c.done <- outcome
		return true
	}
	c.complete(outcome.Result, outcome.Err)
	if b.o.OnDone != nil {
		defer func() {
			if p := recover(); p != nil {
				b.log.Error("panic in OnDone", "call", id.Call, "panic", p, "stack", string(debug.Stack()))
			}
		}()
		b.o.OnDone(outcome)
	}
	return true
}
