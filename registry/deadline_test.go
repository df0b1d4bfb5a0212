package registry

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// If checking the arguments exceeds the timeout, the call fails before the tool runs.
func TestArgumentsAreCheckedWithinTheDeadline(t *testing.T) {
	ran := false
	r := withTool(t, Options{}, echo(), &fake{execute: func(context.Context, tool.Invocation) (tool.Result, error) {
		ran = true
		return tool.Result{}, nil
	}})
	_, err := r.Execute(t.Context(), tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"text":"x"}`), Timeout: 1})
	if wantCode(t, err, tool.CodeTimeout); ran {
		t.Error("the tool ran")
	}
}

// If checking the result exceeds the timeout, the call fails. The check of a large result stops at
// the deadline.
func TestResultsAreCheckedWithinTheDeadline(t *testing.T) {
	spec := echo()
	spec.Result = json.RawMessage(`{"type":"object"}`)
	r := withTool(t, Options{}, spec, &fake{execute: func(ctx context.Context, _ tool.Invocation) (tool.Result, error) {
		<-ctx.Done()
		return tool.Result{Content: []tool.Content{tool.TextContent("{}")}, Structured: json.RawMessage(`{}`)}, nil
	}})
	result, err := r.Execute(t.Context(), tool.Call{
		Tool: "echo", Arguments: json.RawMessage(`{"text":"x"}`), Timeout: 50 * time.Millisecond,
	})
	if wantCode(t, err, tool.CodeTimeout); result.Structured != nil {
		t.Errorf("got %s", result.Structured)
	}
}
