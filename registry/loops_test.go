package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/ledger/history"
	"github.com/wasmtool/wasmtool/registry/ledger/loop"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// inSession returns a call of echo in a session and a message.
func inSession(session, text string, message int) tool.Call {
	call := say(text)
	call.Session, call.Message = session, fmt.Sprint("message ", message)
	return call
}

// A model that repeats a call gets a warning, then the approver is asked, then the call is refused.
func TestLoopsAreStopped(t *testing.T) {
	ran := 0
	r := withTool(t, Options{}, echo(), does(func(context.Context, tool.Invocation) { ran++ }))
	for i := 1; i <= 12; i++ {
		call := inSession("s", "x", i)
		if i%2 == 0 { // equal arguments, written differently
			call.Arguments = json.RawMessage(` { "limit" : 20.0 , "text" : "\u0078" } `)
		}
		result, err := r.Execute(t.Context(), call)
		warned := len(result.Warnings) > 0 && strings.Contains(strings.Join(result.Warnings, " "), "echo was called")
		switch {
		case i < 3:
			if err != nil || warned {
				t.Errorf("call %d: %v, %q", i, err, result.Warnings)
			}
		case i < 5:
			if err != nil || !warned || !strings.Contains(result.Warnings[0], fmt.Sprintf("%d times in a row", i)) {
				t.Errorf("call %d: %v, %q", i, err, result.Warnings)
			}
		case i < 10:
			if e := wantCode(t, err, tool.CodeApprovalRequired); !e.Recoverable || !strings.Contains(result.Text(), loop.Advice) {
				t.Errorf("call %d: the model reads %q", i, result.Text())
			}
		default:
			if e := wantCode(t, err, tool.CodePermissionDenied); !e.Recoverable || !strings.Contains(result.Text(), loop.Advice) {
				t.Errorf("call %d: the model reads %q", i, result.Text())
			}
		}
	}
	if ran != 4 {
		t.Errorf("the tool ran %d times", ran)
	}
	if l, found := r.Calls().DetectLoop("", "s"); !found || l.Count != 12 || l.Period() != 1 {
		t.Errorf("found %+v, %v", l, found)
	}
	// Other calls still run, and so do calls of other sessions.
	for _, call := range []tool.Call{inSession("s", "y", 13), inSession("other", "x", 1), say("x")} {
		if _, err := r.Execute(t.Context(), call); err != nil {
			t.Error(err)
		}
	}
	r.ForgetSession("", "s")
	if l, found := r.Calls().DetectLoop("", "s"); found || len(r.Calls().History("", "s", 0)) > 0 {
		t.Errorf("after forgetting: %+v", l)
	}
}

// Repeated calls without a session get the warning and are found, for each tenant alone, but all of
// them run.
func TestLoopsWithoutSessionOnlyWarn(t *testing.T) {
	ran := 0
	r := withTool(t, Options{}, echo(), does(func(context.Context, tool.Invocation) { ran++ }))
	for i := 1; i <= 40; i++ {
		result, err := r.Execute(t.Context(), say("x"))
		if warned := strings.Contains(strings.Join(result.Warnings, " "), loop.Advice); err != nil || warned != (i >= 3) {
			t.Errorf("call %d: %v, %q", i, err, result.Warnings)
		}
	}
	if l, found := r.Calls().DetectLoop("", ""); !found || fmt.Sprint(l.Tools) != "[echo]" || ran != 40 {
		t.Errorf("found %+v, %v after %d calls", l, found, ran)
	}
	call := say("x")
	call.Tenant = "other"
	if result, err := r.Execute(t.Context(), call); err != nil || len(result.Warnings) > 0 {
		t.Errorf("another tenant: %v, %q", err, result.Warnings)
	}
}

// Calls with changing results or effects are not a loop. Calls that fail in the same way are a
// loop, and so are calls of tools that do not exist.
func TestProgressIsNotALoop(t *testing.T) {
	n := 0
	tests := map[string]struct {
		execute func() (tool.Result, error)
		call    func(i int) tool.Call
		loops   bool
	}{
		"another result each time": {func() (tool.Result, error) {
			n++
			return tool.Result{Content: []tool.Content{tool.TextContent(fmt.Sprint(n))}}, nil
		}, nil, false},
		"an effect each time": {func() (tool.Result, error) {
			return tool.Result{Call: tool.CallInfo{Usage: capability.Usage{FilesWritten: []string{"/workspace/a"}}}}, nil
		}, nil, false},
		"only reading": {func() (tool.Result, error) {
			return tool.Result{Call: tool.CallInfo{Usage: capability.Usage{FilesRead: []string{"/workspace/a"}}}}, nil
		}, nil, true},
		"the same failure": {func() (tool.Result, error) {
			return tool.Result{}, &tool.Error{Code: tool.CodeExecution, Message: "no luck"}
		}, nil, true},
		"an internal error that names the call": {func() (tool.Result, error) { panic("x") }, nil, true},
		"other arguments each time":             {nil, func(i int) tool.Call { return inSession("s", fmt.Sprint(i), i) }, false},
		"bad arguments": {nil, func(int) tool.Call {
			return tool.Call{Tool: "echo", Arguments: json.RawMessage(`{`), Session: "s"}
		}, true},
		"no such tool": {nil, func(int) tool.Call { return tool.Call{Tool: "nothing", Session: "s"} }, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := &fake{}
			if tt.execute != nil {
				f.execute = func(context.Context, tool.Invocation) (tool.Result, error) { return tt.execute() }
			}
			r := withTool(t, Options{}, echo(), f)
			warned := false
			for i := range 4 {
				call := inSession("s", "x", i)
				if tt.call != nil {
					call = tt.call(i)
				}
				result, _ := r.Execute(t.Context(), call)
				warned = strings.Contains(strings.Join(result.Warnings, " "), loop.Advice)
			}
			if warned != tt.loops {
				t.Errorf("warned: %v, want %v", warned, tt.loops)
			}
		})
	}
}

// If a call needs an approval because of a loop and also because its tool is dangerous, the
// approver is asked once. A remembered approval does not replace the answer. An approval resets the
// count, but the ceiling still applies.
func TestLoopNeedsItsOwnApproval(t *testing.T) {
	spec := echo()
	spec.Dangerous = true
	var asked []Question
	yes := ApproverFunc(func(_ context.Context, q Question) (Answer, error) {
		asked = append(asked, q)
		return Answer{Yes: true, Remember: remembered.ScopeAlways}, nil
	})
	store, err := remembered.Open(filepath.Join(t.TempDir(), "own"), remembered.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := New(Options{Approvals: ApprovalOptions{Approver: yes, Store: store.Approvals}, Calls: ledger.Options{Loops: loop.Options{Ceiling: 12}}})
	if err := r.Tools().Register(spec, &identified{fake: &fake{}, digest: "sha256:" + strings.Repeat("a", 64)}); err != nil {
		t.Fatal(err)
	}
	var refused []int
	for i := 1; i <= 14; i++ {
		_, err := r.Execute(t.Context(), inSession("s", "x", i))
		if err != nil {
			wantCode(t, err, tool.CodePermissionDenied)
			refused = append(refused, i)
		}
	}
	// The first call needs an approval because the tool is dangerous, and the approval is
	// remembered. Each further question is asked when the count since the last approval reaches
	// five.
	var whys []string
	for _, q := range asked {
		whys = append(whys, q.Why)
	}
	if len(whys) != 3 || strings.Contains(whys[0], "in a row") || !strings.Contains(whys[1], "dangerous; and echo was called 5 times") || !strings.Contains(whys[2], "9 times") {
		t.Errorf("asked %q", whys)
	}
	if fmt.Sprint(refused) != "[12 13 14]" {
		t.Errorf("refused %v", refused)
	}
}

// An approval of a loop alone is not remembered.
func TestApprovalOfALoopIsNotRemembered(t *testing.T) {
	store, err := remembered.Open(filepath.Join(t.TempDir(), "own"), remembered.Options{})
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	yes := ApproverFunc(func(context.Context, Question) (Answer, error) {
		asked++
		return Answer{Yes: true, Remember: remembered.ScopeAlways}, nil
	})
	r := New(Options{Approvals: ApprovalOptions{Approver: yes, Store: store.Approvals}, Calls: ledger.Options{Loops: loop.Options{Warn: -1, Ask: 2, Block: -1}}})
	if err := r.Tools().Register(echo(), &identified{fake: &fake{}, digest: "sha256:" + strings.Repeat("a", 64)}); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		if _, err := r.Execute(t.Context(), inSession("s", "x", i)); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := store.Approvals.List(t.Context(), "")
	if err != nil || len(kept) > 0 || asked != 4 {
		t.Errorf("kept %v, %v; asked %d times", kept, err, asked)
	}
}

// Repetition can only make a decision stricter, and the receipt names the rule.
func TestReceiptNamesTheLoopRule(t *testing.T) {
	var last tool.Receipt
	deny := compile(t, policy.Config{Deny: []string{"echo"}})
	r := withTool(t, Options{Calls: ledger.Options{OnReceipt: func(r tool.Receipt) { last = r }}}, echo(), &fake{})
	for i := range 11 {
		_, _ = r.Execute(t.Context(), inSession("s", "x", i))
	}
	if last.Decision != "deny" || last.Rule != ledger.RuleLoop {
		t.Errorf("the receipt has %s by %s", last.Decision, last.Rule)
	}
	r.SetRules(Rules{Policy: deny})
	_, err := r.Execute(t.Context(), inSession("s", "x", 12))
	wantCode(t, err, tool.CodeDisabled)
}

func TestPollingToolMayRepeat(t *testing.T) {
	spec := echo()
	spec.Polling = true
	r := withTool(t, Options{Calls: ledger.Options{Loops: loop.Options{Ceiling: 5}}}, spec, &fake{})
	for i := 1; i <= 21; i++ {
		result, err := r.Execute(t.Context(), inSession("s", "x", i))
		if i < 20 && (err != nil || len(result.Warnings) > 0) {
			t.Errorf("call %d: %v, %q", i, err, result.Warnings)
		}
		if i >= 20 {
			wantCode(t, err, tool.CodePermissionDenied)
		}
	}
}

// Ended calls are kept in the history and passed to its Sink.
func TestHistoryKeepsCalls(t *testing.T) {
	var sunk []history.Record
	r := withTool(t, Options{Calls: ledger.Options{History: history.Options{PerSession: 3, Sink: func(r history.Record) {
		if sunk = append(sunk, r); len(sunk) == 1 {
			panic("a sink")
		}
	}}}}, echo(), &fake{})
	calls := []tool.Call{
		inSession("s", "a", 1), inSession("s", "b", 2),
		{Tool: "nothing", Session: "s"},
		{Tool: "echo", Session: "s", Arguments: json.RawMessage(`{"limit":20,"text":"a"}`)},
		inSession("other", "a", 1),
	}
	for _, call := range calls {
		_, _ = r.Execute(t.Context(), call)
	}
	got := r.Calls().History("", "s", 0)
	if len(got) != 3 || len(sunk) != 5 {
		t.Fatalf("kept %+v; the sink got %d", got, len(sunk))
	}
	newest := got[0]
	if string(newest.Parameters) != `{"limit":20,"text":"a"}` || newest.Tool != "echo" || newest.ID == "" || newest.Started.IsZero() || newest.Code != "" {
		t.Errorf("the newest is %+v", newest)
	}
	if got[1].Tool != "nothing" || got[1].Code != tool.CodeNotFound || got[2].Message != "message 2" {
		t.Errorf("then %+v", got[1:])
	}
	if a, b := sunk[0], sunk[3]; a.ParametersHash != b.ParametersHash || a.ParametersHash == sunk[1].ParametersHash {
		t.Errorf("the hashes are %q, %q and %q", a.ParametersHash, b.ParametersHash, sunk[1].ParametersHash)
	}
	if got := r.Calls().History("other tenant", "s", 0); len(got) > 0 {
		t.Errorf("another tenant sees %+v", got)
	}
	long := inSession("long", strings.Repeat("x", history.MaxParameters), 1)
	if _, err := r.Execute(t.Context(), long); err != nil {
		t.Fatal(err)
	}
	if got := r.Calls().History("", "long", 1)[0]; got.Parameters != nil || got.ParametersHash == "" {
		t.Errorf("of long parameters %+v is kept", got)
	}
}
