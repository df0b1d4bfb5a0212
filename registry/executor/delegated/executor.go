package delegated

import (
	"context"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/registry/tool"
)

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
