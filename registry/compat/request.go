package compat

import (
	"context"
	"encoding/json"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// Executor makes calls: a registry, or the view of a registry for one tenant.
type Executor interface {
	Execute(ctx context.Context, call tool.Call) (tool.Result, error)
}

// Request is a request for a call, in the form in which user interfaces send it to their host. It
// has no tenant: the program chooses the [Executor] of the tenant that sent the request.
type Request struct {
	// ToolID is the name or an alias of a tool; required.
	ToolID string `json:"toolId"`
	// Arguments is a JSON object; empty and null mean {}.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	MessageID string          `json:"messageId,omitempty"`
	SessionID string          `json:"sessionId,omitempty"`
	// ToolCallID is the ID of the call; if it is empty, the registry generates one.
	ToolCallID string `json:"toolCallId,omitempty"`
}

// Call returns the call that the request asks for. It shares memory with the request.
func (r Request) Call() tool.Call {
	return tool.Call{Tool: r.ToolID, Arguments: r.Arguments, ID: r.ToolCallID, Session: r.SessionID, Message: r.MessageID}
}

// Response is the answer to a [Request].
type Response struct {
	Success bool `json:"success"`
	// Result is the result of a call that succeeded, and Error the message of any other.
	Result *tool.OutputView `json:"result,omitempty"`
	Error  string           `json:"error,omitempty"`
}

// Answer makes the call of a request. It returns no error: a failure is described in the
// [Response].
func Answer(ctx context.Context, e Executor, r Request) Response {
	result, err := e.Execute(ctx, r.Call())
	if err != nil {
		return Response{Error: result.Text()}
	}
	return Response{Success: true, Result: new(result.Output())}
}
