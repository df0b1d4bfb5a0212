package registry

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// replaceable is a fake executor. Tests change its digest to simulate a replaced tool. It records
// the grant of its last run.
type replaceable struct {
	fake
	digest string
	loads  atomic.Int32
	ran    capability.Grant
}

func (i *replaceable) Digest(context.Context) (string, error) {
	i.loads.Add(1)
	return i.digest, nil
}

func (i *replaceable) Execute(ctx context.Context, in tool.Invocation) (tool.Result, error) {
	i.ran = in.Grant
	return i.fake.Execute(ctx, in)
}

// asking returns a tool that requests access to the workspace, a variable and the network.
func asking() tool.Spec {
	spec := echo()
	api, _ := capability.ParseURLPattern("https://api.example.com/v1")
	spec.Permissions = capability.Permissions{
		FS:  []capability.FS{{Mount: "workspace", Mode: capability.ModeWrite}},
		Net: []capability.Net{{URL: api, Methods: []string{"POST"}}},
		Env: []string{"LANG"},
	}
	return spec
}

// remembering returns a registry with one tool, the tool's executor, and the store of remembered
// grants. The registry uses bound(rules).
func remembering(t *testing.T, spec tool.Spec, rules Rules) (*Registry, *replaceable, *remembered.Files) {
	t.Helper()
	store, err := remembered.Open(filepath.Join(t.TempDir(), "a"), remembered.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	r := New(Options{Rules: bound(rules, t.TempDir()), Approvals: ApprovalOptions{Grants: store.Grants}})
	executor := &replaceable{digest: "sha256:one"}
	if err := r.Tools().Register(spec, executor); err != nil {
		t.Fatal(err)
	}
	return r, executor, store
}

// bound returns rules in which tools may read the workspace directory and the variable LANG.
func bound(rules Rules, workspace string) Rules {
	rules.Grantable.Mounts = map[string]capability.Mount{"workspace": {Dir: workspace, Mode: capability.ModeRead}}
	rules.Extend = func(o *capability.Grantable, words ...capability.Permission) error {
		return o.Add(capability.Bound{Env: func(name string) (string, bool) { return "C", name == "LANG" }}, words...)
	}
	return rules
}

func give(t *testing.T, s remembered.GrantStore, g remembered.Grant) remembered.Grant {
	t.Helper()
	given, err := s.Remember(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	return given
}

func callAs(t *testing.T, r *Registry, tenant string) error {
	t.Helper()
	_, err := r.Execute(t.Context(), tool.Call{Tool: "echo", Tenant: tenant, Arguments: json.RawMessage(`{"text":"x"}`)})
	return err
}

var all = []string{"write:workspace", "net:POST:https://api.example.com/v1", "env:LANG"}

func TestGrantCoversOneVersionOfAToolAndOneTenant(t *testing.T) {
	r, executor, store := remembering(t, asking(), Rules{})
	e := wantCode(t, callAs(t, r, ""), tool.CodePermissionDenied)
	if !slices.Equal(e.Details.Grant, all) || !strings.Contains(e.Details.Fix, "[tools.echo]\nallow = [") {
		t.Errorf("the suggestions are %q and %q", e.Details.Grant, e.Details.Fix)
	}
	if strings.Contains(e.Error(), "permission grant") {
		t.Errorf("the message tells a model how to get a grant: %v", e)
	}
	given := give(t, store.Grants, remembered.Grant{Tool: "echo", Digest: "sha256:one", Permissions: e.Details.Grant})
	if err := callAs(t, r, ""); err != nil {
		t.Errorf("after the grant: %v", err)
	}
	if executor.ran.Env["LANG"] != "C" || executor.ran.FS[0].Mode != capability.ModeWrite || len(executor.ran.Net) != 1 {
		t.Errorf("it ran under %+v", executor.ran)
	}
	wantCode(t, callAs(t, r, "other"), tool.CodePermissionDenied)

	executor.digest = "sha256:two"
	e = wantCode(t, callAs(t, r, ""), tool.CodePermissionDenied)
	if !strings.Contains(e.Message, "an earlier version of the tool") {
		t.Errorf("the message does not say that the tool changed: %v", e)
	}
	executor.digest = ""
	wantCode(t, callAs(t, r, ""), tool.CodePermissionDenied)
	executor.digest = "sha256:one"
	if ok, err := store.Grants.Revoke(t.Context(), "", given.ID); !ok || err != nil {
		t.Fatal(ok, err)
	}
	wantCode(t, callAs(t, r, ""), tool.CodePermissionDenied)
}

func TestGrantDoesNotOverrideTheOperator(t *testing.T) {
	env, err := capability.ParsePermission("env:LANG")
	if err != nil {
		t.Fatal(err)
	}
	dangerous := asking()
	dangerous.Dangerous = true
	rule := func(effect policy.Effect) *policy.Policy {
		return compile(t, policy.Config{Rules: []policy.Rule{{Effect: effect, Tools: []string{"*"}}}})
	}
	for _, tt := range []struct {
		name  string
		spec  tool.Spec
		rules Rules
		given remembered.Grant
		want  tool.Code
		helps []string
	}{
		{"all", asking(), Rules{}, remembered.Grant{Permissions: all}, "", nil},
		{"more than asked", asking(), Rules{}, remembered.Grant{Permissions: []string{"write:workspace", "net:any", "env:LANG", "kv:write"}}, "", nil},
		{"one permission less", asking(), Rules{}, remembered.Grant{Permissions: all[:2]}, tool.CodePermissionDenied, all[2:]},
		{"another method", asking(), Rules{}, remembered.Grant{Permissions: []string{"write:workspace", "env:LANG", "net:GET:https://api.example.com/v1"}}, tool.CodePermissionDenied, all[1:2]},
		{"a denial", asking(), Rules{Grantable: capability.Grantable{Deny: capability.Deny{env}}}, remembered.Grant{Permissions: all}, tool.CodePermissionDenied, nil},
		{"a rule that denies", asking(), Rules{Policy: rule(policy.Deny)}, remembered.Grant{Permissions: all, AutoExecute: true}, tool.CodePermissionDenied, nil},
		{"a rule that asks", asking(), Rules{Policy: rule(policy.Ask)}, remembered.Grant{Permissions: all, AutoExecute: true}, tool.CodeApprovalRequired, nil},
		{"a dangerous tool", dangerous, Rules{}, remembered.Grant{Permissions: all}, tool.CodeApprovalRequired, []string{policy.AutoExecute}},
		{"a dangerous tool that may run", dangerous, Rules{}, remembered.Grant{Permissions: all, AutoExecute: true}, "", nil},
		{"auto_execute alone", asking(), Rules{}, remembered.Grant{AutoExecute: true}, tool.CodePermissionDenied, all},
		{"a permission from the rules is not granted to the tool", asking(), Rules{Grantable: capability.Grantable{Env: map[string]string{"LANG": "C"}}}, remembered.Grant{Permissions: all[:2]}, tool.CodeApprovalRequired, all[2:]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, _, store := remembering(t, tt.spec, tt.rules)
			tt.given.Tool, tt.given.Digest = "echo", "sha256:one"
			give(t, store.Grants, tt.given)
			err := callAs(t, r, "")
			if tool.CodeOf(err) != tt.want {
				t.Fatalf("got %v, want %s", err, tt.want)
			}
			var e *tool.Error
			if !errors.As(err, &e) {
				return
			}
			for _, w := range tt.helps {
				if !slices.Contains(e.Details.Grant, w) {
					t.Errorf("%s would help, got %q", w, e.Details.Grant)
				}
			}
			if len(tt.helps) == 0 && len(e.Details.Grant) > 0 {
				t.Errorf("%q is suggested but does not help", e.Details.Grant)
			}
			// After the suggested permissions are granted, the next call succeeds.
			if len(tt.helps) > 0 {
				again := remembered.Grant{Tool: "echo", Digest: "sha256:one"}
				for _, w := range e.Details.Grant {
					if w == policy.AutoExecute {
						again.AutoExecute = true
						continue
					}
					again.Permissions = append(again.Permissions, w)
				}
				give(t, store.Grants, again)
				if err := callAs(t, r, ""); err != nil {
					t.Errorf("after granting %q: %v", e.Details.Grant, err)
				}
			}
		})
	}
}

// Rules.Granted acts like a grant to each tool.
func TestRulesGrantedActsLikeAGrant(t *testing.T) {
	var words []capability.Permission
	for _, text := range all {
		w, err := capability.ParsePermission(text)
		if err != nil {
			t.Fatal(err)
		}
		words = append(words, w)
	}
	r, _, _ := remembering(t, asking(), Rules{Granted: words, GrantedBy: "a flag"})
	if err := callAs(t, r, ""); err != nil {
		t.Error(err)
	}
	given, err := r.Access(t.Context(), "echo", "")
	if err != nil || given.Granted.Source != "a flag" || len(given.Missing) > 0 {
		t.Errorf("got %+v, %v", given, err)
	}
	r, _, _ = remembering(t, asking(), Rules{Granted: words[:2]})
	wantCode(t, callAs(t, r, ""), tool.CodePermissionDenied)
}

// Access names the grant that a permission of a tool comes from.
func TestDecisionNamesTheGrant(t *testing.T) {
	spec := echo()
	spec.Dangerous = true
	r, _, store := remembering(t, spec, Rules{})
	given := give(t, store.Grants, remembered.Grant{Tool: "echo", Digest: "sha256:one", AutoExecute: true})
	if got, err := r.Access(t.Context(), "echo", ""); err != nil || !got.Granted.AutoExecute || !strings.Contains(got.Granted.Source, given.ID) {
		t.Errorf("got %+v, %v", got.Granted, err)
	}
}

// For a tool that only reads, the registry neither loads the tool nor looks up grants.
func TestHarmlessToolNeedsNoGrantLookup(t *testing.T) {
	r, executor, store := remembering(t, echo(), Rules{})
	give(t, store.Grants, remembered.Grant{Tool: "echo", Digest: "sha256:one", Permissions: []string{"clock"}})
	if err := store.Close(); err != nil { // a lookup in the closed store would fail
		t.Fatal(err)
	}
	if err := callAs(t, r, ""); err != nil || executor.loads.Load() > 0 {
		t.Errorf("%v, %d loads", err, executor.loads.Load())
	}
}

func TestFailingStoreGrantsNothing(t *testing.T) {
	r, _, store := remembering(t, asking(), Rules{})
	give(t, store.Grants, remembered.Grant{Tool: "echo", Digest: "sha256:one", Permissions: all})
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	e := wantCode(t, callAs(t, r, ""), tool.CodePermissionDenied)
	if !strings.Contains(e.Message, "cannot read the grants of the tool") {
		t.Errorf("got %v", e)
	}
}
