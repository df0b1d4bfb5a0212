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

// cleaner is a tool that needs a yes itself and for every path, and then asks for some words.
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

// A call may ask about more than one thing, in every revision.
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

// rounds is a client that puts the questions itself.
type rounds struct {
	t       *testing.T
	session *mcp.ClientSession
	params  mcp.CallToolParams
}

func newRounds(t *testing.T, w *world, name string, arguments any) *rounds {
	t.Helper()
	o := (&person{}).options()
	o.MultiRoundTrip = &mcp.MultiRoundTripOptions{Disabled: true}
	return &rounds{t: t, session: w.connect(t, "2026-07-28", o), params: mcp.CallToolParams{Name: name, Arguments: arguments}}
}

// next calls with an answer to the last question and returns what the next is about.
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

// What a user said to one question is none to another, and is good for the call that it was
// given in.
func TestAnswersOfOneCall(t *testing.T) {
	t.Parallel()
	yes := &mcp.ElicitResult{Action: "accept"}
	t.Run("a no ends it", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, mcpserver.Options{})
		runs := cleaner(t, w)
		r := newRounds(t, w, "clean", map[string]any{"paths": 2})
		r.next(yes)
		r.next(&mcp.ElicitResult{Action: "decline"}) // to deletes 0
		if _, result := r.next(yes); !result.IsError || !strings.Contains(textOf(result), "not approved") || runs.Load() != 0 {
			t.Errorf("got %q, ran %d times", textOf(result), runs.Load())
		}
	})
	t.Run("a state is good once", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, mcpserver.Options{})
		runs := cleaner(t, w)
		r := newRounds(t, w, "clean", map[string]any{"paths": 1})
		r.next(yes)
		r.next(yes)
		again := r.params
		r.next(yes)
		before := runs.Load()
		r.params = again
		if about, _ := r.next(yes); !strings.Contains(about, "tool clean ") || runs.Load() != before {
			t.Errorf("with a state that was used it asks %q, and ran %d times more", about, runs.Load()-before)
		}
	})
	t.Run("another call begins anew", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, mcpserver.Options{})
		runs := cleaner(t, w)
		r := newRounds(t, w, "clean", map[string]any{"paths": 1})
		r.next(yes)
		r.next(yes)
		r.params.Arguments = map[string]any{"paths": 1, "words": "other"}
		if about, _ := r.next(yes); !strings.Contains(about, "tool clean ") || runs.Load() != 0 {
			t.Errorf("another call with the state asks %q, and ran %d times", about, runs.Load())
		}
	})
	t.Run("there are not too many", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, mcpserver.Options{})
		cleaner(t, w)
		r := newRounds(t, w, "clean", map[string]any{"paths": 20})
		for range 9 {
			r.next(yes)
		}
		if about, result := r.next(yes); about != "" || !result.IsError {
			t.Errorf("after nine questions it asks %q", about)
		}
	})
	t.Run("they are not too long", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, mcpserver.Options{})
		cleaner(t, w)
		r := newRounds(t, w, "clean", map[string]any{"paths": 1})
		r.next(&mcp.ElicitResult{Action: "accept", Content: map[string]any{"words": strings.Repeat("x", 20<<10)}})
		if about, result := r.next(yes); about != "" || !result.IsError {
			t.Errorf("after a long answer it asks %q", about)
		}
	})
}
