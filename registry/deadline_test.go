package registry

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// Arguments that are not checked within the time of the call end it, before the tool runs.
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

// A result that comes at the last moment and is not checked by then is none: however large
// it is, the check does not go on behind the deadline.
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
