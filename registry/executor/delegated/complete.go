package delegated

import (
	"context"
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// Complete gives an open call its result. One with IsError is a failure that the tool
// reports. A result that is not what it says or does not fit the tool's schema is refused
// with invalid_output, and the call stays open.
//
// For a call that is not open the error has the code not_found when the desk knows nothing
// of it, invalid_argument when it has its result already, and timeout or cancelled when it
// ended without one. A call that is not open is never touched.
func (d *Inbox) Complete(id ID, result tool.Result) error {
	d.mu.Lock()
	c := d.open[id]
	d.mu.Unlock()
	if c == nil {
		return d.explain(id)
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
	if !d.end(c, outcome) { // somebody else did
		return d.explain(id)
	}
	return nil
}

// Fail ends an open call with a failure: the message is what a model reads. Errors are
// those of Complete.
func (d *Inbox) Fail(id ID, message string) error {
	message = strings.ToValidUTF8(message, "\uFFFD")
	return d.Complete(id, tool.Result{Content: []tool.Content{tool.TextContent(message)}, IsError: true})
}

func (c *openCall) fits(result tool.Result) error {
	if c.result == nil {
		return nil
	}
	if len(result.Structured) == 0 {
		return &tool.Error{Code: tool.CodeInvalidOutput, Tool: c.request.Tool, Message: "the tool declares a result schema, and the result has nothing structured"}
	}
	if err := c.result.Validate(context.Background(), result.Structured); err != nil {
		return (&tool.Error{Code: tool.CodeInvalidOutput, Tool: c.request.Tool, Message: "the result does not fit the tool's schema: " + err.Error()}).WithCause(err)
	}
	return nil
}

// explain says why a call is not open.
func (d *Inbox) explain(id ID) error {
	code, known := tool.Code(""), false
	d.over.Look(id.Tenant, id.Call, func(c *tool.Code) { code, known = *c, true })
	e := &tool.Error{CallID: id.Call}
	switch {
	case !known:
		e.Code, e.Message = tool.CodeNotFound, fmt.Sprintf("no call with the id %q is open", id.Call)
	case code == "" || code == tool.CodeExecution:
		e.Code, e.Message = tool.CodeInvalidArgument, fmt.Sprintf("the call %q has its result already", id.Call)
	default:
		e.Code, e.Message = code, fmt.Sprintf("the call %q is over: it ended with %s before a result came", id.Call, code)
	}
	return e
}
