package registry

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// A call that fails at several stages has the error of the first: the tool must be registered and
// visible, then the arguments must be valid, then the permissions must be granted, and then the
// call must be approved. A caller learns nothing about the schema of a hidden tool.
func TestFirstStageThatFailsEndsTheCall(t *testing.T) {
	hidden, disabled := policy.Config{Deny: []string{"echo"}}, policy.Config{Off: true}
	for _, tt := range []struct {
		name, tool, arguments string
		policy                policy.Config
		granted               bool
		want                  tool.Code
		asked, ran            bool
	}{
		{"no such tool", "none", `{}`, policy.Config{}, false, tool.CodeNotFound, false, false},
		{"hidden, invalid arguments", "echo", `{}`, hidden, false, tool.CodeDisabled, false, false},
		{"switched off, invalid arguments", "echo", `{}`, disabled, false, tool.CodeDisabled, false, false},
		{"invalid arguments, not granted", "echo", `{}`, policy.Config{}, false, tool.CodeInvalidArgument, false, false},
		{"invalid arguments, granted", "echo", `{}`, policy.Config{}, true, tool.CodeInvalidArgument, false, false},
		{"not granted", "echo", `{"text":"x"}`, policy.Config{}, false, tool.CodePermissionDenied, false, false},
		{"all is well", "echo", `{"text":"x"}`, policy.Config{}, true, "", true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked, ran := false, false
			spec := echo()
			spec.Dangerous, spec.Permissions = true, capability.Permissions{Env: []string{"LANG"}}
			rules := Rules{Policy: compile(t, tt.policy)}
			if tt.granted {
				rules.Grantable.Env = map[string]string{"LANG": "C"}
			}
			approver := ApproverFunc(func(context.Context, Question) (Answer, error) {
				asked = !ran
				return Answer{Yes: true}, nil
			})
			r := withTool(t, Options{Rules: rules, Approvals: ApprovalOptions{Approver: approver}}, spec, does(func(context.Context, tool.Invocation) { ran = true }))
			result, err := r.Execute(t.Context(), tool.Call{Tool: tt.tool, Arguments: json.RawMessage(tt.arguments)})
			if tool.CodeOf(err) != tt.want || asked != tt.asked || ran != tt.ran {
				t.Errorf("got %v, asked: %v, ran: %v", err, asked, ran)
			}
			if shown := result.Text(); tt.want == tool.CodeDisabled && strings.Contains(shown, "text") {
				t.Errorf("the message shows the schema: %s", shown)
			}
			if calls := r.Calls().History("", "", 0); len(calls) != 1 || calls[0].Code != tt.want {
				t.Errorf("recorded %+v", calls)
			}
		})
	}
}

// A running call finishes when its tool is unregistered. Later calls find no tool.
func TestUnregisterLetsRunningCallsFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := withTool(t, Options{}, echo(), &fake{execute: func(ctx context.Context, _ tool.Invocation) (tool.Result, error) {
			select {
			case <-ctx.Done():
				return tool.Result{}, ctx.Err()
			case <-time.After(time.Second):
				return textResult("done"), nil
			}
		}})
		running := r.Start(t.Context(), say("x"))
		synctest.Wait()
		if ok, err := r.Tools().Unregister("echo"); !ok || err != nil {
			t.Fatalf("%v, %v", ok, err)
		}
		_, err := r.Execute(t.Context(), say("x"))
		wantCode(t, err, tool.CodeNotFound)
		if result, err := running.Result(t.Context()); err != nil || result.Text() != "done" {
			t.Errorf("the running call: %q, %v", result.Text(), err)
		}
	})
}

// Subscribers, such as the MCP server, learn that a tool has described itself, also when it does so
// again.
func TestNewDescriptionIsPublished(t *testing.T) {
	r := withDynamic(t, Options{}, func(context.Context) (tool.Definition, error) { return onlyCook, nil })
	again := func(ctx context.Context, names ...string) error {
		_, err := r.Tools().Refresh(ctx, names[0])
		return err
	}
	for i, describe := range []func(context.Context, ...string) error{r.Tools().Describe, again} {
		s := r.Calls().Subscribe(ledger.EventFilter{Kinds: []ledger.EventKind{ledger.EventTools}})
		if err := describe(t.Context(), "skill"); err != nil {
			t.Fatal(err)
		}
		s.Close()
		events := 0
		for range s.Events() {
			events++
		}
		if d := catalogue.Definitions(r.Tools().List(catalogue.Filter{})); events == 0 || d[0].Description != onlyCook.Description {
			t.Errorf("description %d: %d events, %+v", i+1, events, d)
		}
	}
}
