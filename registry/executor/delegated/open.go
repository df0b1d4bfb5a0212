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

// openCall is a call without its result.
type openCall struct {
	request Request
	form    Form
	result  *jsonschema.Schema // nil when any will do
	// complete is told how a call of the form Later ended.
	complete func(tool.Result, *tool.Error)
	// done gets the outcome of a call that somebody waits for.
	done chan Completion
	// cancel ends the context of OnCall and the timer.
	cancel context.CancelFunc
}

func (c *openCall) copy() Request {
	r := c.request
	r.Arguments = slices.Clone(r.Arguments)
	return r
}

// hand opens a call and tells OnCall of it.
func (d *Inbox) hand(e *executor, in tool.Invocation) (*openCall, error) {
	ctx, cancel := context.WithTimeout(context.Background(), d.o.Timeout)
	deadline, _ := ctx.Deadline()
	ref := in.Call.Ref()
	ref.Tool = e.name // not an alias
	c := &openCall{
		request: Request{CallRef: ref, Arguments: slices.Clone(in.Arguments), Deadline: deadline},
		form:    e.form, result: e.result, complete: in.Complete, done: make(chan Completion, 1), cancel: cancel,
	}
	if err := d.enter(c); err != nil {
		cancel()
		return nil, err
	}
	context.AfterFunc(ctx, func() {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			d.end(c, Completion{Err: tool.Errorf(tool.CodeTimeout, "no result came within %v", d.o.Timeout.Round(time.Millisecond))})
		}
	})
	if d.o.OnCall != nil {
		go d.tell(ctx, c)
	}
	return c, nil
}

// enter notes a call as open, if there is room.
func (d *Inbox) enter(c *openCall) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	id := c.request.Key()
	switch {
	case d.closed:
		return &tool.Error{Code: tool.CodeCancelled, Message: "the desk is closed"}
	case d.open[id] != nil:
		return tool.Errorf(tool.CodeInvalidArgument, "a call with the id %q is open already; give each call its own id", id.Call)
	case len(d.open) >= d.o.MaxOpen || d.tenants[id.Tenant] >= d.o.MaxOpenPerTenant:
		return &tool.Error{
			Code: tool.CodeResourceExhausted, Details: tool.Details{Limit: "open calls"},
			Message: "too many calls wait for their results already; try again when some are completed",
		}
	}
	d.open[id] = c
	d.tenants[id.Tenant]++
	return nil
}

// tell tells OnCall.
func (d *Inbox) tell(ctx context.Context, c *openCall) {
	defer func() {
		if p := recover(); p != nil {
			d.log.Error("panic in OnCall", "call", c.request.ID, "panic", p, "stack", string(debug.Stack()))
			d.end(c, Completion{Err: &tool.Error{Code: tool.CodeInternal, Message: "the call could not be handed out"}})
		}
	}()
	d.o.OnCall(ctx, c.copy())
}

// end closes a call and hands its outcome on. It reports whether the call was open still.
func (d *Inbox) end(c *openCall, outcome Completion) bool {
	id := c.request.Key()
	d.mu.Lock()
	if d.open[id] != c {
		d.mu.Unlock()
		return false
	}
	delete(d.open, id)
	if d.tenants[id.Tenant]--; d.tenants[id.Tenant] == 0 {
		delete(d.tenants, id.Tenant)
	}
	d.over.Use(id.Tenant, id.Call, func(code *tool.Code) {
		*code = ""
		if outcome.Err != nil {
			*code = outcome.Err.Code
		}
	})
	d.mu.Unlock()
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
	if d.o.OnDone != nil {
		defer func() {
			if p := recover(); p != nil {
				d.log.Error("panic in OnDone", "call", id.Call, "panic", p, "stack", string(debug.Stack()))
			}
		}()
		d.o.OnDone(outcome)
	}
	return true
}
