package delegated

import (
	"context"
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/registry/tool"
)

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
