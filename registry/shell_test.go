package registry

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// shellSpec returns a tool that runs scripts and requests every kind of permission.
func shellSpec(t *testing.T) tool.Spec {
	t.Helper()
	url, err := capability.ParseURLPattern("https://api.example.com/")
	if err != nil {
		t.Fatal(err)
	}
	return tool.Spec{
		Name: "sh", Version: "1.0.0", Description: "Runs a script.", Source: "test", Sandboxed: true, Shell: "command",
		Parameters: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"},"other":{"type":"string"}}}`),
		Permissions: capability.Permissions{
			FS: []capability.FS{{Mount: "workspace", Mode: capability.ModeWrite}}, KV: capability.ModeWrite,
			Net: []capability.Net{{URL: url, Methods: []string{"GET", "POST"}, Secrets: []capability.SecretUse{{Name: "TOKEN", Header: "X-Token"}}}},
		},
	}
}

// shellRules returns rules that grant everything that the tool of shellSpec requests.
func shellRules(t *testing.T, s shellcommand.Settings) Rules {
	t.Helper()
	asked := shellSpec(t).Permissions
	return Rules{Shell: s, Grantable: capability.Grantable{
		Mounts: map[string]capability.Mount{"workspace": {Dir: t.TempDir(), Mode: capability.ModeWrite}}, KV: capability.ModeWrite,
		Net: []capability.GrantableNet{{URL: asked.Net[0].URL}}, Secrets: map[string]capability.GrantableSecret{"TOKEN": {}},
	}}
}

// unasked returns a policy that lets the tool use everything that it was granted, without an
// approval.
func unasked(t *testing.T) *policy.Policy {
	t.Helper()
	return shellPolicy(t, policy.Config{
		Tools: map[string]policy.ToolRule{"sh": {AutoExecute: true}},
		Rules: []policy.Rule{{Effect: policy.Allow, Tools: []string{"sh"}, Capabilities: []string{"*"}}},
	})
}

func shellPolicy(t *testing.T, c policy.Config) *policy.Policy {
	t.Helper()
	p, err := policy.Compile(c, policy.Known{Tools: []policy.ToolFacts{{Name: "sh"}}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func runs(script string) tool.Call {
	arguments, _ := json.Marshal(map[string]string{"command": script})
	return tool.Call{Tool: "sh", Arguments: arguments}
}

// shellWorld is a registry with the tool of shellSpec, and a record of its calls and questions.
type shellWorld struct {
	*Registry
	mu       sync.Mutex         // guards the lists while calls run
	grants   []capability.Grant // grants of the calls that ran
	receipts []tool.Receipt
	asked    []Question
	answer   Answer
	takes    time.Duration // duration of each call
}

func newShellWorld(t *testing.T, o Options, rules Rules, change func(*tool.Spec)) *shellWorld {
	t.Helper()
	w := &shellWorld{}
	o.Calls.OnReceipt = func(r tool.Receipt) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.receipts = append(w.receipts, r)
	}
	o.Approvals.Approver = ApproverFunc(func(_ context.Context, q Question) (Answer, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.asked = append(w.asked, q)
		return w.answer, nil
	})
	spec := shellSpec(t)
	if change != nil {
		change(&spec)
	}
	w.Registry = New(o)
	t.Cleanup(func() { _ = w.Close() })
	executor := &identified{fake: does(func(_ context.Context, in tool.Invocation) {
		if w.takes > 0 {
			<-time.After(w.takes)
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.grants = append(w.grants, in.Grant)
	}), digest: "sha256:aa"}
	if err := w.Tools().Register(spec, executor); err != nil {
		t.Fatal(err)
	}
	w.SetRules(rules)
	return w
}

// run runs a script. It returns the permissions of the run, and whether the approver was asked.
func (w *shellWorld) run(t *testing.T, script string) (asked bool, words []string, err error) {
	t.Helper()
	questions, ran := len(w.asked), len(w.grants)
	_, err = w.Execute(t.Context(), runs(script))
	if len(w.grants) > ran {
		words = capability.Strings(slices.DeleteFunc(w.grants[ran].Permissions(), capability.Permission.IsScratch))
	}
	return len(w.asked) > questions, words, err
}

var (
	allWords     = []string{"read:workspace", "write:workspace", "net:https://api.example.com/", "net:POST:https://api.example.com/", "secret:TOKEN", "kv:read", "kv:write"}
	readingWords = []string{"read:workspace", "kv:read"}
)

// A script that only reads runs without an approval, with a grant that only reads.
func TestReadingScriptGetsOnlyReading(t *testing.T) {
	w := newShellWorld(t, Options{}, shellRules(t, shellcommand.Settings{}), nil)
	asked, words, err := w.run(t, "git log | head -5")
	if asked || err != nil || !slices.Equal(words, readingWords) {
		t.Errorf("asked: %v, ran with %v, %v", asked, words, err)
	}
	if r := w.receipts[0]; r.Shell != "allow" || r.Decision != "allow" || !slices.Equal(r.Grant, readingWords) {
		t.Errorf("the receipt says %q, %q, %v", r.Shell, r.Decision, r.Grant)
	}
}

// A script that only reads runs even if writing is not granted.
func TestReadingScriptNeedsNoGrantToWrite(t *testing.T) {
	rules := shellRules(t, shellcommand.Settings{})
	rules.Grantable = capability.Grantable{Mounts: map[string]capability.Mount{"workspace": {Dir: t.TempDir(), Mode: capability.ModeRead}}, KV: capability.ModeRead}
	w := newShellWorld(t, Options{}, rules, nil)
	if asked, words, err := w.run(t, "ls"); asked || err != nil || !slices.Equal(words, readingWords) {
		t.Errorf("asked: %v, ran with %v, %v", asked, words, err)
	}
	_, _, err := w.run(t, "rm x")
	e := wantCode(t, err, tool.CodePermissionDenied)
	if !slices.Contains(e.Details.Missing, "write:workspace") {
		t.Errorf("missing: %v", e.Details.Missing)
	}
	// The message tells the model that scripts that only read files are still allowed. It tells the
	// operator which grant is needed.
	if want := `, needed because "rm x" removes files; a script that only reads runs without it; only the operator`; !strings.Contains(e.Message, want) {
		t.Errorf("got %q", e.Message)
	}

	// If reading is not granted either, the message does not suggest it.
	rules.Grantable = capability.Grantable{}
	w.SetRules(rules)
	for _, script := range []string{"ls", "rm x"} {
		_, _, err = w.run(t, script)
		if e := wantCode(t, err, tool.CodePermissionDenied); strings.Contains(e.Message, "only reads") {
			t.Errorf("%s: got %q", script, e.Message)
		}
	}
}

// A script that may change something needs an approval, even if the policy allows the tool.
func TestChangingScriptNeedsAnApproval(t *testing.T) {
	for name, p := range map[string]*policy.Policy{"by default": policy.Default(), "allowed": unasked(t)} {
		rules := shellRules(t, shellcommand.Settings{})
		rules.Policy = p
		w := newShellWorld(t, Options{}, rules, nil)
		asked, words, err := w.run(t, "ls && rm -rf build && curl https://example.com > page")
		if e := wantCode(t, err, tool.CodePermissionDenied); !asked || words != nil || !strings.Contains(e.Message, "not approved") {
			t.Fatalf("%s: asked: %v, ran with %v, %v", name, asked, words, err)
		}
		q := w.asked[0]
		for _, part := range []string{`"rm -rf build" removes files`, `"curl https://example.com" reaches the network`, `"> page" writes to a file`} {
			if !strings.Contains(q.Why, part) {
				t.Errorf("%s: the question %q does not mention %s", name, q.Why, part)
			}
		}
		if q.Patterns != nil { // no pattern can cover a redirection
			t.Errorf("%s: the question offers %q", name, q.Patterns)
		}
		w.answer = Answer{Yes: true}
		if _, words, err := w.run(t, "rm -rf build"); err != nil || !slices.Equal(words, allWords) {
			t.Errorf("%s: ran with %v, %v", name, words, err)
		}
		if q := w.asked[1]; !slices.Equal(q.Patterns, []string{"rm *"}) {
			t.Errorf("%s: the question offers %q", name, q.Patterns)
		}
		if r := w.receipts[1]; r.Shell != "ask" || r.Rule != "shell" || !r.Approved {
			t.Errorf("%s: the receipt says %+v", name, r)
		}
	}
}

// A forbidden script is denied, even if other settings allow it.
func TestForbiddenScriptsAreDenied(t *testing.T) {
	rules := shellRules(t, shellcommand.Settings{Allow: []string{"*"}, Deny: []string{"git push"}, Unconfirmed: true})
	w := newShellWorld(t, Options{}, rules, nil)
	w.answer = Answer{Yes: true}
	for _, script := range []string{"ls; sudo ls", "env git push origin", "sh -c 'su''do x'"} {
		asked, words, err := w.run(t, script)
		if e := wantCode(t, err, tool.CodePermissionDenied); asked || words != nil || !strings.Contains(e.Message, "the operator's policy denies the call: \"") {
			t.Errorf("%q: asked: %v, ran with %v, %v", script, asked, words, err)
		}
		if r := w.receipts[len(w.receipts)-1]; r.Shell != "deny" || r.Decision != "deny" || r.Rule != "shell" {
			t.Errorf("%q: the receipt says %+v", script, r)
		}
	}
}

// A command that the operator allows runs without an approval and with the full grant, so it may
// write. A rule that requires an approval still applies.
func TestAllowedCommandsKeepTheirGrant(t *testing.T) {
	rules := shellRules(t, shellcommand.Settings{Allow: []string{"npm run *"}})
	w := newShellWorld(t, Options{}, rules, nil)
	if asked, words, err := w.run(t, "npm run build && ls"); asked || err != nil || !slices.Equal(words, allWords) {
		t.Errorf("asked: %v, ran with %v, %v", asked, words, err)
	}
	if asked, _, _ := w.run(t, "npm run build; rm x"); !asked {
		t.Error("the allowed pattern covers a different command")
	}
	rules.Policy = shellPolicy(t, policy.Config{Rules: []policy.Rule{{Effect: policy.Ask, Capabilities: []string{"kv:write"}}}})
	w.SetRules(rules)
	if asked, _, _ := w.run(t, "npm run build"); !asked {
		t.Error("the allowed pattern overrides a rule")
	}
	if asked, _, err := w.run(t, "ls"); asked || err != nil {
		t.Errorf("a rule about writing applied to a reading call: asked: %v, %v", asked, err)
	}
}

// A command that is wrongly classified as harmless still cannot change anything, because its grant
// only reads.
func TestMisclassifiedCommandWritesNothing(t *testing.T) {
	w := newShellWorld(t, Options{}, shellRules(t, shellcommand.Settings{}), nil)
	// Here, ls is a tool that could do anything, so only its grant limits it.
	if _, _, err := w.run(t, "ls --as-it-were rm -rf ."); err != nil {
		t.Fatal(err)
	}
	g := w.grants[0]
	if !g.Effects().ReadOnly || len(g.Net) > 0 || g.HasSecrets() || g.KV > capability.ModeRead {
		t.Errorf("it may access %+v", g)
	}
	for _, m := range g.FS {
		if m.Mode > capability.ModeRead {
			t.Errorf("it may write to %s", m.Mount)
		}
	}
}

// An approval of patterns covers scripts that need an approval for no other reason.
func TestPatternsAreRemembered(t *testing.T) {
	store, err := remembered.Open(filepath.Join(t.TempDir(), "own"), remembered.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	w := newShellWorld(t, Options{Approvals: ApprovalOptions{Store: store.Approvals}}, shellRules(t, shellcommand.Settings{}), nil)
	w.answer = Answer{Yes: true, Remember: remembered.ScopeAlways, Patterns: true}
	if asked, _, err := w.run(t, "git add . && git commit -m one"); !asked || err != nil {
		t.Fatalf("asked: %v, %v", asked, err)
	}
	w.answer = Answer{}
	for script, again := range map[string]bool{
		"git commit -m two":                    false,
		"git status; git add a; git commit -a": false,
		"timeout 5 git add x":                  false,
		"git push":                             true,
		"git add . && git push":                true,
		"git add . > out":                      true,
		"git -c a.b=c commit":                  true,
		"git $x":                               true,
		"GIT_DIR=x git commit -m x":            true,
		"sudo git add .":                       false, // denied
	} {
		if asked, _, _ := w.run(t, script); asked != again {
			t.Errorf("%q: asked: %v, want %v", script, asked, again)
		}
	}
	list, err := store.Approvals.List(t.Context(), "")
	if err != nil || len(list) != 2 {
		t.Fatalf("kept: %v, %v", list, err)
	}
	var patterns []string
	for _, a := range list {
		patterns = append(patterns, a.Pattern)
	}
	if slices.Sort(patterns); !slices.Equal(patterns, []string{"git add *", "git commit *"}) {
		t.Errorf("kept: %q", patterns)
	}
	// An approval of exactly one call covers no similar call.
	w.answer = Answer{Yes: true, Remember: remembered.ScopeAlways}
	if asked, _, err := w.run(t, "rm x"); !asked || err != nil {
		t.Fatalf("asked: %v, %v", asked, err)
	}
	if asked, _, _ := w.run(t, "rm x"); asked {
		t.Error("the same call needs another approval")
	}
	if asked, _, _ := w.run(t, "rm y"); !asked {
		t.Error("a different call needs no approval")
	}
}

// A rule may distinguish calls with the same patterns, so an approval of patterns does not satisfy
// the rule.
func TestPatternsDoNotAnswerRules(t *testing.T) {
	store, err := remembered.Open(filepath.Join(t.TempDir(), "own"), remembered.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	rules := shellRules(t, shellcommand.Settings{})
	w := newShellWorld(t, Options{Approvals: ApprovalOptions{Store: store.Approvals}}, rules, nil)
	w.answer = Answer{Yes: true, Remember: remembered.ScopeAlways, Patterns: true}
	if _, _, err := w.run(t, "git push"); err != nil {
		t.Fatal(err)
	}
	rules.Policy = shellPolicy(t, policy.Config{Rules: []policy.Rule{{
		Effect: policy.Ask, Arguments: map[string]policy.Match{"/command": {Regexp: ".*release.*"}},
	}}})
	w.SetRules(rules)
	if asked, _, _ := w.run(t, "git push origin main"); asked {
		t.Error("a call that no rule matches needs another approval")
	}
	if asked, _, _ := w.run(t, "git push origin release"); !asked {
		t.Error("the rule is ignored")
	}
	if q := w.asked[len(w.asked)-1]; q.Patterns != nil {
		t.Errorf("the question offers %q", q.Patterns)
	}
}

// A rule of a tenant's policy that requires an approval still applies if the patterns of a script
// are approved.
func TestPatternsDoNotAnswerRulesOfTenants(t *testing.T) {
	store, err := remembered.Open(filepath.Join(t.TempDir(), "own"), remembered.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	w := newShellWorld(t, Options{Approvals: ApprovalOptions{Store: store.Approvals}}, shellRules(t, shellcommand.Settings{}), nil)
	w.answer = Answer{Yes: true, Remember: remembered.ScopeAlways, Patterns: true}
	for _, tt := range []struct {
		overlay TenantOptions
		asked   bool
	}{
		{TenantOptions{}, true},
		{TenantOptions{}, false},
		{TenantOptions{Policy: policy.Default()}, false},
		{TenantOptions{Policy: shellPolicy(t, policy.Config{Rules: []policy.Rule{{Effect: policy.Ask, Tools: []string{"sh"}}}})}, true},
	} {
		before := len(w.asked)
		if _, err := w.Tenant("", tt.overlay).Execute(t.Context(), runs("git push")); err != nil || (len(w.asked) > before) != tt.asked {
			t.Errorf("asked: %v, want %v; %v", len(w.asked) > before, tt.asked, err)
		}
	}
	if q := w.asked[len(w.asked)-1]; q.Patterns != nil {
		t.Errorf("the question offers %q", q.Patterns)
	}
}

// Scripts that only read run concurrently.
func TestReadingScriptsRunConcurrently(t *testing.T) {
	for script, want := range map[string]time.Duration{"ls": time.Second, "sudo ls": 0, "rm x": 2 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			w := newShellWorld(t, Options{}, shellRules(t, shellcommand.Settings{}), nil)
			w.answer, w.takes = Answer{Yes: true}, time.Second
			start := time.Now()
			w.ExecuteAll(t.Context(), []tool.Call{runs(script), runs(script)})
			if took := time.Since(start); took != want {
				t.Errorf("%q twice takes %v, want %v", script, took, want)
			}
		})
	}
}

// With Unconfirmed, the policy alone decides about scripts, except forbidden scripts.
func TestUnconfirmedScripts(t *testing.T) {
	rules := shellRules(t, shellcommand.Settings{Unconfirmed: true})
	rules.Policy = unasked(t)
	w := newShellWorld(t, Options{}, rules, nil)
	if asked, words, err := w.run(t, "rm x"); asked || err != nil || !slices.Equal(words, allWords) {
		t.Errorf("asked: %v, ran with %v, %v", asked, words, err)
	}
	if _, _, err := w.run(t, "sudo rm x"); tool.CodeOf(err) != tool.CodePermissionDenied {
		t.Errorf("got %v", err)
	}
	rules.Policy = policy.Default()
	w.SetRules(rules)
	if asked, _, _ := w.run(t, "rm x"); !asked {
		t.Error("the policy requires no approval")
	}
}

// Without an approver, the call fails, and the error says what would allow it.
func TestScriptFailsWithoutAnApprover(t *testing.T) {
	r := New(Options{})
	t.Cleanup(func() { _ = r.Close() })
	if err := r.Tools().Register(shellSpec(t), &fake{}); err != nil {
		t.Fatal(err)
	}
	r.SetRules(shellRules(t, shellcommand.Settings{}))
	_, err := r.Execute(t.Context(), runs("git status && git push"))
	e := wantCode(t, err, tool.CodeApprovalRequired)
	if !strings.Contains(e.Message, `"git push" changes the repository`) || e.Details.Fix != "[shell]\nallow = [\"git push *\"]" || e.Details.Grant != nil {
		t.Errorf("got %q, %+v", e.Message, e.Details)
	}
}

// For a call without a script, and for a tool outside the sandbox, the grant is neither reduced nor
// extended.
func TestScriptOutsideTheSandboxKeepsItsGrant(t *testing.T) {
	w := newShellWorld(t, Options{}, shellRules(t, shellcommand.Settings{}), nil)
	if _, err := w.Execute(t.Context(), tool.Call{Tool: "sh"}); tool.CodeOf(err) != tool.CodePermissionDenied || len(w.asked) != 1 {
		t.Errorf("without a script: %v, asked %d times", err, len(w.asked))
	}
	w = newShellWorld(t, Options{}, shellRules(t, shellcommand.Settings{}), func(s *tool.Spec) { s.Sandboxed = false })
	if asked, _, _ := w.run(t, "ls"); !asked {
		t.Error("outside the sandbox, a reading script needs no approval")
	}
	w = newShellWorld(t, Options{}, shellRules(t, shellcommand.Settings{}), func(s *tool.Spec) { s.Dangerous = true })
	if asked, _, _ := w.run(t, "ls"); !asked {
		t.Error("a dangerous tool needs no approval")
	}
}

func TestParameterOfAScript(t *testing.T) {
	for parameter, ok := range map[string]bool{"command": true, "": true, "none": false, "count": false, "both": false} {
		spec := shellSpec(t)
		spec.Shell = parameter
		spec.Parameters = json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"},"count":{"type":"integer"},"both":{"type":["string","array"]}}}`)
		r := New(Options{})
		if err := r.Tools().Register(spec, &fake{}); (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "shell: ") {
			t.Errorf("%q: %v", parameter, err)
		}
		_ = r.Close()
	}
}

func TestExplainOfAScript(t *testing.T) {
	w := newShellWorld(t, Options{}, shellRules(t, shellcommand.Settings{}), nil)
	for script, want := range map[string]policy.Effect{"ls": policy.Allow, "ls; rm x": policy.Ask, "ls; sudo x": policy.Deny} {
		x, err := w.Explain(t.Context(), "sh", "", runs(script).Arguments)
		if err != nil || x.Policy.Effect != want || x.Shell == nil || x.Shell.Effect != want {
			t.Errorf("%q: %+v, %v", script, x.Policy.Decision, err)
		}
		if reads := slices.Equal(capability.Strings(x.Access.Permissions), readingWords); reads != (want == policy.Allow) {
			t.Errorf("%q would get %v", script, x.Access.Permissions)
		}
	}
	if x, err := w.Explain(t.Context(), "sh", "", json.RawMessage("{}")); err != nil || x.Shell != nil || !slices.Equal(capability.Strings(x.Access.Permissions), allWords) {
		t.Errorf("without a script: %+v, %v", x, err)
	}
	if _, err := w.Explain(t.Context(), "none", "", nil); tool.CodeOf(err) != tool.CodeNotFound {
		t.Errorf("got %v", err)
	}
}
