package compat

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// echo is an executor that returns its arguments.
type echo struct{ seen tool.Call }

func (*echo) Prepare(context.Context) error { return nil }

func (e *echo) Execute(_ context.Context, in tool.Invocation) (tool.Result, error) {
	e.seen = in.Call
	return tool.Result{Content: []tool.Content{tool.TextContent(string(in.Arguments))}}, nil
}

func (*echo) Close() error { return nil }

func withEcho(t *testing.T) (*registry.Registry, *echo) {
	t.Helper()
	r, e := registry.New(registry.Options{}), new(echo)
	const schema = `{"type":"object","required":["text"],"properties":{"text":{"type":"string"},"limit":{"type":"integer","default":20}}}`
	if err := r.Tools().Register(tool.Spec{Name: "echo", Description: "Echoes.", Parameters: json.RawMessage(schema)}, e); err != nil {
		t.Fatal(err)
	}
	return r, e
}

// Dispatch returns status, tool and output in the form of older dispatchers.
func TestDispatch(t *testing.T) {
	r, _ := withEcho(t)
	for arguments, want := range map[string]string{
		`{"text":"x"}`: `{"status":"success","tool":"echo","output":"{\"text\":\"x\",\"limit\":20}"}`,
		`{"text":1.5}`: `{"status":"success","tool":"echo","output":"{\"text\":\"1.5\",\"limit\":20}"}`,
	} {
		text, err := json.Marshal(Dispatch(t.Context(), r, "echo", json.RawMessage(arguments)))
		if err != nil || string(text) != want {
			t.Errorf("got %s, %v", text, err)
		}
	}
	if got := Dispatch(t.Context(), r, "ecko", nil); got.Status != "error" || got.Tool != "ecko" || !strings.Contains(got.Error, "did you mean echo?") {
		t.Errorf("got %+v", got)
	}
}

func TestExecuteWithContext(t *testing.T) {
	at := ToolContext{CallID: "id", Tenant: "t", SessionID: "s", MessageID: "m", WorkingDirectory: "/workspace"}
	r, e := withEcho(t)
	result, err := ExecuteWithContext(t.Context(), r, "echo", json.RawMessage(`{"text":"x"}`), at)
	if err != nil || result.Call.ID != "id" {
		t.Errorf("got %+v, %v", result, err)
	}
	if got := (ToolContext{e.seen.ID, e.seen.Tenant, e.seen.Session, e.seen.Message, e.seen.WorkingDirectory}); got != at {
		t.Errorf("got %+v", got)
	}
}
