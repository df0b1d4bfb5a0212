package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Without a store, an approval for a session covers only calls of that session and tenant with
// exactly the same arguments. It ends when the session is forgotten. The same applies to an
// approval for "always". If an approval cannot be kept, a warning is logged.
func TestApprovalLastsForItsSessionWithoutAStore(t *testing.T) {
	for name, tt := range map[string]struct {
		scope   remembered.Scope
		session string
		digest  string
		asks    []int // number of questions so far, after each call
		logged  string
	}{
		"once":                {remembered.ScopeOnce, "s", digestA, []int{1, 2, 3, 4, 5, 6}, ""},
		"session":             {remembered.ScopeSession, "s", digestA, []int{1, 1, 2, 3, 4, 5}, ""},
		"always":              {remembered.ScopeAlways, "s", digestA, []int{1, 1, 2, 3, 4, 5}, "an approval is remembered only for this session"},
		"no session":          {remembered.ScopeSession, "", digestA, []int{1, 2, 3, 4, 5, 6}, "cannot remember an approval"},
		"always, no session":  {remembered.ScopeAlways, "", digestA, []int{1, 2, 3, 4, 5, 6}, "can only be kept for a session, and the call has none"},
		"a tool of no digest": {remembered.ScopeSession, "s", "", []int{1, 1, 2, 3, 4, 5}, ""},
		"always, no digest":   {remembered.ScopeAlways, "s", "", []int{1, 1, 2, 3, 4, 5}, "an approval is remembered only for this session"},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			var logged bytes.Buffer
			r := New(Options{
				Logger: slog.New(slog.NewTextHandler(&logged, nil)),
				Approvals: ApprovalOptions{Approver: ApproverFunc(func(context.Context, Question) (Answer, error) {
					asked++
					return Answer{Yes: true, Remember: tt.scope}, nil
				})},
			})
			spec := echo()
			spec.Dangerous = true
			if err := r.Tools().Register(spec, &identified{&fake{}, tt.digest}); err != nil {
				t.Fatal(err)
			}
			call := func(tenant, session, text string) int {
				t.Helper()
				arguments, err := json.Marshal(map[string]string{"text": text})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := r.Execute(t.Context(), tool.Call{Tool: "echo", Tenant: tenant, Session: session, Arguments: arguments}); err != nil {
					t.Fatal(err)
				}
				return asked
			}
			other := ""
			if tt.session != "" {
				other = "another"
			}
			got := []int{
				call("a", tt.session, "x"), call("a", tt.session, "x"), // the same call again
				call("a", tt.session, "y"), call("a", other, "x"), call("b", tt.session, "x"),
			}
			r.ForgetSession("a", tt.session)
			got = append(got, call("a", tt.session, "x"))
			for i := range got {
				if got[i] != tt.asks[i] {
					t.Errorf("asked %v times, want %v", got, tt.asks)
					break
				}
			}
			if !strings.Contains(logged.String(), tt.logged) || tt.logged == "" && logged.Len() > 0 {
				t.Errorf("the log is %s, want %q", &logged, tt.logged)
			}
		})
	}
}

// An approval of a tool without a digest covers only this registration of the tool.
func TestApprovalDoesNotCoverAReplacedTool(t *testing.T) {
	asked := 0
	r := New(Options{Approvals: ApprovalOptions{Approver: ApproverFunc(func(context.Context, Question) (Answer, error) {
		asked++
		return Answer{Yes: true, Remember: remembered.ScopeSession}, nil
	})}})
	spec := echo()
	spec.Dangerous = true
	if err := r.Tools().Register(spec, &fake{}); err != nil {
		t.Fatal(err)
	}
	call := func(want int) {
		t.Helper()
		if _, err := r.Execute(t.Context(), tool.Call{Tool: "echo", Session: "s", Arguments: json.RawMessage(`{"text":"x"}`)}); err != nil || asked != want {
			t.Errorf("asked %d times, want %d: %v", asked, want, err)
		}
	}
	call(1)
	call(1)
	if _, err := r.Tools().Replace(spec.Name, spec, &fake{}); err != nil {
		t.Fatal(err)
	}
	call(2)
	call(2)
}
