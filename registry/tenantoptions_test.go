package registry

import (
	"context"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Tenant options replace directories and values, and remove permissions. They never add to what the
// rules grant.
func TestTenantOptionsOnlyRestrict(t *testing.T) {
	auto := map[string]policy.ToolRule{"echo": {AutoExecute: true}}
	mount := func(dir string, mode capability.Mode) map[string]capability.Mount {
		return map[string]capability.Mount{"workspace": {Dir: dir, Mode: mode}}
	}
	deny, err := capability.ParsePermission("env:LANG")
	if err != nil {
		t.Fatal(err)
	}
	offer := capability.Grantable{Mounts: mount("/base", capability.ModeRead), Env: map[string]string{"LANG": "C"}}
	asks := capability.Permissions{FS: []capability.FS{{Mount: "workspace", Mode: capability.ModeRead}}, Env: []string{"LANG"}}
	writes := capability.Permissions{FS: []capability.FS{{Mount: "workspace", Mode: capability.ModeWrite}}}
	yes := ApproverFunc(func(context.Context, Question) (Answer, error) { return Answer{Yes: true}, nil })
	tests := []struct {
		name      string
		offer     capability.Grantable
		asks      capability.Permissions
		overlay   TenantOptions
		dir, lang string
		code      tool.Code
	}{
		{"nothing", offer, asks, TenantOptions{}, "/base", "C", ""},
		{"another directory", offer, asks, TenantOptions{Mounts: mount("/mine", capability.ModeWrite)}, "/mine", "C", ""},
		{"another value", offer, asks, TenantOptions{Env: map[string]string{"LANG": "fr", "MORE": "x"}}, "/base", "fr", ""},
		{"no directories", offer, asks, TenantOptions{Mounts: map[string]capability.Mount{}}, "", "", tool.CodePermissionDenied},
		{"no variables", offer, asks, TenantOptions{Env: map[string]string{}}, "", "", tool.CodePermissionDenied},
		{"a denial", offer, asks, TenantOptions{Deny: capability.Deny{deny}}, "", "", tool.CodePermissionDenied},
		{"a directory that is not granted", capability.Grantable{Env: offer.Env}, asks, TenantOptions{Mounts: mount("/mine", capability.ModeRead)}, "", "", tool.CodePermissionDenied},
		{"more than is granted", offer, writes, TenantOptions{Mounts: mount("/mine", capability.ModeWrite)}, "", "", tool.CodePermissionDenied},
		{"a policy that denies", offer, asks, TenantOptions{Policy: compile(t, policy.Config{Deny: []string{"echo"}})}, "", "", tool.CodeDisabled},
		{"a policy that asks", offer, asks, TenantOptions{Policy: policy.Default()}, "", "", tool.CodeApprovalRequired},
		{"another approver that approves", offer, asks, TenantOptions{Policy: policy.Default(), Approver: yes}, "/base", "C", ""},
		{"a policy that allows as well", offer, asks, TenantOptions{Policy: compile(t, policy.Config{Tools: auto})}, "/base", "C", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			spec := echo()
			spec.Permissions = tt.asks
			dir, lang := "", ""
			r := withTool(t, Options{Rules: Rules{Grantable: tt.offer, Policy: compile(t, policy.Config{Tools: auto})}}, spec, does(func(_ context.Context, in tool.Invocation) {
				if dir, lang = in.Grant.FS[0].Dir, in.Grant.Env["LANG"]; in.Call.Tenant != "a" || len(in.Grant.Env) != 1 {
					t.Errorf("the call of %q got %+v", in.Call.Tenant, in.Grant)
				}
			}))
			call := say("x")
			call.Tenant = "somebody else"
			if _, err := r.Tenant("a", tt.overlay).Execute(t.Context(), call); tool.CodeOf(err) != tt.code || dir != tt.dir || lang != tt.lang {
				t.Errorf("got %q, %q, %v", dir, lang, err)
			}
			if tt.offer.Mounts != nil && tt.offer.Mounts["workspace"].Dir != "/base" {
				t.Error("the rules have changed")
			}
		})
	}
}

// The policy of tenant options cannot override the rules.
func TestTenantPolicyDoesNotOverrideTheRules(t *testing.T) {
	spec := echo()
	spec.Dangerous = true
	r := withTool(t, Options{}, spec, &fake{})
	allow := compile(t, policy.Config{Tools: map[string]policy.ToolRule{"echo": {AutoExecute: true}}})
	_, err := r.Tenant("a", TenantOptions{Policy: allow}).Execute(t.Context(), say("x"))
	wantCode(t, err, tool.CodeApprovalRequired)
}

func TestTenantOptionsLimitTheTimeout(t *testing.T) {
	r := withTool(t, Options{}, echo(), does(func(ctx context.Context, _ tool.Invocation) {
		if deadline, ok := ctx.Deadline(); !ok || time.Until(deadline) > time.Second {
			t.Errorf("the deadline is %v", deadline)
		}
	}))
	if _, err := r.Tenant("a", TenantOptions{MaxTimeout: time.Second}).Execute(t.Context(), say("x")); err != nil {
		t.Error(err)
	}
}

func TestTenantOptionsSetTheClock(t *testing.T) {
	at := time.Date(2030, time.May, 4, 3, 2, 1, 0, time.UTC)
	var now []time.Time
	var seeds []uint64
	r := withTool(t, Options{}, echo(), does(func(_ context.Context, in tool.Invocation) {
		now, seeds = append(now, in.Now), append(seeds, in.Seed)
	}))
	for _, o := range []TenantOptions{{Now: at, Seed: 7}, {}} {
		if _, err := r.Tenant("a", o).Execute(t.Context(), say("x")); err != nil {
			t.Fatal(err)
		}
	}
	if len(now) != 2 || !now[0].Equal(at) || !now[1].IsZero() || seeds[0] != 7 || seeds[1] != 0 {
		t.Errorf("the calls get %v and the seeds %v", now, seeds)
	}
}

// A tenant sees only the tools that its policy allows.
func TestTenantSeesItsTools(t *testing.T) {
	r := withTool(t, Options{}, echo(), &fake{})
	other := echo()
	other.Name = "other"
	if err := r.Tools().Register(other, &fake{}); err != nil {
		t.Fatal(err)
	}
	names := func(infos []catalogue.Info) (list string) {
		for _, i := range infos {
			list += " " + i.Name
			if i.Disabled {
				list += "-"
			}
		}
		return list
	}
	tenant := r.Tenant("a", TenantOptions{Policy: compile(t, policy.Config{Deny: []string{"echo"}})})
	if got := names(tenant.List(catalogue.Filter{})); got != " other" {
		t.Errorf("got%s", got)
	}
	if got := names(tenant.List(catalogue.Filter{Disabled: true})); got != " echo- other" {
		t.Errorf("with those that are disabled:%s", got)
	}
	if got := names(r.Tenant("b", TenantOptions{}).List(catalogue.Filter{})); got != " echo other" {
		t.Errorf("another tenant:%s", got)
	}
}

// A call belongs to the tenant that makes it, even if its field Tenant names another tenant.
func TestCallBelongsToItsTenant(t *testing.T) {
	r := withTool(t, Options{}, echo(), does(func(_ context.Context, in tool.Invocation) {
		if in.Call.Tenant != "a" {
			t.Errorf("a call of %q", in.Call.Tenant)
		}
	}))
	tenant, call := r.Tenant("a", TenantOptions{}), say("x")
	call.Tenant = "b"
	calls := []tool.Call{call, call}
	for _, o := range tenant.ExecuteAll(t.Context(), calls) {
		if o.Err != nil {
			t.Error(o.Err)
		}
	}
	if _, err := tenant.Start(t.Context(), call).Result(t.Context()); err != nil {
		t.Error(err)
	}
	if calls[0].Tenant != "b" || len(r.Calls().States("a")) != 3 || len(r.Calls().States("b")) > 0 {
		t.Errorf("the caller's call became %q; there are %d and %d", calls[0].Tenant, len(r.Calls().States("a")), len(r.Calls().States("b")))
	}
}
