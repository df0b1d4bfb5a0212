package registry

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/ledger/state"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func textResult(text string) tool.Result {
	return tool.Result{Content: []tool.Content{tool.TextContent(text)}}
}

// withLater returns a Registry with a tool whose results are pending when Execute returns.
func withLater(t *testing.T, during func(in tool.Invocation)) *Registry {
	t.Helper()
	return withTool(t, Options{}, tool.Spec{Name: "later"}, &fake{execute: func(_ context.Context, in tool.Invocation) (tool.Result, error) {
		during(in)
		result := textResult("not yet")
		result.Pending = true
		return result, nil
	}})
}

func wantStatus(t *testing.T, r *Registry, id string, want state.Status) state.Call {
	t.Helper()
	call, ok := r.Calls().State("t", id)
	if !ok || call.Status != want {
		t.Errorf("%s is %s (%v), want %s", id, call.Status, ok, want)
	}
	return call
}

func TestPendingCallStaysLiveUntilItIsCompleted(t *testing.T) {
	var complete func(tool.Result, *tool.Error)
	r := withLater(t, func(in tool.Invocation) { complete = in.Complete })
	events := r.Calls().Subscribe(ledger.EventFilter{})
	defer events.Close()
	call := tool.Call{Tool: "later", ID: "c1", Tenant: "t"}
	if result, err := r.Execute(context.Background(), call); err != nil || !result.Pending {
		t.Fatalf("got %+v, %v", result, err)
	}
	wantStatus(t, r, "c1", state.Pending)
	if err := r.Calls().UpdateState("t", "c1", tool.Update{Title: "asking"}); err != nil {
		t.Error(err)
	}
	_, err := r.Execute(context.Background(), call)
	wantCode(t, err, tool.CodeInvalidArgument) // its id is taken

	complete(textResult("done"), nil)
	complete(textResult("again"), nil)
	if ended := wantStatus(t, r, "c1", state.Completed); ended.Result.Text() != "done" || ended.Title != "asking" {
		t.Errorf("got %+v", ended)
	}

	endings := []struct {
		id      string
		result  tool.Result
		failure *tool.Error
		code    tool.Code
	}{
		{"failed", tool.Result{}, &tool.Error{Code: tool.CodeTimeout, Message: "no answer"}, tool.CodeTimeout},
		{"invalid", tool.Result{Content: []tool.Content{{}}}, nil, tool.CodeInvalidOutput},
	}
	for _, end := range endings {
		call.ID = end.id
		if _, err := r.Execute(context.Background(), call); err != nil {
			t.Fatal(err)
		}
		complete(end.result, end.failure)
		if ended := wantStatus(t, r, end.id, state.Error); ended.Err.Code != end.code || ended.Err.CallID != end.id || ended.Err.Tool != "later" {
			t.Errorf("%s: got %+v", end.id, ended.Err)
		}
	}
	published := make(map[string]int)
	for len(events.Events()) > 0 {
		e := <-events.Events()
		published[e.ID+" "+string(e.Kind)]++
	}
	for _, want := range []string{"c1 completed", "failed started", "failed failed", "invalid failed"} {
		if published[want] != 1 {
			t.Errorf("%s was published %d times: %v", want, published[want], published)
		}
	}
	if calls := r.Calls().History("t", "", 1); len(calls) != 1 || calls[0].Code != tool.CodeInvalidOutput {
		t.Errorf("history: %+v", calls)
	}
}

func TestResultMayArriveBeforeExecuteReturns(t *testing.T) {
	r := withLater(t, func(in tool.Invocation) {
		in.Complete(textResult("early"), nil)
		in.Complete(textResult("again"), nil)
	})
	if _, err := r.Execute(context.Background(), tool.Call{Tool: "later", ID: "c1", Tenant: "t"}); err != nil {
		t.Fatal(err)
	}
	if ended := wantStatus(t, r, "c1", state.Completed); ended.Result.Text() != "early" {
		t.Errorf("got %+v", ended.Result)
	}
}

func TestCompletingAnEndedCallHasNoEffect(t *testing.T) {
	var complete func(tool.Result, *tool.Error)
	r := withTool(t, Options{}, tool.Spec{Name: "now"}, &fake{execute: func(_ context.Context, in tool.Invocation) (tool.Result, error) {
		complete = in.Complete
		return textResult("its own"), nil
	}})
	if _, err := r.Execute(context.Background(), tool.Call{Tool: "now", ID: "c1", Tenant: "t"}); err != nil {
		t.Fatal(err)
	}
	complete(textResult("from outside"), nil)
	if ended := wantStatus(t, r, "c1", state.Completed); ended.Result.Text() != "its own" {
		t.Errorf("got %+v", ended.Result)
	}
}

func TestManyPendingCallsComplete(t *testing.T) {
	var all sync.WaitGroup
	r := withLater(t, func(in tool.Invocation) {
		all.Go(func() { in.Complete(textResult(in.Call.ID), nil) })
	})
	for i := range 100 {
		all.Go(func() {
			if _, err := r.Execute(context.Background(), tool.Call{Tool: "later", ID: fmt.Sprint(i), Tenant: "t"}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i := range 100 {
		id := fmt.Sprint(i)
		if ended := wantStatus(t, r, id, state.Completed); ended.Result.Text() != id {
			t.Errorf("%s ended with %+v", id, ended.Result)
		}
	}
}
