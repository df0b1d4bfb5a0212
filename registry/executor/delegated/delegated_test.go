package delegated_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/executor/delegated"
	"github.com/wasmtool/wasmtool/registry/ledger/state"
	"github.com/wasmtool/wasmtool/registry/tool"
)

var ask = tool.Spec{
	Name: "ask", Description: "Asks the user.",
	Parameters: json.RawMessage(`{"type":"object","required":["question"],"properties":{"question":{"type":"string"}}}`),
	Result:     json.RawMessage(`{"type":"object","required":["answer"],"properties":{"answer":{"type":"string"}}}`),
}

func setUp(t *testing.T, o delegated.Options, form delegated.Form) (*registry.Registry, *delegated.Inbox) {
	t.Helper()
	inbox := delegated.NewInbox(o)
	spec, executor, err := inbox.Define(ask, form)
	if err != nil {
		t.Fatal(err)
	}
	r := registry.New(registry.Options{})
	if err := r.Tools().Register(spec, executor); err != nil {
		t.Fatal(err)
	}
	return r, inbox
}

func question(id string) tool.Call {
	return tool.Call{Tool: "ask", ID: id, Tenant: "t", Session: "s", Arguments: json.RawMessage(`{"question":"` + id + `?"}`)}
}

func idOf(call string) delegated.ID { return delegated.ID{Tenant: "t", Call: call} }

func answer(text string) tool.Result {
	return tool.Result{Content: []tool.Content{tool.TextContent(text)}, Structured: json.RawMessage(`{"answer":"` + text + `"}`)}
}

func wantCode(t *testing.T, err error, want tool.Code) *tool.Error {
	t.Helper()
	var e *tool.Error
	if !errors.As(err, &e) || e.Code != want {
		t.Fatalf("got %v (%s), want the code %s", err, tool.CodeOf(err), want)
	}
	return e
}

// completions collects the arguments of OnDone.
type completions struct {
	mu  sync.Mutex
	all []delegated.Completion
}

func (c *completions) add(one delegated.Completion) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, one)
}

func (c *completions) codes() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var codes []string
	for _, one := range c.all {
		code := "ok"
		if one.Err != nil {
			code = string(one.Err.Code)
		}
		codes = append(codes, one.ID+" "+code)
	}
	return strings.Join(codes, ", ")
}

func TestLaterIsPendingUntilCompleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var done completions
		requests := make(chan delegated.Request, 1)
		over := make(chan struct{})
		r, inbox := setUp(t, delegated.Options{OnDone: done.add, OnCall: func(ctx context.Context, q delegated.Request) {
			requests <- q
			<-ctx.Done()
			close(over)
		}}, delegated.Later)
		result, err := r.Execute(context.Background(), question("c1"))
		if err != nil || !result.Pending || result.IsError {
			t.Fatalf("got %+v, %v", result, err)
		}
		want := `{"status":"pending","tool":"ask","message":"the call was delegated to the client, which has not answered yet"}`
		if string(result.Structured) != want || !strings.Contains(result.Text(), `"status": "pending"`) {
			t.Errorf("got %s and %q", result.Structured, result.Text())
		}
		if info, _ := r.Tools().Get("ask"); info.Sandboxed || info.Source != "client" || len(info.Result) > 0 {
			t.Errorf("listed as %+v", info)
		}
		q := <-requests
		if q.Key() != idOf("c1") || q.Tool != "ask" || q.Session != "s" || string(q.Arguments) != `{"question":"c1?"}` || time.Until(q.Deadline) != delegated.DefaultTimeout {
			t.Errorf("the request is %+v", q)
		}
		if open := inbox.Open("t"); len(open) != 1 || len(inbox.Open("other")) != 0 {
			t.Errorf("open: %+v", open)
		}

		// An invalid result is refused and changes nothing.
		wantCode(t, inbox.Complete(idOf("c1"), tool.Result{Structured: json.RawMessage(`{"answer":5}`)}), tool.CodeInvalidOutput)
		wantCode(t, inbox.Complete(idOf("c1"), tool.Result{Content: []tool.Content{tool.TextContent("because")}}), tool.CodeInvalidOutput)
		wantCode(t, inbox.Complete(idOf("c1"), tool.Result{Content: []tool.Content{tool.ImageContent([]byte("x"), "image/png")}}), tool.CodeInvalidOutput)
		wantCode(t, inbox.Complete(delegated.ID{Tenant: "other", Call: "c1"}, answer("theirs")), tool.CodeNotFound)

		if err := inbox.Complete(q.Key(), answer("because")); err != nil {
			t.Fatal(err)
		}
		<-over
		if len(done.all) != 1 || done.all[0].Result.Text() != "because" || done.all[0].Key() != idOf("c1") {
			t.Errorf("done: %+v", done.all)
		}
		wantCode(t, inbox.Complete(q.Key(), answer("again")), tool.CodeInvalidArgument)
		wantCode(t, inbox.Fail(q.Key(), "again"), tool.CodeInvalidArgument)
		if got := done.codes(); got != "c1 ok" {
			t.Errorf("OnDone received %s", got)
		}
	})
}

func TestCallsThatEndWithoutAResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var done completions
		r, inbox := setUp(t, delegated.Options{OnDone: done.add, Timeout: time.Minute}, delegated.Later)
		for _, id := range []string{"failed", "late", "closed"} {
			if id == "closed" {
				time.Sleep(2 * time.Minute)
				synctest.Wait()
			}
			if _, err := r.Execute(context.Background(), question(id)); err != nil {
				t.Fatal(err)
			}
			if id == "failed" {
				if err := inbox.Fail(idOf(id), "no user is there\xff"); err != nil {
					t.Fatal(err)
				}
			}
		}
		for range 2 {
			if err := inbox.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := done.codes(), "failed execution, late timeout, closed cancelled"; got != want {
			t.Errorf("OnDone received %s, want %s", got, want)
		}
		if e := done.all[0].Err; e.Message != "the tool says: no user is there\uFFFD" || e.Tool != "ask" || e.CallID != "failed" {
			t.Errorf("got %+v", e)
		}
		wantCode(t, inbox.Complete(idOf("late"), answer("a")), tool.CodeTimeout)
		wantCode(t, inbox.Complete(idOf("closed"), answer("a")), tool.CodeCancelled)
		_, err := r.Execute(context.Background(), question("after"))
		wantCode(t, err, tool.CodeCancelled)
	})
}

func TestWaitReturnsTheResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var inbox *delegated.Inbox
		complete := func(id delegated.ID) error { return inbox.Complete(id, answer("because")) }
		r, d := setUp(t, delegated.Options{OnCall: func(_ context.Context, q delegated.Request) {
			time.Sleep(time.Minute) // longer than the default timeout of a tool
			if err := complete(q.Key()); err != nil {
				t.Error(err)
			}
		}}, delegated.Wait)
		inbox = d
		result, err := r.Execute(context.Background(), question("c1"))
		if err != nil || result.Text() != "because" || result.Pending {
			t.Errorf("got %+v, %v", result, err)
		}
		complete = func(id delegated.ID) error { return inbox.Fail(id, "no user is there") }
		result, err = r.Execute(context.Background(), question("c2"))
		wantCode(t, err, tool.CodeExecution)
		if result.Text() != "no user is there" {
			t.Errorf("the text is %q", result.Text())
		}
	})
}

func TestWaitEndsWhenItsContextIsDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended atomic.Int32
		r, inbox := setUp(t, delegated.Options{OnCall: func(ctx context.Context, _ delegated.Request) {
			<-ctx.Done()
			ended.Add(1)
		}}, delegated.Wait)
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Second, cancel)
		_, err := r.Execute(ctx, question("c1"))
		wantCode(t, err, tool.CodeCancelled)
		wantCode(t, inbox.Complete(idOf("c1"), answer("late")), tool.CodeCancelled)

		call := question("c2")
		call.Timeout = time.Second
		_, err = r.Execute(context.Background(), call)
		wantCode(t, err, tool.CodeTimeout)
		wantCode(t, inbox.Complete(idOf("c2"), answer("late")), tool.CodeTimeout)
		synctest.Wait()
		if ended.Load() != 2 || len(inbox.Open("t")) != 0 {
			t.Errorf("OnCall saw %d ends; open: %v", ended.Load(), inbox.Open("t"))
		}
	})
}

func TestStateFollowsTheInbox(t *testing.T) {
	r, inbox := setUp(t, delegated.Options{}, delegated.Later)
	for id, end := range map[string]func() error{
		"c1": func() error { return inbox.Complete(idOf("c1"), answer("because")) },
		"c2": func() error { return inbox.Fail(idOf("c2"), "no user is there") },
	} {
		if _, err := r.Execute(context.Background(), question(id)); err != nil {
			t.Fatal(err)
		}
		if call, ok := r.Calls().State("t", id); !ok || call.Status != state.Pending {
			t.Errorf("%s: got %+v", id, call)
		}
		if err := end(); err != nil {
			t.Fatal(err)
		}
	}
	if call, _ := r.Calls().State("t", "c1"); call.Status != state.Completed || call.Result.Text() != "because" {
		t.Errorf("got %+v", call)
	}
	if call, _ := r.Calls().State("t", "c2"); call.Status != state.Error || call.Err.Code != tool.CodeExecution {
		t.Errorf("got %+v", call)
	}
}

func TestFirstCompletionWins(t *testing.T) {
	var done completions
	r, inbox := setUp(t, delegated.Options{OnDone: done.add}, delegated.Later)
	if _, err := r.Execute(context.Background(), question("c1")); err != nil {
		t.Fatal(err)
	}
	var won atomic.Int32
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if inbox.Complete(idOf("c1"), answer(fmt.Sprint(i))) == nil {
				won.Add(1)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 || done.codes() != "c1 ok" {
		t.Errorf("%d completions succeeded, OnDone received %s", won.Load(), done.codes())
	}
}

func TestOpenCallsAreLimited(t *testing.T) {
	r, inbox := setUp(t, delegated.Options{MaxOpen: 3, MaxOpenPerTenant: 2}, delegated.Later)
	open := func(tenant, id string) error {
		call := question(id)
		call.Tenant = tenant
		_, err := r.Execute(context.Background(), call)
		return err
	}
	for _, id := range []string{"1", "2"} {
		if err := open("t", id); err != nil {
			t.Fatal(err)
		}
	}
	if e := wantCode(t, open("t", "3"), tool.CodeResourceExhausted); e.Details.Limit != "open calls" {
		t.Errorf("got %+v", e)
	}
	if err := open("u", "1"); err != nil {
		t.Errorf("another tenant: %v", err)
	}
	wantCode(t, open("v", "1"), tool.CodeResourceExhausted)
	if err := inbox.Complete(idOf("1"), answer("a")); err != nil {
		t.Fatal(err)
	}
	if err := open("t", "3"); err != nil {
		t.Errorf("after a call was completed: %v", err)
	}
	// The limit on open calls is also the number of ended calls that the Inbox remembers. It
	// forgets older calls.
	for i := range 5 {
		other := fmt.Sprint("again", i)
		if err := errors.Join(inbox.Complete(idOf("3"), answer("a")), open("t", other), inbox.Complete(idOf(other), answer("a")), open("t", "3")); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{"a", "b", "c"} {
		if err := errors.Join(inbox.Complete(idOf("3"), answer("a")), open("t", id), inbox.Complete(idOf(id), answer("a")), open("t", "3")); err != nil {
			t.Fatal(err)
		}
	}
	wantCode(t, inbox.Complete(idOf("1"), answer("a")), tool.CodeNotFound)
	wantCode(t, inbox.Complete(idOf("c"), answer("a")), tool.CodeInvalidArgument)
}

func TestPanicsOfCallbacksAreLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		r, inbox := setUp(t, delegated.Options{
			Logger: slog.New(slog.NewTextHandler(&log, nil)),
			OnCall: func(context.Context, delegated.Request) { panic("in the client") },
			OnDone: func(delegated.Completion) { panic("in the end") },
		}, delegated.Later)
		if _, err := r.Execute(context.Background(), question("c1")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		wantCode(t, inbox.Complete(idOf("c1"), answer("a")), tool.CodeInternal)
		if !strings.Contains(log.String(), "in the client") || !strings.Contains(log.String(), "in the end") {
			t.Errorf("the log has %s", log.String())
		}
	})
}

func TestDefineRefusesInvalidSpec(t *testing.T) {
	_, _, err := delegated.NewInbox(delegated.Options{}).Define(tool.Spec{Name: "a", Result: json.RawMessage(`5`)}, delegated.Later)
	if e := wantCode(t, err, tool.CodeInvalidManifest); e.Details.Field != "result" {
		t.Errorf("got %+v", e)
	}
}
