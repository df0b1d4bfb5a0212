package registry

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/schedule"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// hanging returns a fake that runs until its call is cancelled.
func hanging() *fake {
	return &fake{execute: func(ctx context.Context, _ tool.Invocation) (tool.Result, error) {
		<-ctx.Done()
		return tool.Result{}, &tool.Error{Code: tool.CodeCancelled, Message: "stopped"}
	}}
}

// digestA is the digest of the tool echo in these tests.
var digestA = "sha256:" + strings.Repeat("a", 64)

// threeCalls starts calls of two tools: two calls of one tenant and one call of another.
func threeCalls(t *testing.T, r *Registry, f *fake) map[string]*Handle {
	t.Helper()
	other := echo()
	other.Name, other.Aliases = "other", []string{"another"}
	for _, err := range []error{r.Tools().Register(echo(), &identified{f, digestA}), r.Tools().Register(other, f)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	start := func(name, tenant, session string) *Handle {
		call := say("x")
		call.Tool, call.Tenant, call.Session = name, tenant, session
		h := r.Start(t.Context(), call)
		synctest.Wait() // the calls are queued in this order
		return h
	}
	return map[string]*Handle{"1": start("echo", "a", "s"), "2": start("other", "a", "r"), "3": start("echo", "", "s")}
}

func TestKillStopsSelectedCalls(t *testing.T) {
	tests := map[string]struct {
		selector ledger.Selector
		want     string // the calls that end
	}{
		"all":                 {ledger.Selector{}, "123"},
		"a tool":              {ledger.Selector{Tool: " ECHO "}, "13"},
		"an alias":            {ledger.Selector{Tool: "another"}, "2"},
		"a tenant":            {ledger.Selector{Tenant: "a"}, "12"},
		"the tenant \"\"":     {ledger.Selector{OfTenant: true}, "3"},
		"a session":           {ledger.Selector{Session: "s"}, "13"},
		"a tool and a tenant": {ledger.Selector{Tool: "echo", Tenant: "a"}, "1"},
		"a digest":            {ledger.Selector{Digest: digestA}, "13"},
		"another digest":      {ledger.Selector{Digest: "sha256:b"}, ""},
		"nothing there":       {ledger.Selector{Tool: "nothing"}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := New(Options{})
				handles := threeCalls(t, r, hanging())
				if got := r.Calls().Kill(tt.selector); got != len(tt.want) {
					t.Errorf("killed %d calls", got)
				}
				synctest.Wait()
				for name, h := range handles {
					select {
					case <-h.Done():
						_, err := h.Result(t.Context())
						if e := wantCode(t, err, tool.CodeCancelled); !strings.Contains(tt.want, name) || e.Message != callerror.ErrKilled.Error() {
							t.Errorf("call %s ended with %q", name, e.Message)
						}
					default:
						if strings.Contains(tt.want, name) {
							t.Errorf("call %s continues", name)
						}
					}
					h.Cancel()
				}
			})
		})
	}
}

// Kill also stops calls that do not run yet, for any reason.
func TestKillStopsWaitingCalls(t *testing.T) {
	dangerous := echo()
	dangerous.Dangerous, dangerous.Sandboxed = true, true
	passing := &fake{execute: func(context.Context, tool.Invocation) (tool.Result, error) {
		return tool.Result{}, failure(tool.CodeNetwork)
	}}
	deaf := ApproverFunc(func(ctx context.Context, _ Question) (Answer, error) {
		<-ctx.Done()
		return Answer{}, ctx.Err()
	})
	yes := ApproverFunc(func(context.Context, Question) (Answer, error) { return Answer{Yes: true}, nil })
	for name, approver := range map[string]Approver{"for an answer": deaf, "for the next attempt": yes} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := withTool(t, Options{Approvals: ApprovalOptions{Approver: approver}}, dangerous, passing)
				call := say("x")
				call.Retries = 3
				h := r.Start(t.Context(), call)
				synctest.Wait()
				start := time.Now()
				if got := r.Calls().Kill(ledger.Selector{Tool: "echo"}); got != 1 {
					t.Errorf("killed %d calls", got)
				}
				_, err := h.Result(t.Context())
				if e := wantCode(t, err, tool.CodeCancelled); e.Message != callerror.ErrKilled.Error() || time.Since(start) > 0 {
					t.Errorf("got %q after %v", e.Message, time.Since(start))
				}
			})
		})
	}
}

// Drain waits for running calls, and keeps further calls from starting until it is released.
func TestDrainWaitsAndHoldsBack(t *testing.T) {
	for name, s := range map[string]ledger.Selector{"a tool": {Tool: "echo"}, "a digest": {Digest: digestA}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := New(Options{})
				handles := threeCalls(t, r, does(func(context.Context, tool.Invocation) { <-time.After(time.Second) }))
				start := time.Now()
				release, err := r.Calls().Drain(t.Context(), s)
				if took := time.Since(start); err != nil || took != time.Second {
					t.Errorf("drained after %v: %v", took, err)
				}
				if _, err := handles["1"].Result(t.Context()); err != nil {
					t.Errorf("a call that ran: %v", err)
				}
				_, err = r.Execute(t.Context(), say("x"))
				if e := wantCode(t, err, tool.CodeDisabled); !strings.Contains(e.Message, "try again later") {
					t.Errorf("got %q", e.Message)
				}
				other := say("x")
				other.Tool = "other"
				if _, err := r.Execute(t.Context(), other); err != nil {
					t.Errorf("another tool: %v", err)
				}
				release()
				release()
				if _, err := r.Execute(t.Context(), say("x")); err != nil {
					t.Errorf("after the release: %v", err)
				}
			})
		})
	}
}

func TestDrainEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(Options{})
		handles := threeCalls(t, r, hanging())
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		release, err := r.Calls().Drain(ctx, ledger.Selector{})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		_, err = r.Execute(t.Context(), say("x"))
		wantCode(t, err, tool.CodeDisabled)
		release()
		r.Calls().Kill(ledger.Selector{})
		for _, h := range handles {
			<-h.Done()
		}
	})
}

// Revoking a tool cancels its running calls, and its waiting calls do not begin. A tool that
// differs from its pinned digest does not begin either.
func TestRevokingCancelsRunningCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(Options{Schedule: schedule.Options{MaxTenantCalls: 1}})
		handles := threeCalls(t, r, hanging())
		call := say("x")
		call.Tenant = "a"
		waiting := r.Start(t.Context(), call)
		synctest.Wait()
		r.SetRules(Rules{Revoked: []string{digestA}})
		for _, name := range []string{"1", "3"} {
			_, err := handles[name].Result(t.Context())
			if e := wantCode(t, err, tool.CodeDisabled); !strings.Contains(e.Message, "revoked the tool while it ran") {
				t.Errorf("call %s: got %q", name, e.Message)
			}
		}
		r.Calls().Kill(ledger.Selector{Tool: "other"})
		_, err := waiting.Result(t.Context())
		if e := wantCode(t, err, tool.CodeDisabled); !strings.Contains(e.Message, "has revoked") {
			t.Errorf("the waiting call: got %q", e.Message)
		}
		r.SetRules(Rules{Digests: map[string]string{"echo": "sha256:b"}})
		_, err = r.Execute(t.Context(), say("x"))
		if e := wantCode(t, err, tool.CodePermissionDenied); !strings.Contains(e.Details.Fix, digestA) {
			t.Errorf("got %+v", e)
		}
	})
}
