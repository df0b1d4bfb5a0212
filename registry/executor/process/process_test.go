package process_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/executor/process"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/schedule"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// bench is a registry with the tool process and a tool bash with commands for tests: "say TEXT"
// returns the text, "wait" waits until it is cancelled or its timeout expires, "log" logs two lines
// and waits until it is cancelled. Other commands fail.
type bench struct {
	*testing.T
	tools *registry.Registry
	table *process.Table
}

func setUp(t *testing.T, o registry.Options, p process.Options, dangerous bool) bench {
	t.Helper()
	b := bench{T: t, tools: registry.New(o), table: process.NewTable(p)}
	t.Cleanup(func() {
		_ = b.table.Close()
		_ = b.tools.Close()
	})
	type input struct {
		Command string `json:"command"`
		Time    int    `json:"timeout_ms"`
	}
	spec, executor, err := native.DefineCall(native.Options{Spec: tool.Spec{
		Name: "bash", Description: "Runs a command.", Dangerous: dangerous, Timeout: time.Hour,
	}}, func(ctx context.Context, call tool.Call, in input) (string, error) {
		words := strings.Fields(in.Command)
		switch words[0] {
		case "say":
			return strings.Join(words[1:], "\n"), nil
		case "log":
			call.OnLog(0, "first")
			call.OnLog(0, "second")
			call.OnUpdate(tool.Update{Progress: &tool.Progress{Message: "halfway"}})
			call.OnUpdate(tool.Update{Content: []tool.Content{tool.TextContent("line 7\n")}})
			<-ctx.Done()
			return "", ctx.Err()
		case "wait": // ends after timeout_ms; the registry must not end it earlier
			ended, stop := context.WithTimeout(ctx, time.Duration(in.Time)*time.Millisecond)
			defer stop()
			<-ended.Done()
			if ctx.Err() == nil {
				return "", fmt.Errorf("stopped after %d ms", in.Time)
			}
			return "", ctx.Err()
		}
		return "", fmt.Errorf("%s: command not found", words[0])
	})
	if err == nil {
		err = b.tools.Tools().Register(spec, executor)
	}
	if err != nil {
		t.Fatal(err)
	}
	spec, executor, err = b.table.Define()
	if err == nil {
		err = b.tools.Tools().Register(spec, executor)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// do calls process in a session and returns the text of the result or the error.
func (b bench) do(session, arguments string) string {
	b.Helper()
	result, err := b.call(session, arguments)
	if err != nil {
		return err.Error()
	}
	return result.Text()
}

func (b bench) call(session, arguments string) (tool.Result, error) {
	return b.tools.Execute(b.Context(), tool.Call{Tool: "process", Session: session, Arguments: json.RawMessage(arguments)})
}

func (b bench) want(got, part string) {
	b.Helper()
	if !strings.Contains(got, part) {
		b.Errorf("got %q, want %q in it", got, part)
	}
}

func TestJobFromStartToEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setUp(t, registry.Options{}, process.Options{}, false)
		b.want(b.do("s", `{"action":"list"}`), "no jobs in this session")
		b.want(b.do("s", `{"action":"start","command":"log"}`), "job_1: running, 0.5 s\nhalfway\nfirst\nsecond\nthe end of its output so far:\nline 7")
		b.want(b.do("s", `{"action":"poll","id":"job_1","wait_seconds":1}`), "job_1: running, 1.5 s\nhalfway")
		if got := b.do("s", `{"action":"poll","id":"job_1"}`); strings.Contains(got, "first") {
			t.Errorf("log lines are repeated: %q", got)
		}
		b.want(b.do("s", `{"action":"log","id":"job_1"}`), "first\nsecond\nline 7")
		b.want(b.do("s", `{"action":"start","command":"say a b c"}`), "job_2: completed, 0.0 s\na\nb\nc")
		b.want(b.do("s", `{"action":"log","id":"job_2","offset":2,"limit":1}`), "b\n[lines 2 to 2 of 3; continue with offset=3]")
		b.want(b.do("s", `{"action":"start","command":"nonsense"}`), "job_3: failed, 0.0 s\nbash: the tool says: nonsense: command not found")
		b.want(b.do("s", `{"action":"kill","id":"job_1"}`), "job_1: killed")
		b.want(b.do("s", `{"action":"list"}`), "job_1: killed, 1.5 s: log\njob_2: completed, 0.0 s: say a b c\njob_3: failed, 0.0 s: nonsense")
	})
}

func TestInvalidCallsOfProcess(t *testing.T) {
	b := setUp(t, registry.Options{}, process.Options{}, false)
	for _, c := range []struct{ arguments, want string }{
		{`{"action":"start"}`, `the argument "command" is missing`},
		{`{"action":"poll"}`, `the argument "id" is missing`},
		{`{"action":"kill","id":"job_9"}`, `there is no job "job_9"`},
		{`{"action":"write","id":"job_9"}`, `"action" must be one of`},
		{`{"action":"log","id":"job_9","offset":0}`, `"offset" must be`},
	} {
		b.want(b.do("s", c.arguments), c.want)
	}
}

// Another session or tenant cannot tell whether a job exists.
func TestJobsBelongToASession(t *testing.T) {
	b := setUp(t, registry.Options{}, process.Options{}, false)
	b.want(b.do("a", `{"action":"start","command":"wait"}`), "job_1: running")
	b.want(b.do("b", `{"action":"list"}`), "no jobs in this session")
	b.want(b.do("b", `{"action":"kill","id":"job_1"}`), "there is no job")
	other, err := b.tools.Tenant("t", registry.TenantOptions{}).Execute(t.Context(), tool.Call{Tool: "process", Session: "a", Arguments: json.RawMessage(`{"action":"list"}`)})
	if err != nil {
		t.Fatal(err)
	}
	b.want(other.Text(), "no jobs in this session")
	b.want(b.do("a", `{"action":"poll","id":"job_1"}`), "job_1: running")
}

// A job needs approval, and is denied, like any other call of its tool.
func TestJobNeedsApprovalOfItsTool(t *testing.T) {
	b := setUp(t, registry.Options{}, process.Options{}, true)
	_, err := b.call("s", `{"action":"start","command":"say a"}`)
	var e *tool.Error
	if !errors.As(err, &e) || e.Code != tool.CodeApprovalRequired {
		t.Errorf("got %v", err)
	}
	b.want(b.do("s", `{"action":"list"}`), "no jobs in this session")

	var asked registry.Question
	var outer string
	b = setUp(t, registry.Options{Approvals: registry.ApprovalOptions{Approver: registry.ApproverFunc(func(_ context.Context, q registry.Question) (registry.Answer, error) {
		asked = q
		return registry.Answer{Yes: true}, nil
	})}}, process.Options{}, true)
	result, err := b.call("s", `{"action":"start","command":"say a"}`)
	if err != nil {
		t.Fatal(err)
	}
	b.want(result.Text(), "job_1: completed")
	if outer = result.Call.ID; asked.Tool.Name != "bash" || asked.ID != outer || asked.Session != "s" {
		t.Errorf("asked about %s in call %s of session %q; the caller made call %s", asked.Tool.Name, asked.ID, asked.Session, outer)
	}
}

// A job is nested in the call that starts it, and has no AutoConfirm from that call.
func TestJobIsANestedCall(t *testing.T) {
	var receipts []string
	b := setUp(t, registry.Options{Calls: ledger.Options{OnReceipt: func(r tool.Receipt) {
		receipts = append(receipts, fmt.Sprint(r.Tool, " ", r.Code, r.ApprovedBy))
	}}}, process.Options{}, true)
	asked := 0
	_, err := b.tools.Execute(t.Context(), tool.Call{
		Tool: "process", Session: "s", Arguments: json.RawMessage(`{"action":"start","command":"say a"}`),
		AutoConfirm: func(tool.CallRef, tool.Spec, tool.AskReason) bool {
			asked++
			return true
		},
	})
	if tool.CodeOf(err) != tool.CodeApprovalRequired || asked > 0 {
		t.Errorf("got %v; AutoConfirm was called %d times", err, asked)
	}
	if got := strings.Join(receipts, ", "); got != "bash approval_required, process approval_required" {
		t.Errorf("the receipts have %s", got)
	}

	depth := -1
	b = setUp(t, registry.Options{}, process.Options{Tool: "depth"}, false)
	spec, executor, err := native.Raw(native.Options{Spec: tool.Spec{
		Name: "depth", Description: "For a test.", Parameters: json.RawMessage(`{"type":"object"}`),
	}}, func(_ context.Context, in tool.Invocation) (tool.Result, error) {
		depth = in.Depth
		return tool.Result{}, nil
	})
	if err == nil {
		err = b.tools.Tools().Register(spec, executor)
	}
	if err != nil {
		t.Fatal(err)
	}
	b.want(b.do("s", `{"action":"start","command":"x"}`), "job_1: completed")
	if depth != 1 {
		t.Errorf("the depth of the job is %d", depth)
	}
}

// Tenant options restrict a job like the other calls of the tenant.
func TestTenantOptionsApplyToJobs(t *testing.T) {
	b := setUp(t, registry.Options{}, process.Options{}, true)
	yes := registry.ApproverFunc(func(context.Context, registry.Question) (registry.Answer, error) {
		return registry.Answer{Yes: true}, nil
	})
	call := tool.Call{Tool: "process", Arguments: json.RawMessage(`{"action":"start","command":"say a"}`)}
	if _, err := b.tools.Tenant("a", registry.TenantOptions{Approver: yes}).Execute(t.Context(), call); err != nil {
		t.Error(err)
	}
	if _, err := b.tools.Tenant("b", registry.TenantOptions{}).Execute(t.Context(), call); err == nil {
		t.Error("a job ran without approval")
	}
}

func TestNumberOfJobsIsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setUp(t, registry.Options{}, process.Options{MaxJobs: 2, MaxTotal: 3, KeepFor: time.Minute, Timeout: time.Second}, false)
		b.want(b.do("a", `{"action":"start","command":"say 1"}`), "job_1: completed")
		b.want(b.do("a", `{"action":"start","command":"wait","timeout_seconds":100}`), "job_2: running")
		// Starting job_3 removes job_1, which has ended.
		b.want(b.do("a", `{"action":"start","command":"wait","timeout_seconds":100}`), "job_3: running")
		b.want(b.do("a", `{"action":"start","command":"wait"}`), "this session has 2 running jobs")
		b.want(b.do("b", `{"action":"start","command":"wait"}`), "job_1: running")
		b.want(b.do("c", `{"action":"start","command":"wait"}`), "3 jobs are running in all sessions")
		b.want(b.do("b", `{"action":"poll","id":"job_1","wait_seconds":60}`), "job_1: failed, 1.0 s\nbash: the tool says: stopped after 1000 ms")
		b.want(b.do("c", `{"action":"start","command":"say 1"}`), "job_1: completed")
		time.Sleep(2 * time.Minute)
		b.want(b.do("c", `{"action":"list"}`), "no jobs in this session")
		b.want(b.do("a", `{"action":"list"}`), "job_2: failed, 100.0 s: wait")
		b.want(b.do("a", `{"action":"start","command":"wait","timeout_seconds":601}`), "timeout_seconds")
	})
}

func TestCloseEndsJobs(t *testing.T) {
	b := setUp(t, registry.Options{}, process.Options{}, false)
	b.want(b.do("s", `{"action":"start","command":"wait"}`), "job_1: running")
	if err := b.table.Close(); err != nil {
		t.Fatal(err)
	}
	b.want(b.do("s", `{"action":"poll","id":"job_1"}`), "job_1: failed")
	b.want(b.do("s", `{"action":"start","command":"wait"}`), "no job can be started")
}

// The log of a job has a size limit. At the limit, its oldest lines are dropped.
func TestLogOfJobIsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tools := registry.New(registry.Options{})
		table := process.NewTable(process.Options{Tool: "talk", Parameter: "text"})
		t.Cleanup(func() {
			_ = table.Close()
			_ = tools.Close()
		})
		type input struct {
			Text string `json:"text"`
		}
		spec, executor, err := native.DefineCall(native.Options{Spec: tool.Spec{Name: "talk", Description: "Talks."}}, func(ctx context.Context, call tool.Call, in input) (string, error) {
			for n := range 100 {
				call.OnLog(0, fmt.Sprintf("%d %s", n, strings.Repeat("x", 10<<10)))
			}
			<-ctx.Done()
			return "", ctx.Err()
		})
		if err == nil {
			err = tools.Tools().Register(spec, executor)
		}
		if err != nil {
			t.Fatal(err)
		}
		spec, executor, err = table.Define()
		if err == nil {
			err = tools.Tools().Register(spec, executor)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tools.Execute(t.Context(), tool.Call{Tool: "process", Arguments: json.RawMessage(`{"action":"start","command":"x"}`)}); err != nil {
			t.Fatal(err)
		}
		result, err := tools.Execute(t.Context(), tool.Call{Tool: "process", Arguments: json.RawMessage(`{"action":"log","id":"job_1"}`)})
		if err != nil {
			t.Fatal(err)
		}
		if text := result.Text(); len(text) > 300<<10 || strings.HasPrefix(text, "0 x") || !strings.Contains(text, "\n99 x") {
			t.Errorf("got %d bytes that begin with %.40q", len(text), text)
		}
	})
}

// The call of a job waits for a slot to run in. Starting the job must not occupy that slot, even if
// the tenant has only one.
func TestStartOccupiesNoPlaceWhileItsJobWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setUp(t, registry.Options{Schedule: schedule.Options{MaxTenantCalls: 1}}, process.Options{}, false)
		b.want(b.do("s", `{"action":"start","command":"say a"}`), "job_1: running")
		synctest.Wait()
		b.want(b.do("s", `{"action":"poll","id":"job_1"}`), "job_1: completed")
	})
}

// The jobs of a tenant leave call slots free for its other calls, such as polls and kills.
func TestJobsLeavePlacesForOtherCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setUp(t, registry.Options{Schedule: schedule.Options{MaxTenantCalls: 3}}, process.Options{MaxRunning: 2}, false)
		const start = `{"action":"start","command":"wait","timeout_seconds":100}`
		b.want(b.do("a", start), "job_1: running")
		b.want(b.do("b", start), "job_1: running")
		b.want(b.do("c", start), "2 jobs are running in all your sessions, which is the limit")
		b.want(b.do("a", `{"action":"kill","id":"job_1"}`), "job_1: killed")
		b.want(b.do("c", start), "job_1: running")
	})
}

// A tenant with many sessions can neither occupy all job slots nor displace the ended jobs of other
// tenants.
func TestTenantWithManyJobsKeepsNoOtherOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := setUp(t, registry.Options{}, process.Options{MaxJobs: 1, MaxTenant: 3, MaxTotal: 4}, false)
		do := func(tenant, session, arguments string) string {
			result, err := b.tools.Execute(t.Context(), tool.Call{Tool: "process", Tenant: tenant, Session: session, Arguments: json.RawMessage(arguments)})
			if err != nil {
				return err.Error()
			}
			return result.Text()
		}
		const wait, say = `{"action":"start","command":"wait"}`, `{"action":"start","command":"say a"}`
		b.want(do("flood", "1", wait), "job_1: running")
		b.want(do("flood", "2", wait), "job_1: running")
		b.want(do("flood", "3", wait), "job_1: running")
		b.want(do("flood", "4", wait), "3 jobs are running in all your sessions")
		b.want(do("other", "1", say), "job_1: completed")
		b.want(do("flood", "4", wait), "3 jobs are running in all your sessions")
		b.want(do("other", "1", `{"action":"poll","id":"job_1"}`), "job_1: completed")
		b.want(do("flood", "3", `{"action":"kill","id":"job_1"}`), "job_1: killed")
		b.want(do("third", "1", wait), "job_1: running") // replaces a job of the tenant flood
		b.want(do("flood", "3", `{"action":"list"}`), "no jobs in this session")
		b.want(do("flood", "5", wait), "4 jobs are running in all sessions")
		b.want(do("other", "1", `{"action":"poll","id":"job_1"}`), "job_1: completed")
	})
}
