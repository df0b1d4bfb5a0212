package standard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
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
	"github.com/wasmtool/wasmtool/registry/schedule"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// The tests of this file are bugs of other programs that run scripts of models.

// caller is a Registry or one of its tenants.
type caller interface {
	Execute(ctx context.Context, call tool.Call) (tool.Result, error)
}

// scripting returns a registry with the built-in tools, in which scripts may call these tools, and
// run without a question.
func scripting(t testing.TB, o standard.Options, callable ...string) *registry.Registry {
	t.Helper()
	o.StateDir = t.TempDir()
	o.Runtime.CompileCommand = compiler
	o.Registry.Logger = slog.New(slog.DiscardHandler)
	o.Registry.Rules.Grantable = capability.Grantable{
		Tools: callable, Mounts: map[string]capability.Mount{"workspace": {Dir: t.TempDir(), Mode: capability.ModeRead}},
	}
	o.Policy.Tools = map[string]policy.ToolRule{"code": {AutoExecute: true}}
	if o.Registry.Approvals.Approver == nil {
		o.Registry.Approvals.Approver = registry.ApproverFunc(allow)
	}
	reg, err := standard.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = reg.Close() })
	return reg
}

// runs returns what a script in JavaScript gives, or its error. kind(f) is how a call ends.
func runs(ctx context.Context, c caller, script string) string {
	return runsIn(ctx, c, "js", "const kind = async (f) => { try { return await f() } catch (e) { return e.kind + ': ' + e.message } };\n"+script)
}

func runsIn(ctx context.Context, c caller, language, script string) string {
	arguments, _ := json.Marshal(map[string]string{"language": language, "script": script})
	result, err := c.Execute(ctx, tool.Call{Tool: "code", Arguments: arguments})
	var e *tool.Error
	if errors.As(err, &e) {
		return string(e.Code) + ": " + e.Message + "\n" + result.Text()
	}
	return strings.TrimSpace(result.Text())
}

// counted defines tools that count their calls.
func counted(t *testing.T, reg *registry.Registry, ran *atomic.Int64, specs ...tool.Spec) {
	for _, spec := range specs {
		spec.Server = serverOf(spec.Name)
		define(t, reg, spec, func(context.Context, tool.Invocation) (tool.Result, error) {
			ran.Add(1)
			return tool.TextResult("done", nil)
		})
	}
}

// serverOf returns the server of a tool with the name of one.
func serverOf(name string) string {
	if parts := strings.Split(name, "__"); len(parts) == 3 {
		return parts[1]
	}
	return ""
}

func described(t *testing.T, infos []catalogue.Info) string {
	t.Helper()
	i := slices.IndexFunc(infos, func(i catalogue.Info) bool { return i.Name == "code" })
	if i < 0 {
		t.Fatal("code is not listed")
	}
	return infos[i].Description
}

// aaif-goose/goose#11425: tools that were hidden from the model could be seen and called in code.
func TestScriptsHaveNoHiddenTools(t *testing.T) {
	reg := scripting(t, standard.Options{Policy: policy.Config{Deny: []string{"mcp__ops__*"}}}, "*")
	var ran atomic.Int64
	counted(t, reg, &ran, tool.Spec{Name: "mcp__ops__reboot-host"}, tool.Spec{Name: "mcp__ops__reboot_host"}, tool.Spec{Name: "mcp__hr__salaries"}, tool.Spec{Name: "open"})
	only, err := policy.Compile(policy.Config{Deny: []string{"mcp__hr__*"}, Additional: true}, policy.Known{})
	if err != nil {
		t.Fatal(err)
	}
	blue := reg.Tenant("blue", registry.TenantOptions{Policy: only})
	if got := described(t, reg.Tools().List(catalogue.Filter{})) + described(t, blue.List(catalogue.Filter{})); strings.Contains(got, "reboot") || !strings.Contains(got, "tools.open(") {
		t.Errorf("the description is %s", got)
	}
	if got := described(t, blue.List(catalogue.Filter{})); strings.Contains(got, "salaries") || strings.Contains(got, "tools.hr") {
		t.Errorf("the description for a tenant is %s", got)
	}
	script := func(name, path string) string {
		return fmt.Sprintf(`return [(await tools.search("a tool of the test reboot host salaries", 50)).map((f) => f.name).filter((n) => n.startsWith("mcp")),
await kind(() => tools[%q]()), await kind(() => tools.%s()), await kind(() => tools.call(%[1]q, {}))]`, name, path)
	}
	for name, c := range map[string]struct {
		caller
		name, path string
	}{
		"of the policy": {reg, "mcp__ops__reboot-host", "ops.reboot_host"},
		"of the tenant": {blue, "mcp__hr__salaries", "hr.salaries"},
	} {
		var got []any
		if text := runs(t.Context(), c, script(c.name, c.path)); json.Unmarshal([]byte(text), &got) != nil || len(got) != 4 {
			t.Fatalf("%s: got %s", name, text)
		}
		if found := fmt.Sprint(got[0]); strings.Contains(found, c.name) || strings.Contains(found, "ops") {
			t.Errorf("%s: the search finds %s", name, found)
		}
		_, direct := c.Execute(t.Context(), tool.Call{Tool: c.name})
		for _, answer := range []any{got[1], got[3]} {
			if !strings.HasPrefix(fmt.Sprint(answer), string(tool.CodeOf(direct))+": ") {
				t.Errorf("%s: a call gets %v, a direct one %v", name, answer, direct)
			}
		}
		if path := fmt.Sprint(got[2]); !strings.HasPrefix(path, "not_found: ") || strings.Contains(path, "mcp__") {
			t.Errorf("%s: a call of the path gets %s", name, path)
		}
	}
	if ran.Load() != 0 {
		t.Error("a hidden tool was called")
	}
}

// aaif-goose/goose#11275 and two of hermes: calls in code needed no approval.
func TestScriptsDoNotGoAroundApprovals(t *testing.T) {
	var asked []string
	yes := false
	o := standard.Options{}
	o.Registry.Approvals.Approver = registry.ApproverFunc(func(_ context.Context, q registry.Question) (registry.Answer, error) {
		asked = append(asked, q.CallRef.Tool+string(q.Arguments))
		return registry.Answer{Yes: yes}, nil
	})
	reg := scripting(t, o, "*")
	var ran atomic.Int64
	counted(t, reg, &ran, tool.Spec{Name: "gated", Dangerous: true})
	script := "return [await kind(() => tools.gated({n: 1})), await kind(async () => (await tools.call('gated', {n: 2})).text)]"
	if got := runs(t.Context(), reg, script); strings.Count(got, "permission_denied: ") != 2 || ran.Load() != 0 {
		t.Errorf("without approvals, got %s and %d calls", got, ran.Load())
	}
	yes = true
	if got := runs(t.Context(), reg, script); got != `["done","done"]` || ran.Load() != 2 {
		t.Errorf("with approvals, got %s and %d calls", got, ran.Load())
	}
	if want := []string{`gated{"n":1}`, `gated{"n":2}`, `gated{"n":1}`, `gated{"n":2}`}; !slices.Equal(asked, want) {
		t.Errorf("the questions are %q, want %q", asked, want)
	}
	if got := runs(t.Context(), reg.Tenant("silent", registry.TenantOptions{Approver: registry.ApproverFunc(func(context.Context, registry.Question) (registry.Answer, error) {
		return registry.Answer{}, errors.New("no person is available")
	})}), script); strings.Contains(got, "done") || ran.Load() != 2 {
		t.Errorf("with an approver that fails, got %s", got)
	}
}

// stacklok/toolhive#4373: policies had to name the tool that runs scripts, and not the real tools.
func TestRulesForRealNamesDecideInScripts(t *testing.T) {
	o := standard.Options{Policy: policy.Config{Rules: []policy.Rule{
		{Effect: policy.Deny, Tools: []string{"bash"}, Reason: "no scripts"},
		{Effect: policy.Deny, Tools: []string{"mcp__shop__buy-item"}, Arguments: map[string]policy.Match{"/kind": {Equals: json.RawMessage(`"car"`)}}, Reason: "no cars"},
		{Effect: policy.Allow, Tools: []string{"code", "group:runtime"}},
	}}}
	reg := scripting(t, o, "*")
	var ran atomic.Int64
	counted(t, reg, &ran, tool.Spec{Name: "mcp__shop__buy-item"})
	got := runs(t.Context(), reg, `return [await kind(() => tools.bash({command: "ls"})), await kind(() => tools.shop.buy_item({kind: "car"})), await tools.shop.buy_item({kind: "book"})]`)
	for _, part := range []string{`["permission_denied: `, "no scripts", "no cars", `"done"]`} {
		if !strings.Contains(got, part) {
			t.Errorf("got %s, want %s", got, part)
		}
	}
	if ran.Load() != 1 {
		t.Errorf("%d calls ran, want 1", ran.Load())
	}
}

// anomalyco/opencode#41389: models call names of the catalogue as tools. They learn what to do.
func TestPathCalledAsTool(t *testing.T) {
	reg := scripting(t, standard.Options{}, "*")
	var ran atomic.Int64
	counted(t, reg, &ran, tool.Spec{Name: "mcp__github__list-issues"})
	for _, name := range []string{"github.list_issues", "tools.github.list_issues", "tools.search"} {
		_, err := reg.Execute(t.Context(), tool.Call{Tool: name})
		if tool.CodeOf(err) != tool.CodeNotFound || !strings.Contains(err.Error(), "code") && !strings.Contains(err.Error(), "mcp__github__list-issues") {
			t.Errorf("a call of %s gives %v", name, err)
		}
	}
}

// anomalyco/opencode#48108: the catalogue without tools was empty, and models guessed names.
func TestCatalogueWithoutToolsSaysSo(t *testing.T) {
	reg := scripting(t, standard.Options{})
	if got := described(t, reg.Tools().List(catalogue.Filter{})); !strings.Contains(got, "has not granted any tool") {
		t.Errorf("the description is %s", got)
	}
	if got := runs(t.Context(), reg, "return await tools.search('files')"); !strings.HasPrefix(got, "permission_denied: not granted: tools:*") {
		t.Errorf("a script gives %s", got)
	}
	reg = scripting(t, standard.Options{}, "mcp__none__*")
	if got := described(t, reg.Tools().List(catalogue.Filter{})); strings.Contains(got, "tools.calculator(") {
		t.Errorf("with a grant that fits no tool, the description is %s", got)
	} else if tail := got[strings.LastIndex(got, "packages.")+9:]; !strings.Contains(tail, "tool") {
		t.Errorf("with a grant that fits no tool, the description ends with %q", tail)
	}
	got := runs(t.Context(), reg, "return [await tools.search('files'), await kind(() => tools.calculator({expression: '1'}))]")
	if !strings.HasPrefix(got, `[[],"permission_denied: `) {
		t.Errorf("with a grant that fits no tool, a script gives %s", got)
	}
}

// openai/codex#35613: a script ended while what it had started lived on; #33036: a script hung for
// an hour with a call that hung.
func TestNoCallOutlivesItsScript(t *testing.T) {
	var running, began atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	reg := scripting(t, standard.Options{}, "*")
	waits := func(began func()) func(context.Context, tool.Invocation) (tool.Result, error) {
		return func(ctx context.Context, _ tool.Invocation) (tool.Result, error) {
			running.Add(1)
			defer running.Add(-1)
			began()
			<-ctx.Done()
			return tool.Result{}, ctx.Err()
		}
	}
	reads := tool.Spec{Name: "waits", Declared: &capability.Effects{ReadOnly: true}}
	define(t, reg, reads, waits(func() { began.Add(1) }))
	reads.Name = "cancels"
	define(t, reg, reads, waits(cancel))
	var ran atomic.Int64
	counted(t, reg, &ran, tool.Spec{Name: "quick", Declared: &capability.Effects{ReadOnly: true}})
	execute := func(ctx context.Context, timeout time.Duration, script string) error {
		arguments, _ := json.Marshal(map[string]string{"language": "js", "script": script})
		_, err := reg.Execute(ctx, tool.Call{Tool: "code", Timeout: timeout, Arguments: arguments})
		if n := running.Load(); n != 0 {
			t.Errorf("%s leaves %d calls running", script, n)
		}
		return err
	}
	if err := execute(t.Context(), time.Minute, "tools.quick(); return 1"); err != nil {
		t.Error(err)
	}
	before := ran.Load()
	for _, script := range []string{"tools.waits(); return 1", "await tools.waits()", "await Promise.all([tools.waits(), tools.waits(), tools.quick()])", "try { await tools.waits() } catch {} ; await tools.waits()"} {
		if err := execute(t.Context(), time.Second/2, script); tool.CodeOf(err) != tool.CodeTimeout {
			t.Errorf("%s ends with %v", script, err)
		}
	}
	if began.Load() == 0 || before != 1 {
		t.Errorf("%d calls began, and one that is not awaited ran %d times", began.Load(), before)
	}
	if err := execute(ctx, time.Minute, "await Promise.all([tools.waits(), tools.cancels()])"); tool.CodeOf(err) != tool.CodeCancelled {
		t.Errorf("a script that is cancelled ends with %v", err)
	}
}

// A signature shows what a call returns, also if a model that calls the tool directly gets a text.
func TestSignaturesShowWhatCallsReturn(t *testing.T) {
	reg := scripting(t, standard.Options{}, "*")
	details := tool.Spec{Name: "counts", Details: true, Declared: &capability.Effects{ReadOnly: true}, Result: json.RawMessage(`{"type":"object","required":["n"],"properties":{"n":{"type":"number"}}}`)}
	define(t, reg, details, func(context.Context, tool.Invocation) (tool.Result, error) {
		return tool.TextResult("two", map[string]any{"n": 2})
	})
	got := runs(t.Context(), reg, "return [(await tools.search('counts', 1))[0].signature, await tools.counts()]")
	if !strings.Contains(got, "Promise<{n: number}>") || !strings.Contains(got, `{"n":2}]`) {
		t.Errorf("got %s", got)
	}
}

// Names with dashes, names that are words of the languages or functions of tools, and paths of two
// tools.
func TestNamesInScripts(t *testing.T) {
	reg := scripting(t, standard.Options{}, "*")
	for _, name := range []string{"a-b", "mcp__s-1__list-all", "mcp__s-1__list_all", "mcp__s-1__get-x", "search", "call", "then", "delete", "constructor", "mcp__then__then"} {
		define(t, reg, tool.Spec{Name: name, Server: serverOf(name), Declared: &capability.Effects{ReadOnly: true}}, func(context.Context, tool.Invocation) (tool.Result, error) { return tool.TextResult("I am "+name, nil) })
	}
	for script, want := range map[string]string{
		"return await tools.a_b()":                                          "I am a-b",
		"return await tools['a-b']()":                                       "I am a-b",
		"return await tools.s_1.get_x()":                                    "I am mcp__s-1__get-x",
		"return await tools['mcp__s-1__list-all']()":                        "I am mcp__s-1__list-all",
		"return await tools['mcp__s-1__list_all']()":                        "I am mcp__s-1__list_all",
		"return await tools.delete()":                                       "I am delete",
		"return await tools.constructor()":                                  "I am constructor",
		"return (await tools.call('search')).text":                          "I am search",
		"return (await tools.call('call')).text":                            "I am call",
		"return (await tools.call('then')).text":                            "I am then",
		"return (await tools.call('mcp__then__then')).text":                 "I am mcp__then__then",
		"const f = async () => tools.s_1; return await (await f()).get_x()": "I am mcp__s-1__get-x",
		"const f = async () => tools; return await (await f()).a_b()":       "I am a-b",
	} {
		if got := runs(t.Context(), reg, script); got != want {
			t.Errorf("%s gives %s, want %s", script, got, want)
		}
	}
	got := runs(t.Context(), reg, "return await kind(() => tools.s_1.list_all())")
	if !strings.HasPrefix(got, "not_found: ") || !strings.Contains(got, `tools["mcp__s-1__list-all"], tools["mcp__s-1__list_all"]`) {
		t.Errorf("the path of two tools gives %s", got)
	}
}

// pydantic/monty: a script that imports what is not there got no hint, and models tried again.
func TestMissingModuleInScript(t *testing.T) {
	reg := scripting(t, standard.Options{}, "*")
	for _, script := range []string{"const fs = await import('fs')", "const { x } = await import('lodash')", "import fs from 'node:fs'\nreturn 1", "const fs = require('fs')", "await fetch('https://example.com')"} {
		got := runsIn(t.Context(), reg, "js", script)
		if !strings.HasPrefix(got, "execution: ") || !strings.Contains(got, "use tools: tools.search finds them") {
			t.Errorf("%s gives %s", script, got)
		}
	}
	if got := runs(t.Context(), reg, "throw new Error('no module')"); strings.Contains(got, "tools.search") {
		t.Errorf("another error has the hint: %s", got)
	}
}

// The permission of a script names tools, and an alias, which the author of a tool chooses, does
// not make another tool callable.
func TestAliasesInScripts(t *testing.T) {
	reg := scripting(t, standard.Options{Policy: policy.Config{Deny: []string{"removed"}}}, "say_*", "removed")
	var ran atomic.Int64
	counted(t, reg, &ran, tool.Spec{Name: "other", Aliases: []string{"say_other"}}, tool.Spec{Name: "removed", Aliases: []string{"say_removed"}})
	got := runs(t.Context(), reg, "return [await kind(() => tools.say_other()), await kind(() => tools.other()), await kind(() => tools.say_removed()), await tools.search('tool of the test')]")
	if ran.Load() != 0 || strings.Contains(got, "done") || !strings.HasSuffix(got, ",[]]") {
		t.Errorf("got %s, and %d calls", got, ran.Load())
	}
}

// A script that calls scripts, one that calls without end, and one that prints without end are
// stopped by the limits of docs/code.md.
func TestLimitsOfScripts(t *testing.T) {
	reg := scripting(t, standard.Options{}, "*")
	var ran atomic.Int64
	counted(t, reg, &ran, tool.Spec{Name: "quick", Declared: &capability.Effects{ReadOnly: true}})
	nested := `const run = async (depth) => kind(() => tools.code({language: "js", script: "const depth = " + (depth + 1) + "; const kind = " + kind + "; const run = " + run + "; return [depth, await run(depth)]"}));
return await run(0);`
	if got := runs(t.Context(), reg, nested); !strings.Contains(got, "[7,") || !strings.Contains(got, "8 calls are inside one another") || strings.Contains(got, "[9,") {
		t.Errorf("a script in a script gives %s", got)
	}
	if got := runs(t.Context(), reg, "for (let n = 0; ; n++) try { await tools.quick({n}) } catch (e) { return [n, e.kind] }"); got != `[200,"too_many"]` || ran.Load() != 200 {
		t.Errorf("a script that calls without end gives %s after %d calls", got, ran.Load())
	}
	got := runs(t.Context(), reg, "for (let n = 0; n < 300; n++) console.log('é'.repeat(999)); return 'end'")
	if n := len([]rune(got)); n < 100_000 || n > 101_000 || !strings.Contains(got, "200") {
		t.Errorf("a script that prints 300,000 characters gives %d, with the end %q", n, got[max(0, len(got)-200):])
	}
}

// Scripts that fill all places, each with calls that change files, do not wait for one another.
func TestScriptsThatFillAllPlaces(t *testing.T) {
	o := standard.Options{}
	o.Registry.Schedule = schedule.Options{MaxCalls: 2, MaxTenantCalls: 2}
	o.Runtime.MaxCalls = 2
	reg := scripting(t, o, "*")
	var ran atomic.Int64
	counted(t, reg, &ran, tool.Spec{Name: "changes"})
	var waiting sync.WaitGroup
	for range 8 {
		waiting.Go(func() {
			if got := runs(t.Context(), reg, `return (await tools.code({language: "js", script: "return await Promise.all([tools.changes(), tools.changes()])"}))`); got != `["done","done"]` {
				t.Error(got)
			}
		})
	}
	waiting.Wait()
	if ran.Load() != 16 {
		t.Errorf("%d calls ran, want 16", ran.Load())
	}
}
