package delegated

import (
	"context"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// executor hands the calls of one tool to a desk.
type executor struct {
	desk   *Inbox
	name   string
	form   Form
	result *jsonschema.Schema
}

// Prepare has nothing to do.
func (e *executor) Prepare(context.Context) error { return nil }

// Close leaves open calls open: the desk is not the tool's.
func (e *executor) Close() error { return nil }

// Execute opens a call, and waits for its result where the form says so.
func (e *executor) Execute(ctx context.Context, in tool.Invocation) (tool.Result, error) {
	c, err := e.desk.hand(e, in)
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
		e.desk.end(c, Completion{Err: tool.Ended(ctx, "the call was withdrawn before a result came")})
		// Whoever ended it has left the outcome there, or is about to.
		return (<-c.done).returned()
	}
}

// returned is the outcome as Execute returns it, where a nil pointer would be an error.
func (c Completion) returned() (tool.Result, error) {
	if c.Err != nil {
		return c.Result, c.Err
	}
	return c.Result, nil
}

// pending is the answer for the time being.
func pending(name string) (tool.Result, error) {
	result, err := tool.JSONResult(struct {
		Status  string `json:"status"`
		Tool    string `json:"tool"`
		Message string `json:"message"`
	}{"pending", name, "the call was delegated to the client, which has not answered yet"})
	result.Pending = true
	return result, err
}
