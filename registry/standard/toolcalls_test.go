package standard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/schedule"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// callingTool is the manifest of a script that may call tools. The verbs are the name and the list.
const callingTool = `manifest = 1
name = %q
version = "1.0.0"
description = "Calls tools."
timeout = "1m"

[script]
path = "tool.js"

[permissions]
tools = %s

[parameters]
type = "object"
`

// callers returns the files of scripts that may call the tools in the list.
func callers(list string, all map[string]string) map[string]map[string]string {
	tools := make(map[string]map[string]string)
	for name, script := range all {
		tools[name] = map[string]string{
			"tool.toml": fmt.Sprintf(callingTool, name, list),
			"tool.js":   "import { call, HostError } from 'wasmtool';\nconst kind = (f) => { try { return f() } catch (e) { return e.kind + ': ' + e.message } };\n" + script,
		}
	}
	return tools
}

// define registers a tool in Go.
func define(t *testing.T, reg *registry.Registry, spec tool.Spec, f func(ctx context.Context, in tool.Invocation) (tool.Result, error)) {
	t.Helper()
	spec.Description, spec.Version = "A tool of the test.", "1.0.0"
	if spec.Parameters == nil {
		spec.Parameters = json.RawMessage(`{"type":"object","additionalProperties":true}`)
	}
	spec, executor, err := native.Raw(native.Options{Spec: spec}, f)
	if err == nil {
		err = reg.Tools().Register(spec, executor)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A script may call exactly the tools that its manifest asks for and the operator grants, and each
// call is decided, counted and recorded like every call.
func TestScriptsCallTools(t *testing.T) {
	var mu sync.Mutex
	receipts := make(map[string]tool.Receipt) // of ended calls, by ID
	o := standard.Options{}
	o.Registry.Calls.OnReceipt = func(r tool.Receipt) {
		mu.Lock()
		defer mu.Unlock()
		receipts[r.ID] = r
	}
	reg, _ := openScripts(t, o, callers(`["add", "gated", "fails", "again", "say_*"]`, map[string]string{
		"adds":     "export const run = () => { const r = call('add', {a: 1, b: 2}); return [r.value, r.structured, r.text, call('say_hello').value] }",
		"brief":    "import { sys } from 'wasmtool:sys';\nexport const run = () => { const f = sys.open('/tool/.host', 2), ask = (tool, brief) => sys.ask(f, `{\"function\":\"tool_call\",\"arguments\":{\"tool\":\"${tool}\",\"arguments\":{},\"brief\":${brief}}}\\n`).value; return [ask('add', false), ask('add', true), ask('say_hello', true), ask('say_null', true)] }",
		"refused":  "export const run = () => [kind(() => call('other')), kind(() => call('alias_of_other')), kind(() => call('nothing')), kind(() => call('add', {a: 'x'})), kind(() => call('fails'))]",
		"asks":     "export const run = () => kind(() => call('gated').text)",
		"again":    "export const run = () => kind(() => call('again').text)",
		"too_many": "export function run() { for (let n = 0; ; n++) try { call('say_hello') } catch (e) { return [n, e.kind] } }",
	}))
	define(t, reg, tool.Spec{Name: "add", Parameters: json.RawMessage(`{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}}}`)},
		func(_ context.Context, in tool.Invocation) (tool.Result, error) {
			return tool.TextResult("three", map[string]any{"sum": 3})
		})
	var ran atomic.Int64
	define(t, reg, tool.Spec{Name: "other", Aliases: []string{"alias_of_other", "say_other"}}, func(context.Context, tool.Invocation) (tool.Result, error) {
		ran.Add(1)
		return tool.Result{}, nil
	})
	define(t, reg, tool.Spec{Name: "say_hello"}, func(context.Context, tool.Invocation) (tool.Result, error) { return tool.TextResult("hello", nil) })
	define(t, reg, tool.Spec{Name: "say_null"}, func(context.Context, tool.Invocation) (tool.Result, error) {
		return tool.TextResult("none", json.RawMessage("null"))
	})
	define(t, reg, tool.Spec{Name: "fails"}, func(context.Context, tool.Invocation) (tool.Result, error) {
		return tool.Result{}, tool.Errorf(tool.CodeExecution, "no luck")
	})
	define(t, reg, tool.Spec{Name: "gated", Dangerous: true}, func(context.Context, tool.Invocation) (tool.Result, error) { return tool.TextResult("done", nil) })

	if got, want := answer(reg, "adds"), `[{"sum":3},{"sum":3},"three","hello"]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := answer(reg, "brief"), `[{"content":[{"type":"text","text":"three"}],"structured":{"sum":3},"is_error":false},{"structured":{"sum":3}},{"content":[{"type":"text","text":"hello"}],"is_error":false},{"content":[{"type":"text","text":"none"}],"structured":null,"is_error":false}]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	refused := answer(reg, "refused")
	for _, part := range []string{
		`["permission_denied: other: the tool may call add, gated, fails, again, say_*"`, `"permission_denied: `, `"not_found: `, `"invalid_argument: add: `, `"execution: fails: no luck"]`,
	} {
		if !strings.Contains(refused, part) {
			t.Errorf("got %s, want %s", refused, part)
		}
	}
	if ran.Load() != 0 {
		t.Error("a tool was called under an alias")
	}
	if got := answer(reg, "asks"); got != `done` {
		t.Errorf("with an approval, got %s", got)
	}
	if got := answer(reg, "again"); !strings.Contains(got, "8 calls are inside one another") {
		t.Errorf("a tool that calls itself gets %s", got)
	}
	if got := answer(reg, "too_many"); got != `[200,"too_many"]` {
		t.Errorf("a tool that calls without end gets %s", got)
	}
	mu.Lock()
	defer mu.Unlock()
	nested := make(map[string]int)
	for _, r := range receipts {
		if outer, ok := receipts[r.Parent]; ok {
			nested[outer.Tool+" "+r.Tool]++
		}
	}
	if nested["adds add"] != 1 || nested["adds say_hello"] != 1 || nested["asks gated"] != 1 || nested["again again"] != 8 || nested["too_many say_hello"] != 200 {
		t.Errorf("the receipts of nested calls are %v", nested)
	}
}

// Calls that fill all places do not wait for one another: a nested call takes the place of the call
// that waits for it.
func TestNestedCallsTakeThePlaceOfTheirCaller(t *testing.T) {
	o := standard.Options{}
	o.Registry.Schedule = schedule.Options{MaxCalls: 2, MaxTenantCalls: 2}
	o.Runtime.MaxCalls = 2
	reg, _ := openScripts(t, o, callers(`["*"]`, map[string]string{
		"outer":  "export const run = () => call('middle').text",
		"middle": "export const run = () => call('inner').text",
		"inner":  "export const run = () => 'done'",
	}))
	var waiting sync.WaitGroup
	for range 12 {
		waiting.Go(func() {
			if got := answer(reg, "outer"); got != "done" {
				t.Error(got)
			}
		})
	}
	waiting.Wait()
}

// When a call is cancelled, the calls that it made have ended before it returns.
func TestCancelledScriptLeavesNoCallRunning(t *testing.T) {
	reg, _ := openScripts(t, standard.Options{}, callers(`["waits"]`, map[string]string{"outer": "export const run = () => call('waits').text"}))
	ctx, cancel := context.WithCancel(t.Context())
	var running atomic.Int64
	define(t, reg, tool.Spec{Name: "waits"}, func(ctx context.Context, _ tool.Invocation) (tool.Result, error) {
		running.Add(1)
		defer running.Add(-1)
		cancel()
		<-ctx.Done()
		return tool.Result{}, ctx.Err()
	})
	_, err := reg.Execute(ctx, tool.Call{Tool: "outer", Arguments: []byte("{}")})
	if tool.CodeOf(err) != tool.CodeCancelled || running.Load() != 0 {
		t.Errorf("got %v, with %d calls running", err, running.Load())
	}
}

// BenchmarkNestedCall compares ten calls that a script makes with ten direct calls and with a
// script that makes none.
func BenchmarkNestedCall(b *testing.B) {
	reg, _ := openScripts(b, standard.Options{}, callers(`["noop"]`, map[string]string{
		"ten":  "export function run() { for (let i = 0; i < 10; i++) call('noop', { i }); return 1 }",
		"none": "export const run = () => 1",
	}))
	spec, executor, err := native.Raw(native.Options{Spec: tool.Spec{Name: "noop", Version: "1.0.0", Description: "Does nothing.", Parameters: json.RawMessage(`{"type":"object","additionalProperties":true}`)}},
		func(context.Context, tool.Invocation) (tool.Result, error) { return tool.TextResult("done", nil) })
	if err == nil {
		err = reg.Tools().Register(spec, executor)
	}
	if err != nil {
		b.Fatal(err)
	}
	call := func(name string) {
		if _, err := reg.Execute(b.Context(), tool.Call{Tool: name, Arguments: []byte(`{"i":1}`)}); err != nil {
			b.Fatal(err)
		}
	}
	for _, name := range []string{"ten", "none"} {
		b.Run(name, func(b *testing.B) {
			call(name) // compiles and saves the interpreter
			for b.Loop() {
				call(name)
			}
		})
	}
	b.Run("direct", func(b *testing.B) {
		for b.Loop() {
			for range 10 {
				call("noop")
			}
		}
	})
}
