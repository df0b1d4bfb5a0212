package standard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// openCode returns a registry with the built-in tools, of which a script needs the tool code.
func openCode(t testing.TB, o standard.Options) *registry.Registry {
	t.Helper()
	o.StateDir = t.TempDir()
	o.Runtime.CompileCommand = compiler
	reg, err := standard.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = reg.Close() })
	return reg
}

// worldTools are the tools of a world. Two pairs have the same path in scripts.
var worldTools = []tool.Spec{
	{Name: "read_a", Aliases: []string{"peek"}, Declared: &capability.Effects{ReadOnly: true}},
	{Name: "read-b", Declared: &capability.Effects{ReadOnly: true}},
	{Name: "write_a", Dangerous: true},
	{Name: "write-b", Dangerous: true, Aliases: []string{"scribble"}, Declared: &capability.Effects{ReadOnly: true}},
	{Name: "twin-x_y"},
	{Name: "twin_x-y"},
	{Name: "one-z"},
	{Name: "one_z", Dangerous: true},
	{Name: "fails"},
	{Name: "ends"},
	{Name: "mcp__srv__list-items", Server: "srv", Declared: &capability.Effects{ReadOnly: true}},
	{Name: "mcp__srv__drop", Server: "srv", Dangerous: true, Aliases: []string{"srv_drop"}},
}

const worldParameters = `{"type":"object","required":["n"],"properties":{"n":{"type":"integer"},"what":{"type":"string"}},"additionalProperties":false}`

// effect is what a tool did, in the call with the ID.
type effect struct {
	id, tool string
	n        int
	late     bool // after the end of the script
}

// asked is a question with its answer.
type asked struct {
	key, tool, parent, session string
	kind                       string // of the answer
	records                    int    // calls of the script that had ended
}

// scriptRun is a run of a script, and what came of it.
type scriptRun struct {
	seed     uint64
	tenant   string
	cancel   context.CancelFunc
	over     bool
	effects  []effect
	asked    []asked
	receipts []tool.Receipt
	inner    []tool.InnerRecord
}

// world records all that happens in a registry, by the message of the call, which calls inside
// other calls have as well.
type world struct {
	reg *registry.Registry
	// of the rules in force
	main    *policy.Policy
	tenants map[string]registry.TenantOptions
	offered []string
	denied  capability.Deny

	mu   sync.Mutex
	runs map[string]*scriptRun
}

// worldAnswers are the kinds of answers to questions.
var worldAnswers = []string{"yes", "yes", "yes", "no", "error", "panic", "script", "session", "late"}

// answerTo returns the answer of a run to the question about arguments, regardless of the order of
// questions.
func (r *scriptRun) answerTo(key string) string {
	digest := r.seed
	for _, c := range key {
		digest = digest*1099511628211 ^ uint64(c)
	}
	return worldAnswers[rand.New(rand.NewPCG(digest, 1)).IntN(len(worldAnswers))]
}

func newWorld(t *testing.T) *world {
	w := &world{runs: make(map[string]*scriptRun)}
	var o standard.Options
	o.Registry.Calls.OnReceipt = func(r tool.Receipt) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.runs[r.Message].receipts = append(w.runs[r.Message].receipts, r)
	}
	o.Registry.Calls.OnInner = func(r tool.InnerRecord) {
		w.mu.Lock()
		defer w.mu.Unlock()
		run := w.runs[r.Outcome.Result.Call.Message]
		run.inner = append(run.inner, r)
	}
	o.Registry.Approvals.Approver = registry.ApproverFunc(w.approve)
	w.reg = openCode(t, o)
	for _, spec := range worldTools {
		spec.Parameters = json.RawMessage(worldParameters)
		define(t, w.reg, spec, func(ctx context.Context, in tool.Invocation) (tool.Result, error) { return w.act(ctx, spec.Name, in) })
	}
	return w
}

// act is the function of all tools: it records the effect.
func (w *world) act(ctx context.Context, name string, in tool.Invocation) (tool.Result, error) {
	var arguments struct{ N int }
	if err := json.Unmarshal(in.Arguments, &arguments); err != nil {
		return tool.Result{}, err
	}
	w.mu.Lock()
	r := w.runs[in.Call.Message]
	r.effects = append(r.effects, effect{in.Call.ID, name, arguments.N, r.over})
	cancel := r.cancel
	w.mu.Unlock()
	switch name {
	case "fails":
		return tool.Result{}, tool.Errorf(tool.CodeExecution, "no luck")
	case "ends":
		cancel()
		<-ctx.Done()
		return tool.Result{}, ctx.Err()
	}
	return tool.TextResult(fmt.Sprint(arguments.N), nil)
}

// approve worldAnswers a question.
func (w *world) approve(ctx context.Context, q registry.Question) (registry.Answer, error) {
	key := string(q.Arguments)
	w.mu.Lock()
	r := w.runs[q.Message]
	kind, cancel := r.answerTo(key), r.cancel
	a := asked{key: key, tool: q.Tool.Name, session: q.Session, kind: kind}
	if q.Within != nil {
		a.parent = q.Within.Script
		a.records = len(q.Within.Before)
	}
	r.asked = append(r.asked, a)
	w.mu.Unlock()
	switch kind {
	case "no":
		return registry.Answer{}, nil
	case "error":
		return registry.Answer{Yes: true}, errors.New("no person is available")
	case "panic":
		panic("the approver failed")
	case "script":
		return registry.Answer{Yes: true, Remember: remembered.ScopeScript}, nil
	case "session":
		return registry.Answer{Yes: true, Remember: remembered.ScopeSession, AnyArguments: true}, nil
	case "late":
		cancel()
		<-ctx.Done()
	}
	return registry.Answer{Yes: true}, nil
}

// selectors are words of policies and grants: names, aliases and patterns.
var selectors = []string{
	"read_a", "peek", "read-b", "read*", "write_a", "write-b", "write*", "scribble", "mcp__srv__*", "mcp__srv__drop", "one*", "one-z",
	"twin_x-y", "twin*", "fails", "ends", "code", "*",
}

func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// policy returns a random policy.
func randomPolicy(t *testing.T, rng *rand.Rand, additional bool) *policy.Policy {
	t.Helper()
	var facts []policy.ToolFacts
	for _, s := range worldTools {
		facts = append(facts, policy.ToolFacts{Name: s.Name, Aliases: s.Aliases, Dangerous: s.Dangerous})
	}
	facts = append(facts, policy.ToolFacts{Name: "code"})
	for {
		c := policy.Config{Additional: additional, Tools: make(map[string]policy.ToolRule)}
		for range rng.IntN(3) {
			c.Deny = append(c.Deny, pick(rng, selectors[:len(selectors)-2]))
		}
		if rng.IntN(6) == 0 {
			c.Allow = []string{"code", pick(rng, selectors), pick(rng, selectors)}
		}
		for range rng.IntN(3) {
			spec := pick(rng, worldTools)
			c.Tools[spec.Name] = policy.ToolRule{AutoExecute: true}
			if rng.IntN(2) == 0 {
				c.Tools[spec.Name] = policy.ToolRule{Enabled: new(false)}
			}
		}
		for range rng.IntN(5) {
			rule := policy.Rule{Effect: policy.Effect(rng.IntN(3)), Tools: []string{pick(rng, selectors)}}
			if rng.IntN(2) == 0 {
				rule.Arguments = map[string]policy.Match{"what": {Equals: json.RawMessage(`"x"`)}}
			}
			if rng.IntN(8) == 0 {
				rule = policy.Rule{Effect: rule.Effect, Capabilities: []string{"tools:*"}}
			}
			c.Rules = append(c.Rules, rule)
		}
		if p, err := policy.Compile(c, policy.Known{Tools: facts}); err == nil {
			return p
		}
		// A rule that allows names no alias, and not every rule fits every tool.
	}
}

// setRules makes random rules.
func (w *world) setRules(t *testing.T, rng *rand.Rand) {
	t.Helper()
	permission := func(pattern string) capability.Permission {
		p, err := capability.ParsePermission("tools:" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	denials := func() (deny capability.Deny) {
		for range rng.IntN(3) {
			deny = append(deny, permission(pick(rng, selectors[:len(selectors)-2])))
		}
		return deny
	}
	w.main, w.offered, w.denied = randomPolicy(t, rng, false), []string{"*"}, denials()
	if rng.IntN(2) == 0 {
		w.offered = []string{"code", pick(rng, selectors), pick(rng, selectors), pick(rng, selectors)}
	}
	w.tenants = map[string]registry.TenantOptions{"plain": {}, "strict": {Policy: randomPolicy(t, rng, true), Deny: denials()}}
	rules := registry.Rules{Policy: w.main, Grantable: capability.Grantable{Clock: true, Random: true, Tools: w.offered, Deny: w.denied}}
	rules.Tenants = func(name string) (registry.TenantOptions, error) { return w.tenants[name], nil }
	if rng.IntN(5) > 0 {
		for _, pattern := range w.offered {
			rules.Granted = append(rules.Granted, permission(pattern))
		}
	}
	w.reg.SetRules(rules)
}

// fits reports whether a pattern of a grant covers the tool.
func fits(pattern, name string) bool {
	beginning, open := strings.CutSuffix(pattern, "*")
	return pattern == name || open && strings.HasPrefix(name, beginning)
}

// granted reports whether scripts of the tenant may call the tool.
func (w *world) granted(tenant, name string) bool {
	for _, deny := range slices.Concat(w.denied, w.tenants[tenant].Deny) {
		if fits(deny.Name(), name) {
			return false
		}
	}
	return slices.ContainsFunc(w.offered, func(pattern string) bool { return fits(pattern, name) })
}

// visible reports whether the tenant sees the tool.
func (w *world) visible(tenant string, s tool.Spec) bool {
	facts := policy.ToolFacts{Name: s.Name, Aliases: s.Aliases, Dangerous: s.Dangerous}
	visible, _ := w.main.Visible(facts)
	if own := w.tenants[tenant].Policy; own != nil && visible {
		visible, _ = own.Visible(facts)
	}
	return visible
}
