package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/ledger/loop"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// cause is a reason why calls of the tool "sh" need an approval, or are denied.
type cause struct {
	want      tool.AskReason // "" means that the call is denied
	script    string         // "" means that the tool has no script
	dangerous bool
	safe      bool // the tool requests no permissions
	missing   bool // the rules grant nothing
	shell     shellcommand.Settings
	policy    policy.Config
	tenant    *policy.Config // the policy of the tenant options; nil means none
	repeats   int            // earlier equal calls of the session
}

func asksFor(r policy.Rule) policy.Config {
	r.Effect = policy.Ask
	return policy.Config{Rules: []policy.Rule{r}}
}

// causes has every kind of reason, alone and combined with others.
func causes() map[string]cause {
	names := policy.Rule{Tools: []string{"sh"}}
	auto := policy.Config{
		Tools: map[string]policy.ToolRule{"sh": {AutoExecute: true}},
		Rules: []policy.Rule{{Effect: policy.Allow, Tools: []string{"sh"}, Capabilities: []string{"*"}}},
	}
	autoExcept := func(r policy.Rule) policy.Config {
		return policy.Config{Tools: auto.Tools, Rules: append(asksFor(r).Rules, auto.Rules...)}
	}
	denies := policy.Config{Rules: []policy.Rule{{Effect: policy.Deny, Tools: []string{"sh"}}}}
	lists := shellcommand.Settings{Ask: []string{"git push *"}, Deny: []string{"npm publish"}}
	all := map[string]cause{
		"dangerous":                             {want: tool.AskDangerous, safe: true, dangerous: true},
		"dangerous, an allowance by a group":    {want: tool.AskDangerous, dangerous: true, policy: policy.Config{Rules: []policy.Rule{{Effect: policy.Allow, Tools: []string{"*"}}}}},
		"effects":                               {want: tool.AskEffects},
		"effects and dangerous":                 {want: tool.AskDangerous, dangerous: true},
		"script":                                {want: tool.AskScript, script: "rm x"},
		"script, allowed by the policy":         {want: tool.AskScript, script: "rm x", policy: auto},
		"script and dangerous":                  {want: tool.AskDangerous, script: "rm x", dangerous: true},
		"script that the lists do not name":     {want: tool.AskScript, script: "rm x && mkdir -p a > out", shell: lists},
		"script that the policy decides":        {want: tool.AskEffects, script: "git push", shell: shellcommand.Settings{Unconfirmed: true}},
		"rule":                                  {want: tool.AskRule, policy: asksFor(names)},
		"rule for a safe tool":                  {want: tool.AskRule, safe: true, policy: asksFor(names)},
		"rule with a pattern for names":         {want: tool.AskRule, policy: asksFor(policy.Rule{Tools: []string{"s*"}})},
		"rule for all tools":                    {want: tool.AskRule, policy: asksFor(policy.Rule{Tools: []string{"*"}})},
		"rule for an alias":                     {want: tool.AskRule, policy: asksFor(policy.Rule{Tools: []string{"shell"}})},
		"rule for a permission":                 {want: tool.AskRule, policy: asksFor(policy.Rule{Capabilities: []string{"kv:*"}})},
		"rule for an argument":                  {want: tool.AskRule, policy: asksFor(policy.Rule{Arguments: map[string]policy.Match{"/other": {Equals: json.RawMessage(`"x"`)}}})},
		"rule with the reason of a default":     {want: tool.AskRule, policy: asksFor(policy.Rule{Tools: []string{"sh"}, Reason: "default"})},
		"rule and dangerous":                    {want: tool.AskRule, dangerous: true, policy: asksFor(names)},
		"rule and an allowance":                 {want: tool.AskRule, policy: autoExcept(names)},
		"second rule":                           {want: tool.AskRule, policy: policy.Config{Rules: []policy.Rule{{Effect: policy.Allow, Tools: []string{"sh"}}, {Effect: policy.Ask, Tools: []string{"sh"}}}}},
		"rule and script":                       {want: tool.AskRule, script: "rm x", policy: asksFor(names)},
		"rule and script that only reads":       {want: tool.AskRule, script: "ls", policy: asksFor(names)},
		"shell.ask":                             {want: tool.AskRule, script: "git push origin", shell: lists},
		"shell.ask and dangerous":               {want: tool.AskRule, script: "git push origin", shell: lists, dangerous: true},
		"shell.ask among other commands":        {want: tool.AskRule, script: "rm x; (cd a && git push); ls", shell: lists},
		"shell.ask of a harmless command":       {want: tool.AskRule, script: "ls", shell: shellcommand.Settings{Ask: []string{"ls"}}},
		"shell.ask in a wrapper":                {want: tool.AskRule, script: "env -i git push", shell: lists},
		"shell.ask in another shell":            {want: tool.AskRule, script: `bash -c "git push"`, shell: lists},
		"shell.ask in a substitution":           {want: tool.AskRule, script: `echo "$(git push)"`, shell: lists},
		"shell.ask with an unknown word":        {want: tool.AskRule, script: `git $x`, shell: lists},
		"shell.deny with an unknown word":       {want: tool.AskRule, script: `npm $x`, shell: lists},
		"shell.ask, perhaps by an expansion":    {want: tool.AskRule, script: `$(echo git) push`, shell: lists},
		"shell.ask, perhaps by eval":            {want: tool.AskRule, script: `eval "$x"`, shell: lists},
		"shell.ask, perhaps by input":           {want: tool.AskRule, script: `echo Z2l0IHB1c2g= | base64 -d | sh`, shell: lists},
		"shell.ask, perhaps by xargs":           {want: tool.AskRule, script: `echo push | xargs git`, shell: lists},
		"shell.ask, perhaps by another shell":   {want: tool.AskRule, script: `bash script.sh`, shell: lists},
		"shell.ask, perhaps by python":          {want: tool.AskRule, script: `python3 -c 'import os; os.system("git push")'`, shell: lists},
		"shell.ask, perhaps by an alias":        {want: tool.AskRule, script: `alias x="git push"; x`, shell: lists},
		"shell.ask, perhaps by a program":       {want: tool.AskRule, script: `printf "git push" > x.sh; ./x.sh`, shell: lists},
		"shell.ask, perhaps by a known name":    {want: tool.AskRule, script: `./rm x`, shell: lists},
		"shell.ask, perhaps by a Makefile":      {want: tool.AskRule, script: `make all`, shell: lists},
		"shell.ask, perhaps by npm":             {want: tool.AskRule, script: `npm run all`, shell: lists},
		"shell.ask, perhaps by git":             {want: tool.AskRule, script: `git -c alias.x=push x`, shell: lists},
		"shell.ask, perhaps by an alias of git": {want: tool.AskRule, script: `git p`, shell: lists},
		"shell.ask, perhaps by an option":       {want: tool.AskRule, script: `tar -xf a --to-command="git push"`, shell: lists},
		"shell.ask, perhaps by a function":      {want: tool.AskRule, script: `rm() { git push; }; rm x`, shell: lists},
		"shell.ask, perhaps by PATH":            {want: tool.AskRule, script: `PATH=/workspace/bin; ls`, shell: lists},
		"shell.ask, perhaps by an index":        {want: tool.AskRule, script: `[ -v 'a[$(git push)]' ]`, shell: lists},
		"shell.ask, in a script that is not":    {want: tool.AskRule, script: `git push "`, shell: lists},
		"tenant's rule":                         {want: tool.AskRule, tenant: new(asksFor(names))},
		"tenant's rule and the rule":            {want: tool.AskRule, policy: asksFor(names), tenant: new(asksFor(names))},
		"tenant's rule, otherwise allowed":      {want: tool.AskRule, policy: auto, tenant: new(autoExcept(names))},
		"tenant's rule and script":              {want: tool.AskRule, script: "rm x", tenant: new(asksFor(names))},
		"tenant's policy alone":                 {want: tool.AskRule, policy: auto, tenant: new(policy.Config{})},
		"tenant's policy as well":               {want: tool.AskRule, dangerous: true, tenant: new(policy.Config{})},
		"tenant's policy allows":                {want: tool.AskEffects, tenant: &auto},
		"rule, and the tenant's allows":         {want: tool.AskRule, policy: asksFor(names), tenant: &auto},
		"repeated":                              {want: tool.AskRepeated, safe: true, repeats: 1},
		"repeated and dangerous":                {want: tool.AskRepeated, dangerous: true, repeats: 1},
		"repeated and effects":                  {want: tool.AskRepeated, repeats: 1},
		"repeated and script":                   {want: tool.AskRepeated, script: "rm x", repeats: 1},
		"repeated and rule":                     {want: tool.AskRepeated, policy: asksFor(names), repeats: 1},
		"repeated and shell.ask":                {want: tool.AskRepeated, script: "git push", shell: lists, repeats: 1},
		"denied by a rule":                      {policy: denies},
		"denied by a rule, and dangerous":       {policy: denies, dangerous: true},
		"denied by the tenant's rule":           {tenant: &denies},
		"denied by a list":                      {policy: policy.Config{Deny: []string{"sh"}}},
		"denied by the tenant's list":           {tenant: &policy.Config{Deny: []string{"sh"}}},
		"denied because tools are off":          {policy: policy.Config{Off: true}},
		"forbidden script":                      {script: "sudo rm x"},
		"forbidden script, and dangerous":       {script: "sudo rm x", dangerous: true},
		"script that shell.deny names":          {script: "npm publish", shell: lists},
		"missing grant":                         {missing: true},
		"missing grant, and dangerous":          {missing: true, dangerous: true},
		"repeated too often":                    {safe: true, repeats: 2},
		"repeated too often, and dangerous":     {dangerous: true, repeats: 2},
	}
	return all
}

// causeWorld is a registry with a tool that needs an approval for a cause.
type causeWorld struct {
	*Tenant
	call      tool.Call
	begun     bool // the earlier calls, which the approver denies, have ended
	ran       int
	questions []Question
	receipt   tool.Receipt
	kept      *remembered.Memory
	log       bytes.Buffer
}

// newCauseWorld returns a world whose approver answers yes or no, or that has no approver if answer
// is "none".
func newCauseWorld(t *testing.T, c cause, answer string) *causeWorld {
	t.Helper()
	w := &causeWorld{kept: remembered.NewMemory(remembered.Options{})}
	o := Options{
		Approvals: ApprovalOptions{Store: w.kept}, Logger: slog.New(slog.NewTextHandler(&w.log, nil)),
		Calls: ledger.Options{OnReceipt: func(r tool.Receipt) { w.receipt = r }, Loops: loop.Options{Warn: -1, Ask: 2, Block: 3}},
	}
	if answer != "none" {
		o.Approvals.Approver = ApproverFunc(func(_ context.Context, q Question) (Answer, error) {
			w.questions = append(w.questions, q)
			return Answer{Yes: answer == "yes" && w.begun}, nil
		})
	}
	rules, spec := shellRules(t, c.shell), shellSpec(t)
	spec.Dangerous, spec.Aliases = c.dangerous, []string{"shell"}
	if c.script == "" {
		spec.Shell = ""
	}
	if c.safe {
		spec.Permissions = capability.Permissions{}
	}
	if c.missing {
		rules.Grantable = capability.Grantable{}
	}
	compiled := func(config policy.Config) *policy.Policy {
		p, err := policy.Compile(config, policy.Known{Tools: []policy.ToolFacts{{Name: "sh", Aliases: spec.Aliases}}})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	rules.Policy = compiled(c.policy)
	r := New(o)
	t.Cleanup(func() { _ = r.Close() })
	executor := &identified{fake: does(func(context.Context, tool.Invocation) { w.ran++ }), digest: "sha256:" + strings.Repeat("a", 64)}
	if err := r.Tools().Register(spec, executor); err != nil {
		t.Fatal(err)
	}
	r.SetRules(rules)
	options := TenantOptions{}
	if c.tenant != nil {
		options.Policy = compiled(*c.tenant)
	}
	w.Tenant = r.Tenant("t", options)
	// Nothing in the arguments can approve the call.
	arguments, err := json.Marshal(map[string]any{"command": c.script, "other": "x", "AutoConfirm": true, "auto_confirm": true, "approved_by": "agent"})
	if err != nil {
		t.Fatal(err)
	}
	w.call = tool.Call{Tool: "sh", Arguments: arguments}
	if c.repeats > 0 {
		w.call.Session = "s"
	}
	for range c.repeats {
		earlier := w.call
		earlier.AutoConfirm = func(tool.CallRef, tool.Spec, tool.AskReason) bool { return true }
		_, _ = w.Execute(t.Context(), earlier)
	}
	w.begun, w.ran, w.questions = true, 0, nil
	return w
}

// AutoConfirm approves a call without a question if the call needs an approval only by default. It
// is not called, and approves nothing, if a rule of the operator or repetition requires the
// approval, or if the call is denied.
func TestAutoConfirm(t *testing.T) {
	for name, c := range causes() {
		for _, consent := range []string{"none", "yes", "no", "panic"} {
			for _, answer := range []string{"none", "yes", "no"} {
				t.Run(fmt.Sprintf("%s/consent %s/approver %s", name, consent, answer), func(t *testing.T) {
					w := newCauseWorld(t, c, answer)
					var reasons []tool.AskReason
					if consent != "none" {
						w.call.AutoConfirm = func(ref tool.CallRef, spec tool.Spec, reason tool.AskReason) bool {
							reasons = append(reasons, reason)
							if ref.ID == "" || ref.Tenant != "t" || ref.Tool != "sh" || spec.Name != "sh" {
								t.Errorf("asked about %+v of %q", ref, spec.Name)
							}
							spec.Aliases[0] = "changed"
							if consent == "panic" {
								panic("/root/secret/path")
							}
							return consent == "yes"
						}
					}
					_, err := w.Execute(t.Context(), w.call)

					byDefault := c.want == tool.AskDangerous || c.want == tool.AskScript || c.want == tool.AskEffects
					agreed := byDefault && consent == "yes"
					asked := c.want != "" && !agreed && answer != "none"
					approvedBy := ""
					switch {
					case agreed:
						approvedBy = tool.ApprovedByAgent
					case asked && answer == "yes":
						approvedBy = tool.ApprovedByApprover
					}
					if runs := approvedBy != ""; (w.ran == 1) != runs || (err == nil) != runs {
						t.Errorf("ran %d times, %v", w.ran, err)
					}
					if called := byDefault && consent != "none"; len(reasons) > 1 || called != (len(reasons) == 1) || called && reasons[0] != c.want {
						t.Errorf("AutoConfirm was called for %q, want %q", reasons, c.want)
					}
					if (len(w.questions) == 1) != asked || asked && w.questions[0].Reason != c.want {
						t.Errorf("the approver was asked %+v", w.questions)
					}
					if asked && w.questions[0].Tool.Aliases[0] != "shell" {
						t.Error("AutoConfirm changed the question")
					}
					if r := w.receipt; r.ApprovedBy != approvedBy || r.Approved != (approvedBy != "") {
						t.Errorf("the receipt has %v, %q, want %q", r.Approved, r.ApprovedBy, approvedBy)
					}
					if logged := strings.Contains(w.log.String(), "panic in AutoConfirm"); logged != (byDefault && consent == "panic") {
						t.Errorf("logged %s", w.log.String())
					}
					if err != nil && strings.Contains(err.Error(), "/root") {
						t.Errorf("got %v", err)
					}
					if kept, err := w.kept.List(t.Context(), ""); err != nil || len(kept) > 0 {
						t.Errorf("kept %v, %v", kept, err)
					}
				})
			}
		}
	}
}

// An approval by AutoConfirm does not cover the next call, which is equal but has no AutoConfirm.
func TestAutoConfirmIsNotRemembered(t *testing.T) {
	for _, session := range []string{"", "s"} {
		w := newCauseWorld(t, cause{dangerous: true}, "none")
		w.call.Session = session
		agreed := w.call
		agreed.AutoConfirm = func(tool.CallRef, tool.Spec, tool.AskReason) bool { return true }
		if _, err := w.Execute(t.Context(), agreed); err != nil {
			t.Fatal(err)
		}
		w.call.Message = "another"
		_, err := w.Execute(t.Context(), w.call)
		if code := tool.CodeOf(err); code != tool.CodeApprovalRequired || w.ran != 1 {
			t.Errorf("session %q: got %v, ran %d times", session, err, w.ran)
		}
	}
}

// A remembered approval comes before AutoConfirm, and the receipt says so.
func TestRememberedApprovalNeedsNoAutoConfirm(t *testing.T) {
	store, err := remembered.Open(filepath.Join(t.TempDir(), "own"), remembered.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	spec := echo()
	spec.Dangerous = true
	var receipts []string
	r := New(Options{
		Approvals: ApprovalOptions{Store: store.Approvals, Approver: ApproverFunc(func(context.Context, Question) (Answer, error) {
			return Answer{Yes: true, Remember: remembered.ScopeAlways}, nil
		})},
		Calls: ledger.Options{OnReceipt: func(r tool.Receipt) { receipts = append(receipts, r.ApprovedBy) }},
	})
	if err := r.Tools().Register(spec, &identified{fake: &fake{}, digest: "sha256:" + strings.Repeat("a", 64)}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		call := say("x")
		if receipts != nil {
			call.AutoConfirm = func(tool.CallRef, tool.Spec, tool.AskReason) bool {
				t.Error("AutoConfirm was called")
				return false
			}
		}
		if _, err := r.Execute(t.Context(), call); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(receipts, " "); got != "approver remembered" {
		t.Errorf("the receipts have %q", got)
	}
}

// An approval by AutoConfirm does not reset the count of repetitions, as the approval of a person
// does.
func TestAutoConfirmDoesNotEndALoop(t *testing.T) {
	spec := echo()
	spec.Dangerous = true
	for _, person := range []bool{false, true} {
		var asked []int
		at := 0
		yes := ApproverFunc(func(context.Context, Question) (Answer, error) {
			asked = append(asked, at)
			return Answer{Yes: person}, nil
		})
		r := withTool(t, Options{Approvals: ApprovalOptions{Approver: yes}}, spec, &fake{})
		refused := 0
		for at = 1; at <= 12; at++ {
			call := inSession("s", "x", at)
			call.AutoConfirm = func(tool.CallRef, tool.Spec, tool.AskReason) bool { return true }
			if _, err := r.Execute(t.Context(), call); err != nil && refused == 0 {
				refused = at
			}
		}
		want := "asked [5 6 7 8 9], refused from 5"
		if person { // a person's approval of the fifth call begins a new count
			want = "asked [5 9], refused from 0"
		}
		if got := fmt.Sprintf("asked %v, refused from %d", asked, refused); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// An AutoConfirm that hangs approves nothing. The call ends at its deadline, or when the time for
// an answer is over.
func TestHangingAutoConfirmBlocksNoCaller(t *testing.T) {
	spec := echo()
	spec.Dangerous = true
	for limit, want := range map[time.Duration]tool.Code{time.Second: tool.CodeTimeout, time.Hour: tool.CodeApprovalRequired} {
		synctest.Test(t, func(t *testing.T) {
			release := make(chan struct{})
			defer close(release)
			ran := false
			approver := ApproverFunc(func(context.Context, Question) (Answer, error) {
				t.Error("the approver was asked")
				return Answer{Yes: true}, nil
			})
			r := withTool(t, Options{Approvals: ApprovalOptions{Timeout: time.Minute, Approver: approver}}, spec, does(func(context.Context, tool.Invocation) { ran = true }))
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			call := say("x")
			call.AutoConfirm = func(tool.CallRef, tool.Spec, tool.AskReason) bool {
				<-release
				return true
			}
			began := time.Now()
			_, err := r.Execute(ctx, call)
			wantCode(t, err, want)
			if took := time.Since(began); took != min(limit, time.Minute) || ran {
				t.Errorf("took %v, ran: %v", took, ran)
			}
		})
	}
}

// A nested call has no consent from the outer call, even if the tool copies the outer call. It has
// only the AutoConfirm that the code which starts it sets.
func TestNestedCallHasItsOwnAutoConfirm(t *testing.T) {
	yes := func(tool.CallRef, tool.Spec, tool.AskReason) bool { return true }
	for name, tt := range map[string]struct {
		nested func(outer tool.Call) tool.Call
		runs   bool
	}{
		"none": {func(tool.Call) tool.Call { return say("x") }, false},
		"a copy of the outer call": {func(outer tool.Call) tool.Call {
			outer.ID, outer.Tool = "", "echo"
			return outer
		}, false},
		"its own": {func(tool.Call) tool.Call {
			call := say("x")
			call.AutoConfirm = yes
			return call
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			ran, approvals := false, ""
			inner, outer := echo(), echo()
			inner.Dangerous, outer.Dangerous, outer.Name = true, true, "outer"
			r := withTool(t, Options{Calls: ledger.Options{OnReceipt: func(r tool.Receipt) { approvals += r.Tool + "=" + r.ApprovedBy + " " }}},
				inner, does(func(context.Context, tool.Invocation) { ran = true }))
			var nested error
			if err := r.Tools().Register(outer, does(func(ctx context.Context, in tool.Invocation) {
				_, nested = in.Start(ctx, tt.nested(in.Call)).Result(ctx)
			})); err != nil {
				t.Fatal(err)
			}
			call := say("x")
			call.Tool, call.AutoConfirm = "outer", yes
			if _, err := r.Execute(t.Context(), call); err != nil {
				t.Fatal(err)
			}
			want := "echo= outer=agent "
			if tt.runs {
				want = "echo=agent outer=agent "
			}
			if ran != tt.runs || approvals != want {
				t.Errorf("ran: %v, receipts %q", ran, approvals)
			}
			if !tt.runs {
				wantCode(t, nested, tool.CodeApprovalRequired)
			}
		})
	}
}

// Depth counts the calls around a call. A tool cannot choose it.
func TestDepthCountsOuterCalls(t *testing.T) {
	var depths []int
	r := withTool(t, Options{}, echo(), does(func(ctx context.Context, in tool.Invocation) {
		depths = append(depths, in.Depth)
		if len(depths) < 4 {
			call := in.Call
			call.ID = ""
			if _, err := in.Start(ctx, call).Result(ctx); err != nil {
				t.Error(err)
			}
		}
	}))
	if _, err := r.Execute(t.Context(), say("x")); err != nil {
		t.Fatal(err)
	}
	for _, o := range r.Tenant("t", TenantOptions{}).ExecuteAll(t.Context(), []tool.Call{say("y")}) {
		if o.Err != nil {
			t.Error(o.Err)
		}
	}
	if got := fmt.Sprint(depths); got != "[0 1 2 3 0]" {
		t.Errorf("the depths are %s", got)
	}
}

// JSON can neither set nor show the AutoConfirm of a call.
func TestJSONSetsNoAutoConfirm(t *testing.T) {
	for _, name := range []string{"AutoConfirm", "autoconfirm", "auto_confirm", "autoConfirm"} {
		for _, value := range []string{"true", `"yes"`, "{}", "null"} {
			var call tool.Call
			if err := json.Unmarshal(fmt.Appendf(nil, `{"Tool":"echo",%q:%s}`, name, value), &call); err != nil || call.AutoConfirm != nil {
				t.Errorf("%s = %s: %v, set: %v", name, value, err, call.AutoConfirm != nil)
			}
		}
	}
	call := say("x")
	call.AutoConfirm = func(tool.CallRef, tool.Spec, tool.AskReason) bool { return true }
	if text, err := json.Marshal(call); err != nil || strings.Contains(strings.ToLower(string(text)), "confirm") {
		t.Errorf("got %s, %v", text, err)
	}
}
