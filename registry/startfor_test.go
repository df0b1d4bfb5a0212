package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// A nested call has the tenant and session of the outer call, even if the tool sets others. It
// continues when the outer call has ended, and closing the Registry cancels it.
func TestNestedCallBelongsToTheCaller(t *testing.T) {
	tools := registry.New(registry.Options{})
	t.Cleanup(func() { _ = tools.Close() })
	running := make(chan tool.Call, 1)
	var begun tool.Started
	register(t, tools, "slow", func(ctx context.Context, in tool.Invocation) (tool.Result, error) {
		running <- in.Call
		<-ctx.Done()
		return tool.Result{}, ctx.Err()
	})
	register(t, tools, "starter", func(_ context.Context, in tool.Invocation) (tool.Result, error) {
		begun = in.Start(context.Background(), tool.Call{Tool: "slow", Tenant: "other", Session: "other", Message: "other"})
		return tool.TextResult("begun", nil)
	})
	if _, err := tools.Execute(t.Context(), tool.Call{Tool: "starter", Tenant: "t", Session: "s", Message: "m"}); err != nil {
		t.Fatal(err)
	}
	if call := <-running; call.Tenant != "t" || call.Session != "s" || call.Message != "m" || call.ID != begun.ID() {
		t.Errorf("got %+v", call)
	}
	<-begun.Decided()
	if err := tools.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := begun.Result(t.Context())
	var e *tool.Error
	if !errors.As(err, &e) || e.Code != tool.CodeCancelled {
		t.Errorf("got %v", err)
	}
}

// The value of a reference is not treated as a reference in a nested call.
func TestReferencesAreResolvedOnce(t *testing.T) {
	values := map[string]string{"A": "${B}", "B": "must not be resolved"}
	tools := registry.New(registry.Options{Variables: func(_ context.Context, _ tool.Call, name string) (string, bool) {
		value, known := values[name]
		return value, known
	}})
	t.Cleanup(func() { _ = tools.Close() })
	parameters := json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`)
	add := func(name string, run func(context.Context, tool.Invocation) (tool.Result, error)) {
		spec, executor, err := native.Raw(native.Options{Spec: tool.Spec{Name: name, Description: "For a test.", Parameters: parameters}}, run)
		if err == nil {
			err = tools.Tools().Register(spec, executor)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	add("echo", func(_ context.Context, in tool.Invocation) (tool.Result, error) {
		text, _ := in.Text("text")
		return tool.TextResult(text, nil)
	})
	add("starter", func(ctx context.Context, in tool.Invocation) (tool.Result, error) {
		return in.Start(ctx, tool.Call{Tool: "echo", Arguments: in.Arguments}).Result(ctx)
	})
	result, err := tools.Execute(t.Context(), tool.Call{Tool: "starter", Arguments: json.RawMessage(`{"text":"${A}"}`)})
	if err != nil || result.Text() != "${B}" {
		t.Errorf("got %q, %v", result.Text(), err)
	}
}

func register(t *testing.T, tools *registry.Registry, name string, run func(context.Context, tool.Invocation) (tool.Result, error)) {
	t.Helper()
	spec, executor, err := native.Raw(native.Options{Spec: tool.Spec{Name: name, Description: "For a test."}}, run)
	if err == nil {
		err = tools.Tools().Register(spec, executor)
	}
	if err != nil {
		t.Fatal(err)
	}
}
