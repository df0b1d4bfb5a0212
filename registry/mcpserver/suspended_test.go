package mcpserver_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/mcpserver"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// live returns the calls that have not ended, with their states.
func (w *world) live() (calls []string) {
	for _, call := range w.tools.Calls().States("") {
		if call.Ended.IsZero() {
			calls = append(calls, call.Tool+" "+string(call.Status))
		}
	}
	slices.Sort(calls)
	return calls
}

var accept, decline = &mcp.ElicitResult{Action: "accept"}, &mcp.ElicitResult{Action: "decline"}

// startsNested adds a tool that calls "deletes" for each of n paths, concurrently or one at a time,
// and reports the outcomes. Each of its runs adds one to the returned counter first.
func startsNested(t *testing.T, w *world, n int, concurrent bool) (runs *atomic.Int32) {
	t.Helper()
	runs = new(atomic.Int32)
	w.add(t, askingTool(), says("gone"))
	w.add(t, tool.Spec{Name: "agent", Timeout: time.Hour}, func(ctx context.Context, in tool.Invocation) (tool.Result, error) {
		runs.Add(1)
		outcomes := make([]string, n)
		var calls sync.WaitGroup
		for i := range n {
			one := func() {
				result, err := in.Start(ctx, tool.Call{Tool: "deletes", Arguments: fmt.Appendf(nil, `{"path":"p%d"}`, i)}).Result(ctx)
				if outcomes[i] = result.Text(); err != nil {
					outcomes[i] = string(tool.CodeOf(err))
				}
			}
			if concurrent {
				calls.Go(one)
			} else {
				one()
			}
		}
		calls.Wait()
		return tool.Result{Content: []tool.Content{tool.TextContent(strings.Join(outcomes, " "))}}, nil
	})
	return runs
}

// A question about a nested call suspends the outer call, which continues with the answer: what it
// did before the question happens once.
func TestCallContinuesAfterQuestion(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers []*mcp.ElicitResult
		want    string
	}{
		"approved":           {[]*mcp.ElicitResult{accept, accept}, "gone gone"},
		"denied":             {[]*mcp.ElicitResult{decline, accept}, "permission_denied gone"},
		"without the answer": {[]*mcp.ElicitResult{nil, accept}, "approval_required gone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mcpserver.Options{})
			runs := startsNested(t, w, 2, false)
			r := newRounds(t, w, "agent", nil)
			for i, answer := range c.answers {
				about, result := r.next(answer)
				if want := fmt.Sprintf(`path: "p%d"`, i); !strings.Contains(about, want) {
					t.Fatalf("the question is %q (result %q), want it to be about %s", about, textOf(result), want)
				}
				if answer == nil {
					r.params.InputResponses = nil
				}
				if got := w.live(); !slices.Equal(got, []string{"agent running", "deletes awaiting_confirmation"}) {
					t.Errorf("between two rounds, the calls are %q", got)
				}
			}
			if _, result := r.next(nil); textOf(result) != c.want || runs.Load() != 1 {
				t.Errorf("got %q after %d runs, want %q after one", textOf(result), runs.Load(), c.want)
			}
			get := w.admin(t)
			_, metrics := get("/metrics", nil)
			for _, line := range []string{`wasmtool_calls_total{tool="agent",code=""} 1`, `wasmtool_call_seconds_count{tool="agent"} 1`, `wasmtool_calls_running 0`} {
				if !strings.Contains(metrics, line+"\n") {
					t.Errorf("the metrics lack %s:\n%s", line, metrics)
				}
			}
		})
	}
}

// Questions of concurrent nested calls are asked one at a time, and each answer is for its own
// question.
func TestConcurrentQuestionsOfOneCall(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mcpserver.Options{})
			runs := startsNested(t, w, 5, true)
			var asked atomic.Int32
			session := w.connect(t, revision, &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				asked.Add(1)
				if strings.Contains(r.Params.Message, `"p1"`) || strings.Contains(r.Params.Message, `"p4"`) {
					return decline, nil
				}
				return accept, nil
			}})
			if got := callText(t, session, "agent", nil); got != "gone permission_denied gone gone permission_denied" {
				t.Errorf("got %q", got)
			}
			if asked.Load() != 5 || runs.Load() != 1 {
				t.Errorf("asked %d times in %d runs", asked.Load(), runs.Load())
			}
		})
	}
}

// inquirer adds a tool that asks the user and then waits for its context or a value from proceed.
// It sends what happened to the returned channel.
func inquirer(t *testing.T, w *world, proceed chan struct{}) (outcomes chan string) {
	t.Helper()
	outcomes = make(chan string, 10)
	w.add(t, tool.Spec{Name: "asks", Timeout: time.Hour}, func(ctx context.Context, in tool.Invocation) (tool.Result, error) {
		in.Call.OnProgress(1, 0, "before")
		reply, err := w.approver.Inquire(ctx, tool.Inquiry{CallRef: in.Call.Ref(), Text: "Why?"})
		if err != nil {
			outcomes <- "not answered"
			return tool.Result{}, err
		}
		outcomes <- "answered " + string(reply.Status)
		select {
		case <-proceed:
		case <-ctx.Done():
			outcomes <- "cancelled"
			return tool.Result{}, ctx.Err()
		}
		return tool.Result{Content: []tool.Content{tool.TextContent("done")}}, nil
	})
	return outcomes
}

// A suspended call ends when its client does not come back in time.
func TestUnansweredCallEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, mcpserver.Options{})
		runs := startsNested(t, w, 2, false)
		r := newRounds(t, w, "agent", nil)
		r.next(accept)
		time.Sleep(4 * time.Minute)
		if got := w.live(); len(got) != 2 {
			t.Errorf("before the timeout, the calls are %q", got)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := w.live(); len(got) != 0 {
			t.Errorf("after the timeout, the calls are %q", got)
		}
		if about, _ := r.next(accept); !strings.Contains(about, `"p0"`) || runs.Load() != 2 {
			t.Errorf("a late answer leads to the question %q and %d runs, want a new call", about, runs.Load())
		}
	})
}

// A call that stops waiting for the answer continues. An answer that comes later still gets the
// result, and does not repeat the call.
func TestLateAnswerGetsResult(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, mcpserver.Options{})
		runs := 0
		w.add(t, tool.Spec{Name: "impatient", Timeout: time.Hour}, func(ctx context.Context, in tool.Invocation) (tool.Result, error) {
			runs++
			ctx, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			_, err := w.approver.Inquire(ctx, tool.Inquiry{CallRef: in.Call.Ref(), Text: "Why?"})
			return tool.Result{Content: []tool.Content{tool.TextContent(fmt.Sprint("continued after ", err))}}, nil
		})
		r := newRounds(t, w, "impatient", nil)
		r.next(accept)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if got := w.live(); len(got) != 0 {
			t.Errorf("the calls are %q, want none", got)
		}
		if _, result := r.next(nil); textOf(result) != "continued after context deadline exceeded" || runs != 1 {
			t.Errorf("got %q after %d runs", textOf(result), runs)
		}
	})
}

// A suspended call ends with what would end a running call.
func TestSuspendedCallEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*world, *rounds){
		"killed":        func(w *world, _ *rounds) { w.tools.Calls().Kill(ledger.Selector{Tool: "asks"}) },
		"server closed": func(w *world, _ *rounds) { w.server.Close() },
		"client gone":   func(_ *world, r *rounds) { r.session.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mcpserver.Options{})
			outcomes := inquirer(t, w, nil)
			r := newRounds(t, w, "asks", nil)
			if about, result := r.next(accept); about == "" {
				t.Fatalf("no question was asked: %q", textOf(result))
			}
			end(w, r)
			if got := <-outcomes; got != "not answered" {
				t.Errorf("the call was %s", got)
			}
		})
	}
}

// Cancelling a later round cancels the call.
func TestCancelledRoundCancelsCall(t *testing.T) {
	t.Parallel()
	for name, connect := range clients {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mcpserver.Options{})
			outcomes := inquirer(t, w, nil)
			r := &rounds{t: t, session: connect(t, w, manual(nil)), params: mcp.CallToolParams{Name: "asks"}}
			r.next(accept)
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				if got := <-outcomes; got != "answered answered" {
					t.Errorf("the call was %s", got)
				}
				cancel()
			}()
			if _, err := r.session.CallTool(ctx, &r.params); !errors.Is(err, context.Canceled) {
				t.Errorf("the client got %v", err)
			}
			if got := <-outcomes; got != "cancelled" {
				t.Errorf("the call was %s", got)
			}
		})
	}
}

// clients are the ways to connect a client of the newest revision.
var clients = map[string]func(*testing.T, *world, *mcp.ClientOptions) *mcp.ClientSession{
	"stdio": func(t *testing.T, w *world, o *mcp.ClientOptions) *mcp.ClientSession {
		return w.connect(t, "2026-07-28", o)
	},
	"http": func(t *testing.T, w *world, o *mcp.ClientOptions) *mcp.ClientSession {
		return w.listen(t, mcpserver.HTTPOptions{}).connect(t, "2026-07-28", o, "")
	},
}

// Progress goes to the round in which the tool reports it. Between two rounds it is dropped.
func TestProgressGoesToTheRound(t *testing.T) {
	t.Parallel()
	for name, connect := range clients {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mcpserver.Options{})
			suspended, reported := make(chan struct{}), make(chan struct{})
			w.add(t, tool.Spec{Name: "asks", Timeout: time.Hour}, func(ctx context.Context, in tool.Invocation) (tool.Result, error) {
				in.Call.OnProgress(1, 0, "before")
				var asking sync.WaitGroup
				asking.Go(func() { _, _ = w.approver.Inquire(ctx, tool.Inquiry{CallRef: in.Call.Ref(), Text: "Why?"}) })
				<-suspended
				in.Call.OnProgress(2, 0, "suspended")
				close(reported)
				asking.Wait()
				in.Call.OnProgress(3, 0, "after")
				return tool.Result{}, nil
			})
			progress := make(chan string, 10)
			r := &rounds{t: t, params: mcp.CallToolParams{Name: "asks", Meta: mcp.Meta{}}}
			r.session = connect(t, w, manual(func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
				progress <- fmt.Sprint(r.Params.ProgressToken, " ", r.Params.Message)
			}))
			r.params.SetProgressToken("first")
			r.next(accept)
			close(suspended)
			<-reported
			r.params.SetProgressToken("second")
			r.next(accept)
			for _, want := range []string{"first before", "second after"} {
				if got := <-progress; got != want {
					t.Errorf("got the progress %q, want %q", got, want)
				}
			}
		})
	}
}

// A server that stops still accepts the answer for a suspended call, which is a running call, and
// refuses new calls.
func TestStoppingServerAcceptsAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	proceed := make(chan struct{})
	close(proceed)
	inquirer(t, w, proceed)
	s := w.listen(t, mcpserver.HTTPOptions{})
	r := &rounds{t: t, session: s.connect(t, "2026-07-28", manual(nil), ""), params: mcp.CallToolParams{Name: "asks"}}
	r.next(accept)
	stopped := make(chan error, 1)
	go func() { stopped <- s.stop() }()
	for w.ready(t) { // until the server refuses calls
	}
	if _, err := r.session.CallTool(t.Context(), &mcp.CallToolParams{Name: "asks"}); err == nil || !strings.Contains(err.Error(), "stopping") {
		t.Errorf("a new call got %v", err)
	}
	if _, result := r.next(nil); textOf(result) != "done" {
		t.Errorf("the suspended call got %q", textOf(result))
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// A server that stops waits for the answer to a suspended call only for the grace period.
func TestStopDoesNotWaitForAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{Grace: 10 * time.Millisecond})
	outcomes := inquirer(t, w, nil)
	s := w.listen(t, mcpserver.HTTPOptions{})
	r := &rounds{t: t, session: s.connect(t, "2026-07-28", manual(nil), ""), params: mcp.CallToolParams{Name: "asks"}}
	r.next(accept)
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	if got := <-outcomes; got != "not answered" {
		t.Errorf("the call was %s", got)
	}
}

// An answer continues a call only for the user that the question was for.
func TestAnswerOfAnotherUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	proceed := make(chan struct{})
	close(proceed)
	outcomes := inquirer(t, w, proceed)
	i := newIssuer(t)
	s := w.listen(t, i.options(t))
	connect := func(user string) *rounds {
		session := s.connect(t, "2026-07-28", manual(nil), i.token(t, map[string]any{"sub": user}))
		return &rounds{t: t, session: session, params: mcp.CallToolParams{Name: "asks"}}
	}
	ann, bob := connect("ann"), connect("bob")
	ann.next(accept)
	bob.params = ann.params
	if about, result := bob.next(accept); about == "" {
		t.Errorf("another user's answer was accepted: %q", textOf(result))
	}
	if got := <-outcomes; got != "not answered" {
		t.Errorf("the call was %s", got)
	}
	if _, result := bob.next(nil); textOf(result) != "done" {
		t.Errorf("the other user's own call got %q", textOf(result))
	}
}
