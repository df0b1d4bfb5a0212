// Package compat calls tools through the interfaces of other agent systems.
package compat

import (
	"context"
	"encoding/json"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Observation is the outcome of a call, for agents that understand only text.
type Observation struct {
	// Status is "success" or "error".
	Status string `json:"status"`
	Tool   string `json:"tool"`
	// Output is the text of the result, and Error the message of a failure.
	Output string `json:"output,omitempty"`
	Error  string `json:"error,omitempty"`
}

// Dispatch calls a tool by name with parameters. It returns no error: a failure is described in
// the [Observation].
func Dispatch(ctx context.Context, r *registry.Registry, name string, parameters json.RawMessage) Observation {
	result, err := r.Execute(ctx, tool.Call{Tool: name, Arguments: parameters})
	if err != nil {
		return Observation{Status: "error", Tool: result.Call.Tool, Error: result.Text()}
	}
	return Observation{Status: "success", Tool: result.Call.Tool, Output: result.Text()}
}

// ToolContext is the context of a call of [ExecuteWithContext].
type ToolContext struct {
	CallID, Tenant, SessionID, MessageID, WorkingDirectory string
}

// ExecuteWithContext calls a tool. It takes the parts of a [tool.Call] as separate parameters.
func ExecuteWithContext(ctx context.Context, r *registry.Registry, name string, input json.RawMessage, at ToolContext) (tool.Result, error) {
	return r.Execute(ctx, tool.Call{
		Tool: name, Arguments: input, ID: at.CallID, Tenant: at.Tenant, Session: at.SessionID, Message: at.MessageID,
		WorkingDirectory: at.WorkingDirectory,
	})
}
