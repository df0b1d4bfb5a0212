package delegated

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
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

// Complete sets the result of an open call. A result with IsError is a failure that the tool
// reports. A result that is malformed or does not fit the tool's schema is refused with
// invalid_output, and the call stays open.
//
// For a call that is not open, Complete changes nothing. The code of the error is then not_found if
// the Inbox does not know the call, and invalid_argument if the call already has its result. It is
// timeout or cancelled if the call ended without a result.
func (b *Inbox) Complete(id ID, result tool.Result) error {
	b.mu.Lock()
	c := b.open[id]
	b.mu.Unlock()
	if c == nil {
		return b.explain(id)
	}
	if err := result.Check(); err != nil {
		return err
	}
	outcome := Completion{Result: result}
	if result.IsError {
		outcome.Err = &tool.Error{Code: tool.CodeExecution, Message: "the tool says: " + result.Text(), Recoverable: true}
	} else if err := c.fits(result); err != nil {
		return err
	}
	if !b.end(c, outcome) { // the call ended meanwhile
		return b.explain(id)
	}
	return nil
}

// Fail ends an open call with a failure; message is shown to the model. Errors are the same as for
// [Inbox.Complete].
func (b *Inbox) Fail(id ID, message string) error {
	message = strings.ToValidUTF8(message, "\uFFFD")
	return b.Complete(id, tool.Result{Content: []tool.Content{tool.TextContent(message)}, IsError: true})
}

func (c *openCall) fits(result tool.Result) error {
	if c.result == nil {
		return nil
	}
	if len(result.Structured) == 0 {
		return &tool.Error{Code: tool.CodeInvalidOutput, Tool: c.request.Tool, Message: "the tool declares a result schema, but the result has no structured content"}
	}
	if err := c.result.Validate(context.Background(), result.Structured); err != nil {
		return (&tool.Error{Code: tool.CodeInvalidOutput, Tool: c.request.Tool, Message: "the result does not fit the tool's schema: " + err.Error()}).WithCause(err)
	}
	return nil
}

// explain returns the error that says why a call is not open.
func (b *Inbox) explain(id ID) error {
	code, known := tool.Code(""), false
	b.over.Look(id.Tenant, id.Call, func(c *tool.Code) { code, known = *c, true })
	e := &tool.Error{CallID: id.Call}
	switch {
	case !known:
		e.Code, e.Message = tool.CodeNotFound, fmt.Sprintf("no call with the ID %q is open", id.Call)
	case code == "" || code == tool.CodeExecution:
		e.Code, e.Message = tool.CodeInvalidArgument, fmt.Sprintf("the call %q already has its result", id.Call)
	default:
		e.Code, e.Message = code, fmt.Sprintf("the call %q ended with %s before its result arrived", id.Call, code)
	}
	return e
}

// executor puts the calls of one tool into an Inbox.
type executor struct {
	inbox  *Inbox
	name   string
	form   Form
	result *jsonschema.Schema
}

// Prepare does nothing: there is nothing to load.
func (e *executor) Prepare(context.Context) error { return nil }

// Close does nothing: open calls stay in the Inbox.
func (e *executor) Close() error { return nil }

// Execute opens a call. In the form Wait it also waits for the result.
func (e *executor) Execute(ctx context.Context, in tool.Invocation) (tool.Result, error) {
	c, err := e.inbox.add(e, in)
	if err != nil {
		return tool.Result{}, err
	}
	if e.form == Later {
		return pending(e.name)
	}
	select {
	case outcome := <-c.done:
		return outcome.returned()
	case <-ctx.Done():
		e.inbox.end(c, Completion{Err: tool.Ended(ctx, "the call was withdrawn before its result arrived")})
		// The call has ended, here or in another goroutine, so its outcome is sent to c.done.
		return (<-c.done).returned()
	}
}

// returned converts the outcome to the results of Execute. It returns a nil error for a nil
// *tool.Error, which would not be nil as an error.
func (c Completion) returned() (tool.Result, error) {
	if c.Err != nil {
		return c.Result, c.Err
	}
	return c.Result, nil
}

// pending returns the immediate result of a Later tool, which says that the real result will
// follow.
func pending(name string) (tool.Result, error) {
	result, err := tool.JSONResult(struct {
		Status  string `json:"status"`
		Tool    string `json:"tool"`
		Message string `json:"message"`
	}{"pending", name, "the call was delegated to the client, which has not answered yet"})
	result.Pending = true
	return result, err
}
