package ledger

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/ledger/results"
	"github.com/wasmtool/wasmtool/registry/ledger/state"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// echo is a tool with the digest "d".
type echo struct{}

func (echo) IsCalled(name string) bool              { return name == "echo" }
func (echo) Digest(context.Context) (string, error) { return "d", nil }

var echoSpec = tool.Spec{Name: "echo", Version: "1.2", Sandboxed: true}

// runOnce takes a call through all stages.
func runOnce(e *Entry, result tool.Result, err error) (tool.Result, error) {
	e.Found(echo{}, &echoSpec)
	e.Arguments([]byte(`{"text":"sent"}`), jsonschema.Arguments{JSON: []byte(`{"text":"got"}`), Warnings: []string{"odd"}})
	e.Granted(capability.Grant{Clock: true}.Permissions(), "")
	e.Decided(policy.Decision{Effect: policy.Ask, By: policy.Reason{Rule: "rules[0]"}})
	e.Asked("why")
	e.Approved(tool.ApprovedByApprover)
	e.Loaded()
	if held := e.Run(); held != nil {
		return e.End(tool.Result{}, held)
	}
	e.Attempt()
	return e.End(result, err)
}

// All views of a call agree, whether it succeeded or failed.
func TestViewsOfOneEntryAgree(t *testing.T) {
	for _, failure := range []error{nil, &tool.Error{Code: tool.CodeTrap, Message: "it broke"}} {
		t.Run(fmt.Sprint(failure), func(t *testing.T) {
			var receipt tool.Receipt
			kept := results.NewStore(results.Options{})
			l := New(Options{OnReceipt: func(r tool.Receipt) { receipt = r }, MaxText: 20, Results: kept}, slog.New(slog.DiscardHandler))
			events := l.Subscribe(EventFilter{Tenant: "t"})
			call := tool.Call{Tool: "ECHO", Tenant: "t", Session: "s", Message: "m"}
			_, e, err := l.Open(t.Context(), &call)
			if err != nil || call.ID == "" || call.IdempotencyKey == "" {
				t.Fatalf("got %+v, %v", call, err)
			}
			long := strings.Repeat("x", 100)
			result, err := runOnce(e, tool.Result{Content: []tool.Content{tool.TextContent(long)}}, failure)
			e.Close()
			l.Close()

			ref := tool.CallRef{ID: call.ID, Tenant: "t", Session: "s", Message: "m", Tool: "echo"}
			code := tool.CodeOf(failure)
			if tool.CodeOf(err) != code || result.Call.CallRef != ref || !slices.Equal(result.Warnings, []string{"odd"}) {
				t.Errorf("the caller gets %+v, %v", result, err)
			}
			handles := result.Metadata[tool.MetaHandles].([]string)
			if whole, err := kept.Text(results.Owner{Tenant: "t", Session: "s"}, handles[0]); err != nil || whole != long {
				t.Errorf("kept is %q, %v", whole, err)
			}
			if receipt.CallRef != ref || receipt.Code != code || receipt.Digest != "d" || receipt.Version != "1.2" ||
				!receipt.Approved || receipt.Decision != "ask" || receipt.Rule != "rules[0]" || !slices.Equal(receipt.Grant, []string{"clock"}) {
				t.Errorf("the receipt is %+v", receipt)
			}
			record := l.History("t", "s", 0)[0]
			if record.CallRef != ref || record.Code != code || string(record.Parameters) != `{"text":"got"}` {
				t.Errorf("the record is %+v", record)
			}
			status, _ := l.State("t", call.ID)
			if status.CallRef != ref || (status.Status == state.Error) != (failure != nil) || !status.Status.Ended() {
				t.Errorf("the state is %+v", status)
			}
			var kinds []EventKind
			for event := range events.Events() {
				kinds = append(kinds, event.Kind)
			}
			last := EventCompleted
			if failure != nil {
				last = EventFailed
			}
			if !slices.Equal(kinds, []EventKind{EventStarted, EventAwaiting, last}) {
				t.Errorf("the events are %v", kinds)
			}
		})
	}
}

// A call that is not admitted has a receipt, but no state and no history.
func TestRefusedEntryHasOnlyAReceipt(t *testing.T) {
	receipts := 0
	l := New(Options{OnReceipt: func(tool.Receipt) { receipts++ }}, slog.New(slog.DiscardHandler))
	first := begin(t, l, "t", "taken")
	_, second, err := l.Open(t.Context(), &tool.Call{Tenant: "t", ID: "taken"})
	if !errors.Is(err, state.ErrLive) {
		t.Fatalf("got %v", err)
	}
	_, err = second.End(tool.Result{}, err)
	second.Close()
	if tool.CodeOf(err) != tool.CodeInvalidArgument || receipts != 1 || len(l.History("t", "", 0)) > 0 {
		t.Errorf("got %v, %d receipts", err, receipts)
	}
	if _, err := runOnce(first, tool.Result{}, nil); err != nil {
		t.Error(err)
	}
	first.Close()
}

// Entries can be read, stopped, updated and completed concurrently.
func TestEntriesAreConcurrent(t *testing.T) {
	l := New(Options{}, slog.New(slog.DiscardHandler))
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			call := tool.Call{Tool: "echo", ID: fmt.Sprint(i)}
			ctx, e, err := l.Open(t.Context(), &call)
			if err != nil {
				t.Error(err)
				return
			}
			e.Found(echo{}, &echoSpec)
			err = e.Run()
			_, complete := e.Attempt()
			all.Go(func() { e.Relay(tool.Update{Title: "from the tool"}) })
			all.Go(func() { complete(tool.Result{}, nil) })
			all.Go(func() { complete(tool.Result{}, nil) })
			if stopped := callerror.OfContext(ctx); err == nil && stopped != nil {
				err = stopped
			}
			_, _ = e.End(tool.Result{Pending: true}, err)
			e.Close()
		})
		all.Go(func() {
			l.Kill(Selector{Tool: "echo", Digest: "d"})
			l.Revoke([]string{"other"})
			if release, err := l.Drain(t.Context(), Selector{Tool: "echo"}); err != nil {
				t.Error(err)
			} else {
				release()
			}
			_ = l.UpdateState("", fmt.Sprint(i), tool.Update{Title: "from outside"})
			l.States("")
		})
	}
	all.Wait()
	for _, c := range l.States("") {
		if !c.Status.Ended() {
			t.Errorf("call %s is %s", c.ID, c.Status)
		}
	}
	if got := l.History("", "", 0); len(got) != 8 || len(l.all()) > 0 || len(l.live) > 0 {
		t.Errorf("%d calls have ended, %d are in flight", len(got), len(l.all()))
	}
}
