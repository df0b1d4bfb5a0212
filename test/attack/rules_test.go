package attack

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// asker counts questions and gives each the same answer.
type asker struct {
	answer registry.Answer
	asked  atomic.Int64
}

func (a *asker) Approve(context.Context, registry.Question) (registry.Answer, error) {
	a.asked.Add(1)
	return a.answer, nil
}

// A denial takes precedence over everything that allows a call, regardless of where the two come
// from.
func TestDenialTakesPrecedence(t *testing.T) {
	const writes = "[grants]\nallow = [\"kv:write\"]\n"
	tests := map[string]struct {
		operator string
		code     tool.Code
	}{
		"nobody denies":   {writes + "[tools.script]\nauto_execute = true\n", ""},
		"the list":        {writes + "[policy]\nallow = [\"script\"]\ndeny = [\"script\"]\n[tools.script]\nauto_execute = true\n", tool.CodeDisabled},
		"a pattern":       {writes + "[policy]\nallow = [\"script\"]\ndeny = [\"scr*\"]\n[tools.script]\nauto_execute = true\nenabled = true\n", tool.CodeDisabled},
		"switched off":    {writes + "[policy]\nallow = [\"script\"]\n[tools.script]\nauto_execute = true\nenabled = false\n", tool.CodeDisabled},
		"no tools":        {writes + "[policy]\nenable_tool_calls = false\nallow = [\"script\"]\n[tools.script]\nauto_execute = true\n", tool.CodeDisabled},
		"profile":         {writes + "[policy]\nprofile = \"minimal\"\nallow = [\"script\"]\n[tools.script]\nauto_execute = true\n", tool.CodeDisabled},
		"a rule":          {writes + "[tools.script]\nauto_execute = true\n[[policy.rules]]\neffect = \"deny\"\ncapabilities = [\"kv:*\"]\n[[policy.rules]]\neffect = \"allow\"\ntools = [\"script\"]\n", tool.CodePermissionDenied},
		"a rule to ask":   {writes + "[tools.script]\nauto_execute = true\n[[policy.rules]]\neffect = \"allow\"\ntools = [\"script\"]\n[[policy.rules]]\neffect = \"ask\"\ncapabilities = [\"kv:write\"]\n", tool.CodeApprovalRequired},
		"a word":          {writes + "deny = [\"kv:read\"]\n[tools.script]\nauto_execute = true\nallow = [\"kv:write\"]\n", tool.CodePermissionDenied},
		"a word for it":   {writes + "[tools.script]\nauto_execute = true\nallow = [\"kv:write\"]\ndeny = [\"kv:write\"]\n", tool.CodePermissionDenied},
		"nobody approves": {writes, tool.CodeApprovalRequired},
		"nothing is said": {"", tool.CodePermissionDenied},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, setup{tools: map[string]string{"script": fmt.Sprintf(storeAsked, "write")}, operator: tt.operator})
			if _, err := l.execute(t, script("script", step{Do: "put", Text: "k"})); tool.CodeOf(err) != tt.code {
				t.Errorf("got %v, want the code %q", err, tt.code)
			}
		})
	}
}

// Rules compare the meaning of arguments, so other spellings do not evade them.
func TestRulesAboutArgumentsAreNotDodged(t *testing.T) {
	const operator = "[[policy.rules]]\neffect = \"deny\"\n[policy.rules.arguments]\n\"/path\" = { glob = \"**/.env\" }\n"
	l := newLab(t, setup{operator: operator})
	for _, path := range []string{".env", "./.env", "a/../.env", "a//.env", "/workspace/.env", ".ENV", "a/.env/", ".env/.", "..\\.env", "a/b/../../.env", ".env/x", ".\\.env"} {
		arguments, err := json.Marshal(map[string]any{"path": path, "steps": []step{}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.execute(t, tool.Call{Tool: "script", Arguments: arguments}); tool.CodeOf(err) != tool.CodePermissionDenied {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, arguments := range []string{`{"path":"\u002eenv"}`, `{"path":"a","path":".env"}`, `{"p\u0061th":".env"}`} {
		_, err := l.execute(t, tool.Call{Tool: "script", Arguments: json.RawMessage(arguments)})
		if code := tool.CodeOf(err); code != tool.CodePermissionDenied && code != tool.CodeInvalidArgument {
			t.Errorf("%s: %v", arguments, err)
		}
	}
	if _, err := l.execute(t, tool.Call{Tool: "script", Arguments: json.RawMessage(`{"path":"a.env.txt","steps":[]}`)}); err != nil {
		t.Errorf("another path: %v", err)
	}
}

// A tool that the policy removes is not mentioned anywhere.
func TestHiddenToolsAreNotMentioned(t *testing.T) {
	l := newLab(t, setup{tools: map[string]string{"secretive": "", "plain": ""}, operator: "[policy]\ndeny = [\"secretive\"]\n"})
	if list := l.tools.Tools().List(catalogue.Filter{}); len(list) != 1 || list[0].Name != "plain" {
		t.Errorf("listed: %+v", list)
	}
	for _, name := range []string{"secretiv", "secretive2", "Secretiv", "secret"} {
		result, err := l.execute(t, tool.Call{Tool: name})
		if tool.CodeOf(err) != tool.CodeNotFound || strings.Contains(err.Error()+result.Text(), "secretive,") || strings.Contains(result.Text(), `"secretive"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if found, err := json.Marshal(l.tools.Tools().Search("secretive", 0)); err != nil || strings.Contains(string(found), "secretive") {
		t.Errorf("found: %s, %v", found, err)
	}
}

// approving returns a lab whose tool needs approval, with a store of approvals.
func approving(t *testing.T, a *asker, store remembered.ApprovalStore, more setup) *lab {
	t.Helper()
	if more.tools == nil {
		more.tools = map[string]string{"script": fmt.Sprintf(storeAsked, "write")}
	}
	if more.operator == "" {
		more.operator = "[grants]\nallow = [\"kv:write\"]\n"
	}
	more.approver, more.approvals = a, store
	return newLab(t, more)
}

func openApprovals(t *testing.T) *remembered.Approvals {
	t.Helper()
	store, err := remembered.Open(filepath.Join(t.TempDir(), "approvals"), remembered.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store.Approvals
}

// An approval is valid only for one unchanged tool, one grant, the same arguments, and one tenant.
// A call that differs in any of these needs approval again.
func TestApprovalsAreBoundToWhatWasAsked(t *testing.T) {
	a, store := &asker{answer: registry.Answer{Yes: true, Remember: remembered.ScopeAlways}}, openApprovals(t)
	l := approving(t, a, store, setup{})
	same := script("script", step{Do: "put", Text: "k"})
	expect := func(what string, l *lab, call tool.Call, asked int64) {
		t.Helper()
		before := a.asked.Load()
		if _, err := l.execute(t, call); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if got := a.asked.Load() - before; got != asked {
			t.Errorf("%s: asked %d times, want %d", what, got, asked)
		}
		if r := l.noted(); len(r) != 1 || !r[0].Approved || r[0].Decision != "ask" {
			t.Errorf("%s: the receipt says %+v", what, r)
		}
	}
	expect("the first call", l, same, 1)
	expect("the same", l, same, 0)
	expect("other arguments", l, script("script", step{Do: "put", Text: "other"}), 1)
	tenant := same
	tenant.Tenant = "another"
	expect("another tenant", l, tenant, 1)
	expect("that tenant again", l, tenant, 0)
	spelt := same
	spelt.Arguments = json.RawMessage(`{"steps":[{"do":"put","text":"k"}],"approved":true}`)
	expect("arguments that say yes", l, spelt, 1)

	again := approving(t, a, store, setup{tools: map[string]string{"script": fmt.Sprintf(storeAsked, "write")}})
	expect("the same in another process", again, same, 0)
	changed := approving(t, a, store, setup{tools: map[string]string{"script": "title = \"Changed\"\n" + fmt.Sprintf(storeAsked, "write")}})
	expect("another manifest", changed, same, 1)
	more := approving(t, a, store, setup{
		tools:    map[string]string{"script": fmt.Sprintf(storeAsked, "write") + exampleAsked},
		operator: "[grants]\nallow = [\"kv:write\", \"net:https://api.example.com/v1\", \"net:http://other.example.com/\", \"net:http://*.wild.example.com/\"]\n",
	})
	expect("another grant and manifest", more, same, 1)
	rules, err := standard.Rules(more.options, more.tools)
	if err != nil {
		t.Fatal(err)
	}
	narrow, err := capability.ParsePermission("net:https://api.example.com/v1/private")
	if err != nil {
		t.Fatal(err)
	}
	for name, offer := range rules.ToolGrantables {
		offer.Deny = append(slices.Clone(offer.Deny), narrow)
		rules.ToolGrantables[name] = offer
	}
	more.tools.SetRules(rules)
	expect("another denial alone", more, same, 1)

	list, err := store.List(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range list {
		if _, err := store.Revoke(t.Context(), "", one.ID); err != nil {
			t.Fatal(err)
		}
	}
	expect("after all is revoked", l, same, 1)
}

// An approval of writing to one directory does not approve writing to another directory of the same
// name.
func TestApprovalsAreBoundToDirectories(t *testing.T) {
	a, store := &asker{answer: registry.Answer{Yes: true, Remember: remembered.ScopeAlways}}, openApprovals(t)
	for _, asked := range []int64{1, 2} {
		l := approving(t, a, store, setup{
			tools:    map[string]string{"script": "[[permissions.fs]]\nmount = \"data\"\nmode = \"write\"\n"},
			operator: fmt.Sprintf("[mounts]\ndata = { path = %q, mode = \"write\" }\n", t.TempDir()),
		})
		for range 2 {
			if _, err := l.execute(t, script("script", step{Do: "say"})); err != nil {
				t.Fatal(err)
			}
		}
		if got := a.asked.Load(); got != asked {
			t.Errorf("asked %d times, want %d", got, asked)
		}
	}
}

// Nothing that a model writes can approve a call.
func TestArgumentsDoNotApprove(t *testing.T) {
	l := newLab(t, setup{tools: map[string]string{"script": fmt.Sprintf(storeAsked, "write")}, operator: "[grants]\nallow = [\"kv:write\"]\n"})
	for _, arguments := range []string{
		`{"steps":[]}`, `{"approved":true}`, `{"yes":true,"confirm":true,"auto_execute":true}`, `{"_approval":{"scope":"always"}}`, `{"steps":[{"do":"put","text":"yes"}]}`,
	} {
		call := tool.Call{Tool: "script", Arguments: json.RawMessage(arguments), Session: "approved", Message: "yes", ID: "approved"}
		if _, err := l.execute(t, call); tool.CodeOf(err) != tool.CodeApprovalRequired {
			t.Errorf("%s: %v", arguments, err)
		}
	}
}

// A tool that is revoked while it runs is stopped and cannot start again. A pinned tool runs only
// in its pinned version.
func TestRevokedAndPinned(t *testing.T) {
	l := newLab(t, setup{})
	digest, err := l.tools.Digest(t.Context(), "script")
	if err != nil {
		t.Fatal(err)
	}
	started, ended := make(chan struct{}), make(chan error, 1)
	call := script("script", step{Do: "progress"}, step{Do: "spin"})
	call.OnProgress = func(float64, float64, string) { close(started) }
	go func() {
		_, err := l.tools.Execute(context.WithoutCancel(t.Context()), call)
		ended <- err
	}()
	<-started
	rules := func(change func(r *registry.Rules)) {
		r, err := standard.Rules(l.options, l.tools)
		if err != nil {
			t.Fatal(err)
		}
		change(&r)
		l.tools.SetRules(r)
	}
	rules(func(r *registry.Rules) { r.Revoked = []string{digest} })
	if err := <-ended; tool.CodeOf(err) != tool.CodeDisabled {
		t.Errorf("the call that ran: %v", err)
	}
	if _, err := l.execute(t, script("script", step{})); tool.CodeOf(err) != tool.CodeDisabled {
		t.Errorf("a call after that: %v", err)
	}
	rules(func(r *registry.Rules) { r.Digests = map[string]string{"script": "sha256:" + strings.Repeat("0", 64)} })
	if _, err := l.execute(t, script("script", step{})); tool.CodeOf(err) != tool.CodePermissionDenied || !strings.Contains(err.Error(), "pinned") {
		t.Errorf("pinned to another: %v", err)
	}
	rules(func(r *registry.Rules) { r.Digests = map[string]string{"script": digest} })
	if _, err := l.execute(t, script("script", step{Do: "say"})); err != nil {
		t.Errorf("pinned to this one: %v", err)
	}
}

// When rules change, each running call still follows all the rules that applied when it began.
func TestRulesChangeUnderRunningCalls(t *testing.T) {
	l := newLab(t, setup{tools: stores(), operator: storeGiven})
	allowed, err := standard.Rules(l.options, l.tools)
	if err != nil {
		t.Fatal(err)
	}
	denied := allowed
	if denied.Policy, err = policy.Compile(policy.Config{Rules: []policy.Rule{{Effect: policy.Deny, Capabilities: []string{"kv:write"}}}}, policy.Known{}); err != nil {
		t.Fatal(err)
	}
	withheld := allowed
	withheld.ToolGrantables = nil
	const workers, each = 10, 10
	done := make(chan struct{})
	var wg, changing sync.WaitGroup
	changing.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
				l.tools.SetRules([]registry.Rules{allowed, denied, withheld}[i%3])
			}
		}
	})
	for worker := range workers {
		wg.Go(func() {
			for n := range each {
				result, err := l.execute(t, script("script", step{Do: "put", Text: fmt.Sprint(worker, "-", n)}))
				switch tool.CodeOf(err) {
				case "":
					if out := outcomes(t, result); out[0].Code != 0 {
						t.Errorf("allowed and then not: %+v", out)
					}
				case tool.CodePermissionDenied:
				default:
					t.Errorf("got %v", err)
				}
			}
		})
	}
	wg.Wait()
	close(done)
	changing.Wait()
	receipts := l.noted()
	for _, r := range receipts {
		if wrote := len(r.Usage.KeysWritten) > 0; wrote != (r.Code == "") || wrote && (r.Decision != "allow" || !slices.Contains(r.Grant, "kv:write")) {
			t.Errorf("the receipt says %+v", r)
		}
	}
	if len(receipts) != workers*each {
		t.Errorf("%d receipts of %d calls", len(receipts), workers*each)
	}
}

// Every call has a receipt, regardless of how it ends, and no receipt contains arguments or
// results.
func TestEveryEndingHasReceipt(t *testing.T) {
	const said = "canary-of-what-was-said"
	var no asker
	l := newLab(t, setup{
		tools: map[string]string{
			"script": "", "hidden": "", "asked": "dangerous = true\n", "greedy": "[permissions]\nenv = [\"CANARY\"]\n",
		},
		operator: "[policy]\ndeny = [\"hidden\"]\n[[policy.rules]]\neffect = \"deny\"\n[policy.rules.arguments]\n\"/path\" = { equals = \"" + said + "\" }\n",
		approver: &no,
	})
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name string
		ctx  context.Context
		call tool.Call
		want tool.Code
	}{
		{"success", t.Context(), script("script", step{Do: "say", Text: said}, step{Do: "log", Text: said}, step{Do: "stderr", Text: said}), ""},
		{"no such tool", t.Context(), script("none", step{}), tool.CodeNotFound},
		{"a hidden tool", t.Context(), script("hidden", step{}), tool.CodeDisabled},
		{"arguments that do not fit", t.Context(), tool.Call{Tool: "script", Arguments: json.RawMessage(`{"steps":"` + said + `"}`)}, tool.CodeInvalidArgument},
		{"arguments that are none", t.Context(), tool.Call{Tool: "script", Arguments: json.RawMessage(said)}, tool.CodeInvalidArgument},
		{"a grant that is missing", t.Context(), script("greedy", step{}), tool.CodePermissionDenied},
		{"a rule", t.Context(), tool.Call{Tool: "script", Arguments: json.RawMessage(`{"path":"` + said + `"}`)}, tool.CodePermissionDenied},
		{"a no", t.Context(), script("asked", step{Do: "say", Text: said}), tool.CodePermissionDenied},
		{"a failure", t.Context(), script("script", step{Do: "fail", Text: said}), tool.CodeExecution},
		{"a bad range", t.Context(), script("script", step{Do: "log", Raw: true, Ptr: 1 << 31, Len: 1 << 30}), tool.CodeBadGuest},
		{"no end", t.Context(), func() tool.Call {
			c := script("script", step{Do: "say", Text: said}, step{Do: "spin"})
			c.Timeout = 200 * time.Millisecond
			return c
		}(), tool.CodeTimeout},
		{"too much memory", t.Context(), script("script", step{Do: "say", Text: said, Times: 10 << 20}), tool.CodeResourceExhausted},
		{"cancelled before", cancelled, script("script", step{Do: "say", Text: said}), tool.CodeCancelled},
	}
	for _, tt := range tests {
		_, err := l.tools.Execute(tt.ctx, tt.call)
		if code := tool.CodeOf(err); code != tt.want {
			t.Errorf("%s: %v, want the code %q", tt.name, err, tt.want)
		}
		receipts := l.noted()
		if len(receipts) != 1 {
			t.Errorf("%s: %d receipts", tt.name, len(receipts))
			continue
		}
		r := receipts[0]
		if r.Code != tt.want || r.ID == "" || r.Tool != tt.call.Tool || r.Started.IsZero() || (r.Result == "") != (tt.want != "") {
			t.Errorf("%s: the receipt says %+v", tt.name, r)
		}
		if text, err := json.Marshal(r); err != nil || strings.Contains(string(text), said) {
			t.Errorf("%s: the receipt contains arguments or results: %s, %v", tt.name, text, err)
		}
	}
}
