package registry

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// compile returns a policy that is compiled for a single tool, echo.
func compile(t *testing.T, c policy.Config) *policy.Policy {
	t.Helper()
	p, err := policy.Compile(c, policy.Known{Tools: []policy.ToolFacts{{Name: "echo"}}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestDangerousToolNeedsAnApproval(t *testing.T) {
	spec := echo()
	spec.Dangerous, spec.Confirm = true, "Say {text} up to {limit} times?"
	var asked Question
	answer := func(yes bool, err error) Approver {
		return ApproverFunc(func(_ context.Context, q Question) (Answer, error) {
			asked = q
			return Answer{Yes: yes}, err
		})
	}
	tests := []struct {
		name     string
		approver Approver
		want     tool.Code
	}{
		{"approved", answer(true, nil), ""},
		{"no", answer(false, nil), tool.CodePermissionDenied},
		{"no approver is available", nil, tool.CodeApprovalRequired},
		{"an error denies", answer(true, errors.New("broken")), tool.CodeApprovalRequired},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ran := false
			f := &fake{execute: func(context.Context, tool.Invocation) (tool.Result, error) {
				ran = true
				return tool.Result{}, nil
			}}
			// The arguments cannot approve the call.
			arguments := json.RawMessage(`{"text":"a\u001b[2J\"b","confirmed":true,"approved":true,"yes":true}`)
			_, err := withTool(t, Options{Approvals: ApprovalOptions{Approver: tt.approver}}, spec, f).Execute(context.Background(), tool.Call{Tool: "echo", Arguments: arguments})
			if got := tool.CodeOf(err); got != tt.want || ran != (tt.want == "") {
				t.Errorf("got %v, ran: %v", err, ran)
			}
		})
	}
	if want := `Say "a\x1b[2J\"b" up to "20" times?`; asked.Confirm != want {
		t.Errorf("asked %s, want %s", asked.Confirm, want)
	}
}

func TestQuestionEndsAtItsDeadline(t *testing.T) {
	spec := echo()
	spec.Dangerous = true
	synctest.Test(t, func(t *testing.T) {
		deaf := ApproverFunc(func(ctx context.Context, _ Question) (Answer, error) {
			<-ctx.Done()
			return Answer{Yes: true}, nil // too late
		})
		r := withTool(t, Options{Approvals: ApprovalOptions{Approver: deaf, Timeout: time.Minute}}, spec, &fake{})
		call := tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"text":""}`)}
		start := time.Now()
		_, err := r.Execute(t.Context(), call)
		wantCode(t, err, tool.CodeApprovalRequired)
		if got := time.Since(start); got != time.Minute {
			t.Errorf("the question ended after %v", got)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = r.Execute(ctx, call)
		wantCode(t, err, tool.CodeTimeout)
	})
}

// An Approver that violates its contract neither blocks a caller nor ends the process.
func TestBadApproverBlocksNoCaller(t *testing.T) {
	spec := echo()
	spec.Dangerous = true
	call := tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"text":""}`)}
	panics := ApproverFunc(func(context.Context, Question) (Answer, error) { panic("/root/secret/path") })
	_, err := withTool(t, Options{Approvals: ApprovalOptions{Approver: panics}}, spec, &fake{}).Execute(context.Background(), call)
	if e := wantCode(t, err, tool.CodeApprovalRequired); strings.Contains(e.Error(), "secret") {
		t.Errorf("got %q", e.Error())
	}
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		stuck := ApproverFunc(func(context.Context, Question) (Answer, error) {
			<-release
			return Answer{Yes: true}, nil
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		_, err := withTool(t, Options{Approvals: ApprovalOptions{Approver: stuck}}, spec, &fake{}).Execute(ctx, call)
		wantCode(t, err, tool.CodeTimeout)
		if got := time.Since(start); got != time.Second {
			t.Errorf("waited %v", got)
		}
	})
}
