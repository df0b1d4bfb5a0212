package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/ledger/history"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/schedule"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Two tenants with different directories, variables, policies and secrets make ten thousand
// concurrent calls with the same IDs, sessions and arguments. No data of one tenant reaches the
// other.
func TestNothingCrossesBetweenTenants(t *testing.T) {
	const calls = 10_000
	names := []string{"blue", "red"}
	use := capability.SecretUse{Name: "TOKEN", Header: "Authorization"}
	spy := &fake{execute: func(ctx context.Context, in tool.Invocation) (tool.Result, error) {
		whose := filepath.Base(in.Grant.FS[0].Dir)
		token, err := in.Secrets.Value(ctx, use)
		if err != nil {
			return tool.Result{}, err
		}
		in.Update(tool.Update{Title: whose})
		text, _ := in.Text("text")
		return tool.Result{Content: []tool.Content{tool.TextContent(strings.Join([]string{
			in.Call.Tenant, whose, in.Grant.Env["WHOSE"], token, text,
		}, " "))}}, nil
	}}
	var sunk sync.Map
	r := New(Options{
		Schedule: schedule.Options{MaxCalls: 8, MaxTenantCalls: 6},
		Calls:    ledger.Options{History: history.Options{Sink: func(h history.Record) { sunk.Store(h.Tenant+" "+h.ID, h) }}},
		Rules: Rules{
			Grantable: capability.Grantable{
				Mounts: map[string]capability.Mount{"workspace": {Dir: "/nowhere", Mode: capability.ModeRead}},
				Env:    map[string]string{"WHOSE": "nobody's"},
			},
			Policy: compileFor(t, policy.Config{Tools: map[string]policy.ToolRule{"spy": {AutoExecute: true}, "forbidden": {AutoExecute: true}}}),
		},
	})
	for _, name := range []string{"spy", "forbidden"} {
		spec := echo()
		spec.Name = name
		spec.Permissions = capability.Permissions{FS: []capability.FS{{Mount: "workspace", Mode: capability.ModeRead}}, Env: []string{"WHOSE"}}
		if err := r.Tools().Register(spec, spy); err != nil {
			t.Fatal(err)
		}
	}
	tenants := make(map[string]*Tenant)
	subscriptions := make(map[string]*ledger.Subscription)
	for _, name := range names {
		config := policy.Config{Tools: map[string]policy.ToolRule{"spy": {AutoExecute: true}, "forbidden": {AutoExecute: true}}}
		if name == "blue" {
			config.Deny = []string{"forbidden"}
		}
		tenants[name] = r.Tenant(name, TenantOptions{
			Mounts:  map[string]capability.Mount{"workspace": {Dir: "/tenants/" + name, Mode: capability.ModeRead}},
			Env:     map[string]string{"WHOSE": name},
			Policy:  compileFor(t, config),
			Secrets: secret.New(map[string]secret.Source{"TOKEN": secret.FromEnv("T", func(string) (string, bool) { return "token-of-" + name, true })}, secret.Options{}),
		})
		subscriptions[name] = r.Calls().Subscribe(ledger.EventFilter{Tenant: name, Buffer: 3 * calls})
	}
	var wg sync.WaitGroup
	places := make(chan struct{}, 16)
	for i := range calls {
		name, n := names[i%2], i/2
		which := "spy"
		if n%50 == 0 {
			which = "forbidden"
		}
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			call := tool.Call{
				Tool: which, ID: fmt.Sprint("call ", n), Session: fmt.Sprint("session ", n%7),
				Arguments: json.RawMessage(fmt.Sprintf(`{"text":"%d"}`, n)),
			}
			result, err := tenants[name].Execute(t.Context(), call)
			if which == "forbidden" && name == "blue" {
				if tool.CodeOf(err) != tool.CodeDisabled {
					t.Errorf("the hidden tool: %v", err)
				}
				return
			}
			if want := fmt.Sprintf("%s %s %s token-of-%s %d", name, name, name, name, n); err != nil || result.Text() != want {
				t.Errorf("got %q, %v; want %q", result.Text(), err, want)
			}
		})
	}
	wg.Wait()
	for _, name := range names {
		for i := range calls / 2 {
			if _, found := sunk.LoadAndDelete(fmt.Sprint(name, " call ", i)); !found {
				t.Fatalf("call %d of %s is not in the history", i, name)
			}
		}
		for _, c := range r.Calls().States(name) {
			if c.Tenant != name || c.Title != "" && c.Title != name || c.Result != nil && !c.Result.IsError && !strings.HasPrefix(c.Result.Text(), name) {
				t.Fatalf("%s has the call %+v", name, c)
			}
		}
		for i := range 7 {
			for _, h := range r.Calls().History(name, fmt.Sprint("session ", i), 0) {
				if h.Tenant != name {
					t.Fatalf("%s has the record %+v", name, h)
				}
			}
		}
		subscriptions[name].Close()
		n := 0
		for e := range subscriptions[name].Events() {
			if n++; e.Tenant != name && e.Kind != ledger.EventTools || e.Update.Title != "" && e.Update.Title != name {
				t.Fatalf("%s hears %+v", name, e)
			}
		}
		if n < calls {
			t.Errorf("%s subscriptions %d events, %d were dropped", name, n, subscriptions[name].Dropped())
		}
	}
	sunk.Range(func(key, _ any) bool {
		t.Errorf("there is a call more: %v", key)
		return true
	})
}

// compileFor returns a policy for the tools of this test.
func compileFor(t *testing.T, c policy.Config) *policy.Policy {
	t.Helper()
	p, err := policy.Compile(c, policy.Known{Tools: []policy.ToolFacts{{Name: "spy"}, {Name: "forbidden"}}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
