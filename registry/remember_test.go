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

// Without a store, a yes for a session is good for that session of that tenant, with exactly
// the arguments, until the session is forgotten; one for always is good for it, too. What
// cannot be kept is told.
func TestAYesIsKeptForItsSessionWithoutAStore(t *testing.T) {
	for name, tt := range map[string]struct {
		scope   remembered.Scope
		session string
		digest  string
		asks    []int // after each call, how often it was asked
		told    string
	}{
		"once":                {remembered.ScopeOnce, "s", digestA, []int{1, 2, 3, 4, 5, 6}, ""},
		"session":             {remembered.ScopeSession, "s", digestA, []int{1, 1, 2, 3, 4, 5}, ""},
		"always":              {remembered.ScopeAlways, "s", digestA, []int{1, 1, 2, 3, 4, 5}, "an approval is kept for this session only"},
		"no session":          {remembered.ScopeSession, "", digestA, []int{1, 2, 3, 4, 5, 6}, "an approval is not remembered"},
		"always, no session":  {remembered.ScopeAlways, "", digestA, []int{1, 2, 3, 4, 5, 6}, "the call has no session"},
		"a tool of no digest": {remembered.ScopeSession, "s", "", []int{1, 1, 2, 3, 4, 5}, ""},
		"always, no digest":   {remembered.ScopeAlways, "s", "", []int{1, 1, 2, 3, 4, 5}, "an approval is kept for this session only"},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			var told bytes.Buffer
			r := New(Options{
				Logger: slog.New(slog.NewTextHandler(&told, nil)),
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
				call("a", tt.session, "x"), call("a", tt.session, "x"), // the same
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
			if !strings.Contains(told.String(), tt.told) || tt.told == "" && told.Len() > 0 {
				t.Errorf("told %s, want %q", &told, tt.told)
			}
		})
	}
}

// Answers about a tool without a digest are for the tool as it was registered.
func TestAYesIsNotForAToolInThePlaceOfAnother(t *testing.T) {
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
