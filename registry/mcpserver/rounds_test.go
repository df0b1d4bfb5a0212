package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/registry/executor/question"
	"github.com/wasmtool/wasmtool/registry/mcpserver"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// cleaner adds a tool that needs approval for its call and for each path, and then asks a question.
func cleaner(t *testing.T, w *world) (runs *atomic.Int32) {
	t.Helper()
	spec, executor, err := question.Define(w.approver)
	if err == nil {
		err = w.tools.Tools().Register(spec, executor)
	}
	if err != nil {
		t.Fatal(err)
	}
	runs = new(atomic.Int32)
	w.add(t, askingTool(), func(_ context.Context, in tool.Invocation) (tool.Result, error) {
		runs.Add(1)
		return tool.Result{Content: []tool.Content{tool.TextContent("gone: " + string(in.Arguments))}}, nil
	})
	w.add(t, tool.Spec{
		Name: "clean", Dangerous: true,
		Parameters: json.RawMessage(`{"type":"object","properties":{"paths":{"type":"integer"},"words":{"type":"string"}}}`),
	}, func(ctx context.Context, in tool.Invocation) (tool.Result, error) {
		var a struct{ Paths int }
		if err := json.Unmarshal(in.Arguments, &a); err != nil {
			return tool.Result{}, err
		}
		for n := range a.Paths {
			if _, err := in.Start(ctx, tool.Call{Tool: "deletes", Arguments: fmt.Appendf(nil, `{"path":"%d"}`, n)}).Result(ctx); err != nil {
				return tool.Result{}, err
			}
		}
		reply, err := w.approver.Inquire(ctx, tool.Inquiry{CallRef: in.Call.Ref(), Text: "Any words?"})
		return tool.Result{Content: []tool.Content{tool.TextContent("cleaned " + reply.Text)}}, err
	})
	return runs
}

// One call may ask several questions, in every revision.
func TestSeveralQuestionsInOneCall(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions {
		for _, paths := range []int{1, 2, 6} {
			t.Run(fmt.Sprint(revision, " ", paths), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, mcpserver.Options{})
				cleaner(t, w)
				var asked []string
				session := w.connect(t, revision, &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					asked = append(asked, r.Params.Message)
					return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"words": "thoroughly"}}, nil
				}})
				if got := callText(t, session, "clean", map[string]any{"paths": paths}); got != "cleaned thoroughly" {
					t.Errorf("got %q", got)
				}
				if len(asked) != paths+2 {
					t.Errorf("asked %d times: %q", len(asked), asked)
				}
			})
		}
	}
}

// manual returns the options of a client that sends the answers itself.
func manual(progress func(context.Context, *mcp.ProgressNotificationClientRequest)) *mcp.ClientOptions {
	o := (&person{}).options()
	o.MultiRoundTrip = &mcp.MultiRoundTripOptions{Disabled: true}
	o.ProgressNotificationHandler = progress
	return o
}

// rounds is a client that sends the answers itself.
type rounds struct {
	t       *testing.T
	session *mcp.ClientSession
	params  mcp.CallToolParams
}

func newRounds(t *testing.T, w *world, name string, arguments any) *rounds {
	t.Helper()
	return &rounds{t: t, session: w.connect(t, "2026-07-28", manual(nil)), params: mcp.CallToolParams{Name: name, Arguments: arguments}}
}

// next calls the tool with an answer to the last question, and returns the next question.
func (r *rounds) next(answer *mcp.ElicitResult) (question string, result *mcp.CallToolResult) {
	r.t.Helper()
	result, err := r.session.CallTool(r.t.Context(), &r.params)
	if err != nil {
		r.t.Fatal(err)
	}
	r.params.RequestState, r.params.InputResponses = result.RequestState, mcp.InputResponseMap{}
	for name, request := range result.InputRequests {
		question = request.(*mcp.ElicitParams).Message
		r.params.InputResponses[name] = answer
	}
	return question, result
}

// An answer is valid only for its own question, and only within its call.
func TestAnswersOfOneCall(t *testing.T) {
	t.Parallel()
	t.Run("a denial ends the call", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, mcpserver.Options{})
		runs := cleaner(t, w)
		r := newRounds(t, w, "clean", map[string]any{"paths": 2})
		r.next(accept)
		r.next(decline) // denies deleting path 0
		if _, result := r.next(accept); !result.IsError || !strings.Contains(textOf(result), "not approved") || runs.Load() != 0 {
			t.Errorf("got %q, ran %d times", textOf(result), runs.Load())
		}
	})
	t.Run("a state is valid once", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, mcpserver.Options{})
		runs := cleaner(t, w)
		r := newRounds(t, w, "clean", map[string]any{"paths": 1})
		r.next(accept)
		r.next(accept)
		again := r.params
		r.next(accept)
		before := runs.Load()
		r.params = again
		if about, _ := r.next(accept); !strings.Contains(about, "tool clean ") || runs.Load() != before {
			t.Errorf("a used state leads to the question %q and %d more runs", about, runs.Load()-before)
		}
	})
	t.Run("another call needs its own answers", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, mcpserver.Options{})
		runs := cleaner(t, w)
		r := newRounds(t, w, "clean", map[string]any{"paths": 1})
		r.next(accept)
		r.next(accept)
		r.params.Arguments = map[string]any{"paths": 1, "words": "other"}
		if about, _ := r.next(accept); !strings.Contains(about, "tool clean ") || runs.Load() != 0 {
			t.Errorf("another call with the state leads to the question %q and %d runs", about, runs.Load())
		}
	})
	t.Run("there may be many", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, mcpserver.Options{})
		runs := cleaner(t, w)
		r := newRounds(t, w, "clean", map[string]any{"paths": 100})
		for range 102 {
			if about, result := r.next(accept); about == "" {
				t.Fatalf("no question was asked: %q", textOf(result))
			}
		}
		if _, result := r.next(nil); textOf(result) != "cleaned " || runs.Load() != 100 {
			t.Errorf("got %q, ran %d times", textOf(result), runs.Load())
		}
	})
}
