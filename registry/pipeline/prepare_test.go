package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/schedule"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// open returns a pipeline with a tool named echo. A call of the tool executes the function run.
func open(t *testing.T, run func(tool.Invocation) (tool.Result, error)) *Pipeline {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	tools := catalogue.New(catalogue.Options{}, catalogue.Hooks{Logger: log})
	t.Cleanup(func() { _ = tools.Close() })
	spec := tool.Spec{
		Name: "echo", Version: "1.0.0", Description: "Echoes.", Source: "test",
		Parameters: json.RawMessage(`{"type":"object","required":["text"],"properties":{"text":{"type":"string"}}}`),
	}
	if err := tools.Register(spec, &echo{run: run}); err != nil {
		t.Fatal(err)
	}
	p := New(Options{
		Catalogue: tools, Ledger: ledger.New(ledger.Options{}, log), Schedule: schedule.New(schedule.Options{}),
		LoadTimeout: time.Minute, MaxTimeout: time.Hour, Logger: log,
	})
	t.Cleanup(p.Close)
	p.SetRules(Rules{})
	return p
}

// echo is an executor that calls a function.
type echo struct {
	run func(tool.Invocation) (tool.Result, error)
}

func (e *echo) Prepare(context.Context) error { return nil }

func (e *echo) Execute(_ context.Context, in tool.Invocation) (tool.Result, error) { return e.run(in) }

func (e *echo) Close() error { return nil }

// Arguments are not checked if the caller has cancelled the call.
func TestArgumentsAreNotCheckedOnceCancelled(t *testing.T) {
	p := open(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c, err := p.find(&Request{Call: tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"text":"x"}`)}})
	if err != nil {
		t.Fatal(err)
	}
	var e *tool.Error
	if _, err := p.prepare(ctx, c); !errors.As(err, &e) || e.Code != tool.CodeCancelled {
		t.Errorf("got %v", err)
	}
}
