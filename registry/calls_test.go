package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/ledger/state"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// say returns a call of echo.
func say(text string) tool.Call {
	arguments, _ := json.Marshal(map[string]string{"text": text})
	return tool.Call{Tool: "echo", Arguments: arguments}
}

// does returns a fake that runs f and returns an empty result.
func does(f func(ctx context.Context, in tool.Invocation)) *fake {
	return &fake{execute: func(ctx context.Context, in tool.Invocation) (tool.Result, error) {
		f(ctx, in)
		return tool.Result{}, nil
	}}
}

// The ID of a live call cannot be reused within its tenant. Generated IDs are unique.
func TestCallIDsAreUnique(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		seen := make(map[string]bool)
		r := withTool(t, Options{}, echo(), does(func(_ context.Context, in tool.Invocation) {
			if seen[in.Call.ID+in.Call.IdempotencyKey] || in.Call.ID == "" || in.Call.IdempotencyKey == "" {
				t.Errorf("the id %q and the key %q", in.Call.ID, in.Call.IdempotencyKey)
			}
			seen[in.Call.ID], seen[in.Call.IdempotencyKey] = true, true
			if in.Call.ID == "mine" && in.Call.Tenant == "a" {
				<-release
			}
		}))
		mine := say("x")
		mine.ID, mine.Tenant = "mine", "a"
		first := r.Start(t.Context(), mine)
		synctest.Wait()
		result, err := r.Execute(t.Context(), mine)
		if e := wantCode(t, err, tool.CodeInvalidArgument); !strings.Contains(e.Message, `"mine"`) || !result.IsError || !errors.Is(err, state.ErrLive) {
			t.Errorf("got %q, %+v", e.Message, result)
		}
		if c, _ := r.Calls().State("a", "mine"); c.Status != state.Running {
			t.Errorf("the call that had the id is %s", c.Status)
		}
		if _, err := r.Start(t.Context(), mine).Result(t.Context()); !errors.Is(err, state.ErrLive) {
			t.Errorf("from Start: %v", err)
		}
		other := mine
		other.Tenant = "b"
		if _, err := r.Execute(t.Context(), other); err != nil {
			t.Errorf("the id of another tenant: %v", err)
		}
		close(release)
		if _, err := first.Result(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := r.Execute(t.Context(), mine); err != nil {
			t.Errorf("after its end: %v", err)
		}
		for range 3 {
			if _, err := r.Execute(t.Context(), say("x")); err != nil {
				t.Error(err)
			}
		}
	})
}

// The labels of a call are kept after the call, so they must be short.
func TestLabelsOfCallsAreBounded(t *testing.T) {
	r := withTool(t, Options{}, echo(), does(func(context.Context, tool.Invocation) { t.Error("it ran") }))
	long := strings.Repeat("x", 513)
	for name, set := range map[string]func(*tool.Call, string){
		"id":                func(c *tool.Call, s string) { c.ID = s },
		"tenant":            func(c *tool.Call, s string) { c.Tenant = s },
		"session":           func(c *tool.Call, s string) { c.Session = s },
		"message":           func(c *tool.Call, s string) { c.Message = s },
		"idempotency key":   func(c *tool.Call, s string) { c.IdempotencyKey = s },
		"working directory": func(c *tool.Call, s string) { c.WorkingDirectory = s },
	} {
		for _, value := range []string{long, "\xff"} {
			call := say("x")
			set(&call, value)
			_, err := r.Execute(t.Context(), call)
			if e := wantCode(t, err, tool.CodeInvalidArgument); !strings.Contains(e.Message, name) {
				t.Errorf("got %q", e.Message)
			}
		}
	}
	if got := r.Calls().States(""); len(got) > 0 {
		t.Errorf("kept %+v", got)
	}
}

// A call passes through its statuses in order, and its outcome is kept.
func TestCallPassesThroughItsStatuses(t *testing.T) {
	spec := echo()
	spec.Dangerous = true
	tests := []struct {
		name  string
		call  tool.Call
		yes   bool
		fails bool
		want  []ledger.EventKind
		code  tool.Code
	}{
		{"approved", say("x"), true, false, []ledger.EventKind{ledger.EventStarted, ledger.EventAwaiting, ledger.EventUpdated, ledger.EventCompleted}, ""},
		{"a no", say("x"), false, false, []ledger.EventKind{ledger.EventStarted, ledger.EventAwaiting, ledger.EventFailed}, tool.CodePermissionDenied},
		{"a failure", say("x"), true, true, []ledger.EventKind{ledger.EventStarted, ledger.EventAwaiting, ledger.EventUpdated, ledger.EventFailed}, tool.CodeExecution},
		{"no such tool", tool.Call{Tool: "nothing"}, true, false, []ledger.EventKind{ledger.EventStarted, ledger.EventFailed}, tool.CodeNotFound},
		{"bad arguments", tool.Call{Tool: "echo"}, true, false, []ledger.EventKind{ledger.EventStarted, ledger.EventFailed}, tool.CodeInvalidArgument},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var r *Registry
			status := func() state.Status { c, _ := r.Calls().State("", "it"); return c.Status }
			f := &fake{execute: func(_ context.Context, in tool.Invocation) (tool.Result, error) {
				if status() != state.Running {
					t.Errorf("it runs and its status is %s", status())
				}
				in.Update(tool.Update{Title: "half way"})
				if tt.fails {
					return tool.Result{}, &tool.Error{Code: tool.CodeExecution, Message: "no luck"}
				}
				return tool.Result{Structured: json.RawMessage(`{"n":1}`)}, nil
			}}
			r = withTool(t, Options{Approvals: ApprovalOptions{Approver: ApproverFunc(func(context.Context, Question) (Answer, error) {
				if status() != state.AwaitingConfirmation {
					t.Errorf("the approver is asked and the status is %s", status())
				}
				return Answer{Yes: tt.yes}, nil
			})}}, spec, f)
			s := r.Calls().Subscribe(ledger.EventFilter{})
			tt.call.ID = "it"
			_, err := r.Execute(t.Context(), tt.call)
			if tool.CodeOf(err) != tt.code {
				t.Fatalf("got %v", err)
			}
			s.Close()
			var got []ledger.EventKind
			for e := range s.Events() {
				got = append(got, e.Kind)
				if e.ID != "it" || e.Kind == ledger.EventFailed && e.Code != tt.code || e.Kind == ledger.EventAwaiting && e.Why == "" {
					t.Errorf("got %+v", e)
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			c, _ := r.Calls().State("", "it")
			switch {
			case err == nil && (c.Status != state.Completed || c.Title != "half way" || string(c.Result.Structured) != `{"n":1}`):
				t.Errorf("kept %+v", c)
			case err != nil && (c.Status != state.Error || c.Err.Code != tt.code || !c.Result.IsError):
				t.Errorf("kept %+v", c)
			}
		})
	}
}

// The caller's OnProgress and OnUpdate both receive progress, whichever of the two an executor
// reports it with.
func TestProgressReachesBothListeners(t *testing.T) {
	for name, report := range map[string]func(in tool.Invocation){
		"OnProgress": func(in tool.Invocation) { in.Call.OnProgress(1, 2, "half") },
		"OnUpdate": func(in tool.Invocation) {
			in.Call.OnUpdate(tool.Update{Progress: &tool.Progress{Done: 1, Total: 2, Message: "half"}})
		},
		"Update": func(in tool.Invocation) {
			in.Update(tool.Update{Progress: &tool.Progress{Done: 1, Total: 2, Message: "half"}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := withTool(t, Options{}, echo(), does(func(_ context.Context, in tool.Invocation) { report(in) }))
			var received []string
			call := say("x")
			call.OnProgress = func(done, total float64, message string) {
				received = append(received, fmt.Sprint("progress ", done, total, message))
				panic("a listener")
			}
			call.OnUpdate = func(u tool.Update) { received = append(received, fmt.Sprint("update ", *u.Progress)) }
			if _, err := r.Execute(t.Context(), call); err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprintf("%q", received); got != `["progress 1 2half" "update {1 2 half}"]` {
				t.Errorf("got %s", got)
			}
		})
	}
}

// The updates of a tool reach the caller, the subscribers and the call's record in order. None
// arrives after the call has ended.
func TestUpdatesArriveInOrder(t *testing.T) {
	var late func(tool.Update)
	var received []string
	r := withTool(t, Options{}, echo(), does(func(_ context.Context, in tool.Invocation) {
		in.Update(tool.Update{Title: "one", Metadata: map[string]json.RawMessage{"n": json.RawMessage("1")}})
		in.Call.OnProgress(1, 2, "half")
		in.Update(tool.Update{Metadata: map[string]json.RawMessage{"bad": json.RawMessage("{")}})
		in.Update(tool.Update{Content: []tool.Content{tool.ImageContent([]byte("x"), "image/png")}})
		in.Update(tool.Update{Title: "two", Content: []tool.Content{tool.TextContent("a.txt")}})
		late = in.Update
	}))
	s := r.Calls().Subscribe(ledger.EventFilter{})
	call := say("x")
	call.ID = "it"
	call.OnUpdate = func(u tool.Update) {
		c, _ := r.Calls().State("", "it")
		received = append(received, c.Title+tool.Result{Content: c.Content}.Text())
		if u.Title == "two" {
			panic("a listener")
		}
	}
	if _, err := r.Execute(t.Context(), call); err != nil {
		t.Fatal(err)
	}
	late(tool.Update{Title: "late", Content: []tool.Content{tool.TextContent("late")}})
	s.Close()
	var published []string
	for e := range s.Events() {
		if e.Kind == ledger.EventUpdated {
			published = append(published, e.Update.Title+tool.Result{Content: e.Update.Content}.Text())
		} else {
			published = append(published, string(e.Kind))
		}
	}
	if got := fmt.Sprintf("%q %q", received, published); got != `["one" "one" "twoa.txt"] ["started" "one" "" "twoa.txt" "completed"]` {
		t.Errorf("got %s", got)
	}
	if c, _ := r.Calls().State("", "it"); c.Title != "two" || c.Progress.Total != 2 || string(c.Metadata["n"]) != "1" || len(c.Metadata) != 1 || c.Content != nil {
		t.Errorf("kept %+v", c)
	}
	wantCode(t, r.Calls().UpdateState("", "it", tool.Update{Title: "x"}), tool.CodeInvalidArgument)
	wantCode(t, r.Calls().UpdateState("other", "it", tool.Update{Title: "x"}), tool.CodeNotFound)
	r.Calls().ClearStates("")
	if got := r.Calls().States(""); len(got) > 0 {
		t.Errorf("after clearing: %+v", got)
	}
}

// The executor receives the caller's call, with a generated ID and a generated idempotency key.
func TestInvocationHasTheCall(t *testing.T) {
	want := say("x")
	want.ID, want.Tenant, want.Session, want.Message = "id", "tenant", "session", "message"
	want.IdempotencyKey, want.WorkingDirectory = "key", "/workspace/src"
	r := withTool(t, Options{}, echo(), does(func(_ context.Context, in tool.Invocation) {
		got := in.Call
		if got.ID != want.ID || got.Tenant != want.Tenant || got.Session != want.Session || got.Message != want.Message ||
			got.IdempotencyKey != want.IdempotencyKey || got.WorkingDirectory != want.WorkingDirectory || in.Attempt != 1 {
			t.Errorf("got %+v", in)
		}
	}))
	if _, err := r.Execute(t.Context(), want); err != nil {
		t.Error(err)
	}
}
