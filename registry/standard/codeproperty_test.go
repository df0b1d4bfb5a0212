package standard_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/registry/tool/signature"
)

// attempt is a call that a script makes if it gets there.
type attempt struct {
	used      string // the name
	arguments string // the JSON as the script sends it
	n         int    // the number in well-formed arguments, or 0
	key       int    // the number in the report of the script
	malformed bool
	optional  bool   // an earlier failure, or the end of the script, may come first
	script    string // of the call
	inner     string // the script of a call of code
}

// writer writes a random script.
type writer struct {
	rng      *rand.Rand
	next     int
	attempts map[string]*attempt // by the SHA-256 of the arguments
}

// words are names by which scripts call tools: names, aliases, paths, and others.
var words = []string{
	"read_a", "read_a", "peek", "read-b", "read_b", "write_a", "write-b", "write_b", "scribble", "one-z", "one_z", "twin_x_y", "twin-x_y", "fails",
	"srv.list_items", "srv.drop", "mcp__srv__drop", "mcp__srv__list-items", "srv_drop", "READ_A", " write_a ", "rеad_a", "nothing", "srv.nothing", "write_a\u200b",
}

// quoted returns the literal of a string, in JavaScript and as JSON.stringify writes it.
func quoted(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string
	return strings.TrimSpace(b.String())
}

// call returns an expression that makes a call, and its attempt.
func (w *writer) call(depth int, optional bool) (string, *attempt) {
	w.next++
	a := &attempt{n: w.next, key: w.next, optional: optional, used: pick(w.rng, words)}
	switch roll := w.rng.IntN(40); {
	case roll == 0:
		a.used = "ends"
	case roll < 5 && depth < 3:
		a.used = pick(w.rng, []string{"code", "code", "CODE"})
	}
	switch {
	case strings.EqualFold(a.used, "code"):
		a.inner = w.script(depth + 1)
		a.arguments = `{"language":"js","script":` + quoted(a.inner) + `}`
	case w.rng.IntN(8) == 0:
		a.arguments = fmt.Sprintf(pick(w.rng, []string{`{"n":"x%d"}`, `{"m":%d}`, `{"n":%d,"more":1}`, `[%d]`, `"%d"`, `{"n":%d.5}`}), a.n)
		a.malformed = true
	default:
		a.arguments = fmt.Sprintf(pick(w.rng, []string{`{"n":%d}`, `{"n":%d,"what":"x"}`, `{"n":%d,"what":"y"}`}), a.n)
	}
	digest := sha256.Sum256([]byte(a.arguments))
	w.attempts[hex.EncodeToString(digest[:])] = a
	form := w.rng.IntN(3)
	switch {
	case form == 0:
		return fmt.Sprintf("tools.call(%s, %s)", quoted(a.used), a.arguments), a
	case form == 1 && !strings.ContainsAny(a.used, "- \u200b"):
		return fmt.Sprintf("tools.%s(%s)", a.used, a.arguments), a
	}
	return fmt.Sprintf("tools[%s](%s)", quoted(a.used), a.arguments), a
}

// script returns a random script, which reports its calls as [key, "ok" or the kind of the error].
func (w *writer) script(depth int) string {
	w.next++
	lines := []string{fmt.Sprintf(`// script %d
const out = [], t = async (n, f) => { try { await f(); out.push([n, "ok"]); } catch (e) { out.push([n, e.kind ?? String(e)]); } };`, w.next)}
	var own []*attempt
	optional := false
	try := func() string {
		expression, a := w.call(depth, optional)
		own = append(own, a)
		return fmt.Sprintf("t(%d, () => %s)", a.key, expression)
	}
	for range 1 + w.rng.IntN(6) {
		switch w.rng.IntN(8) {
		case 0, 1, 2:
			lines = append(lines, "await "+try()+";")
		case 3, 4:
			var all []string
			for range 2 + w.rng.IntN(5) {
				all = append(all, try())
			}
			lines = append(lines, "await Promise.all(["+strings.Join(all, ", ")+"]);")
		case 5:
			used := pick(w.rng, words[:20])
			first := w.next + 1
			for range 3 {
				w.next++
				a := &attempt{n: w.next, key: w.next, optional: optional, used: used, arguments: fmt.Sprintf(`{"n":%d}`, w.next)}
				digest := sha256.Sum256([]byte(a.arguments))
				w.attempts[hex.EncodeToString(digest[:])] = a
				own = append(own, a)
			}
			lines = append(lines, fmt.Sprintf("for (let i = %d; i < %d; i++) await t(i, () => tools[%s]({n: i}));", first, first+3, quoted(used)))
		case 6: // a promise that the script leaves
			before := optional
			optional = true
			lines = append(lines, try()+";")
			optional = before
		case 7:
			if w.rng.IntN(4) == 0 { // may end the script
				optional = true
				expression, a := w.call(depth, optional)
				own = append(own, a)
				a.key = 0
				lines = append(lines, "await "+expression+";")
			}
		}
	}
	lines = append(lines, "return JSON.stringify(out);")
	script := strings.Join(lines, "\n")
	for _, a := range own {
		a.script = script
	}
	return script
}

// verdict is what the model expects of a call: an effect of the policy, or the code of an error
// before it.
type verdict struct {
	tool   string
	effect policy.Effect
	code   tool.Code
}

// resolve returns the tool that a name means for the scripts of a tenant, or nil.
func (w *world) resolve(tenant, used string) *tool.Spec {
	name := strings.ToLower(strings.TrimSpace(used))
	specs := append(slices.Clone(worldTools), tool.Spec{Name: "code"})
	for _, s := range specs {
		if s.Name == name || slices.Contains(s.Aliases, name) {
			return &s
		}
	}
	var found []tool.Spec
	for _, s := range specs {
		if signature.Path(s) == used && w.granted(tenant, s.Name) && w.visible(tenant, s) {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return &found[0]
}

// judge returns what the model expects of a call that a script of the tenant makes.
func (w *world) judge(t *testing.T, tenant string, a *attempt) verdict {
	spec := w.resolve(tenant, a.used)
	switch {
	case spec == nil:
		return verdict{code: tool.CodeNotFound}
	case !w.granted(tenant, spec.Name):
		return verdict{spec.Name, policy.Deny, tool.CodePermissionDenied}
	case !w.visible(tenant, *spec):
		return verdict{spec.Name, policy.Deny, tool.CodeDisabled}
	case a.malformed:
		return verdict{spec.Name, policy.Deny, tool.CodeInvalidArgument}
	}
	explained, err := w.reg.Explain(t.Context(), spec.Name, tenant, json.RawMessage(a.arguments))
	if err != nil {
		t.Fatal(err)
	}
	v := verdict{spec.Name, explained.Policy.Decision.Effect, ""}
	if v.effect == policy.Deny || len(explained.Access.Missing) > 0 {
		v.effect, v.code = policy.Deny, tool.CodePermissionDenied
	}
	return v
}

// No tool has an effect without a decision that allows the call and a receipt, whatever scripts,
// policies, grants and answers are; and what runs is what would run without scripts, as far as
// scripts may call it.
func TestNoEffectOfAScriptWithoutDecisionAndReceipt(t *testing.T) {
	w := newWorld(t)
	total := make(map[string]int)
	for seed := range uint64(testlevel.Size(40, 500)) {
		rng := rand.New(rand.NewPCG(seed, 2))
		w.setRules(t, rng)
		var both sync.WaitGroup
		checks := make([]func(), 2)
		for i, tenant := range []string{"plain", "strict"} {
			write := writer{rng: rand.New(rand.NewPCG(seed, uint64(3+i))), next: 1000 * i, attempts: make(map[string]*attempt)}
			script := write.script(0)
			message := fmt.Sprintf("%s %d", tenant, seed)
			ctx, cancel := context.WithCancel(t.Context())
			r := &scriptRun{seed: seed, tenant: tenant, cancel: cancel}
			w.mu.Lock()
			w.runs[message] = r
			w.mu.Unlock()
			both.Go(func() {
				arguments := `{"language":"js","script":` + quoted(script) + `}`
				result, err := w.reg.Execute(ctx, tool.Call{Tool: "code", Tenant: tenant, Session: message, Message: message, Arguments: []byte(arguments)})
				w.mu.Lock()
				r.over = true
				w.mu.Unlock()
				checks[i] = func() {
					c := check{T: t, w: w, r: r, attempts: write.attempts, cancelled: ctx.Err() != nil, root: script, total: total}
					c.all(result, err)
					if c.failed {
						t.Fatalf("seed %d, tenant %s, script:\n%s\noffered %q, denied %v, and for the tenant %v", seed, tenant, script, w.offered, w.denied, w.tenants[tenant].Deny)
					}
				}
			})
		}
		both.Wait()
		for _, check := range checks {
			check()
		}
		w.mu.Lock()
		for _, r := range w.runs {
			r.cancel()
		}
		clear(w.runs)
		w.mu.Unlock()
	}
	t.Log(total)
	for _, kind := range []string{"effects", "allow", "approver", "remembered", "refused", "cancelled", "nested", "permission_denied", "not_found", "disabled", "invalid_argument"} {
		if total[kind] == 0 {
			t.Errorf("no script had a call with %q; the generator must make some", kind)
		}
	}
}

// check compares a run with the model.
type check struct {
	*testing.T
	w         *world
	r         *scriptRun
	attempts  map[string]*attempt
	cancelled bool
	root      string // the script
	failed    bool
	total     map[string]int
}

func (c *check) errorf(format string, args ...any) {
	c.Helper()
	c.failed = true
	c.Errorf(format, args...)
}

func (c *check) all(result tool.Result, err error) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	receipts := make(map[string]tool.Receipt)
	nested := 0
	for _, receipt := range c.r.receipts {
		if _, twice := receipts[receipt.ID]; twice {
			c.errorf("two receipts of the call %s", receipt.ID)
		}
		receipts[receipt.ID] = receipt
		if receipt.Parent != "" {
			nested++
		}
	}
	if nested != len(c.r.inner) {
		c.errorf("%d receipts of calls in scripts, and %d records", nested, len(c.r.inner))
	}
	for _, receipt := range receipts {
		at, depth := receipt, 0
		for ; at.Parent != "" && depth < 9; depth++ {
			outer, ok := receipts[at.Parent]
			if !ok || outer.Tool != "code" {
				c.errorf("the parent of %s is %+v", at.Tool, outer)
				break
			}
			at = outer
		}
		if at.Parent != "" || at.ID != result.Call.ID {
			c.errorf("the receipt of %s does not belong to the call of code", receipt.Tool)
		}
		c.total["nested"] += depth / 2
	}
	effects := make(map[string]effect)
	for _, e := range c.r.effects {
		receipt, ok := receipts[e.id]
		approved := receipt.Decision == "ask" && receipt.Approved
		if !ok || receipt.Tool != e.tool || receipt.Parent == "" || receipt.Decision != "allow" && !approved {
			c.errorf("the effect of %s with %d has the receipt %+v", e.tool, e.n, receipt)
		}
		if _, twice := effects[e.id]; twice || e.late {
			c.errorf("the effect of %s with %d: twice %t, after the end %t", e.tool, e.n, twice, e.late)
		}
		effects[e.id] = e
		c.total["effects"]++
	}
	scripts := map[string]string{result.Call.ID: c.root} // by the ID of the call
	numbers := make(map[string]int)
	for _, record := range c.r.inner {
		if a := c.attempts[record.Arguments]; a != nil {
			scripts[record.Call] = a.inner
		}
		if numbers[record.Parent]++; record.Number != numbers[record.Parent] {
			c.errorf("the call of %s has the number %d, not %d", record.Tool, record.Number, numbers[record.Parent])
		}
	}
	made := make(map[string]tool.InnerRecord)
	for _, record := range c.r.inner {
		a := c.attempts[record.Arguments]
		if a == nil || a.used != record.Tool || a.script != scripts[record.Parent] {
			c.errorf("the record %+v is not of a call of the script", record)
			continue
		}
		made[record.Arguments] = record
		receipt, e := receipts[record.Call], effects[record.Call]
		if receipt.Parent != record.Parent || receipt.Code != tool.CodeOf(record.Outcome.Err) {
			c.errorf("the record %+v has the receipt %+v", record, receipt)
		}
		c.compare(a, receipt, e)
	}
	c.questions(receipts)
	c.report(result, err, made)
}

// compare compares a call with the model.
func (c *check) compare(a *attempt, receipt tool.Receipt, e effect) {
	c.Helper()
	v := c.w.judge(c.T, c.r.tenant, a)
	stopped := c.cancelled && receipt.Code == tool.CodeCancelled
	if e.id != "" && (e.tool != v.tool || e.n != a.n || v.code != "") {
		c.errorf("%s with %s: the model expects %+v, and there is the effect %+v", a.used, a.arguments, v, e)
	}
	if a.inner == "" && e.id == "" && receipt.Code == "" {
		c.errorf("%s with %s succeeded without an effect", a.used, a.arguments)
	}
	if v.tool != "" && !stopped && receipt.Tool != v.tool {
		c.errorf("%s with %s called %s, not %s", a.used, a.arguments, receipt.Tool, v.tool)
	}
	switch {
	case stopped:
		c.total["cancelled"]++
	case v.code != "":
		c.total[string(v.code)]++
		if receipt.Code != v.code {
			c.errorf("%s with %s: the model expects %+v, and the receipt is %+v", a.used, a.arguments, v, receipt)
		}
	case receipt.Decision != v.effect.String():
		c.errorf("%s with %s: the model expects %+v, and the decision is %q", a.used, a.arguments, v, receipt.Decision)
	case v.effect == policy.Allow || receipt.Approved:
		c.total["allow"]++
		if want := a.inner == ""; want != (e.id != "") {
			c.errorf("%s with %s may run, and has the effect %+v and the receipt %+v", a.used, a.arguments, e, receipt)
		}
	default:
		c.total["refused"]++
		if e.id != "" || receipt.Code != tool.CodePermissionDenied && receipt.Code != tool.CodeApprovalRequired {
			c.errorf("%s with %s was not approved, and has the effect %+v and the receipt %+v", a.used, a.arguments, e, receipt)
		}
	}
}

// questions compares the questions with the receipts of the calls.
func (c *check) questions(receipts map[string]tool.Receipt) {
	for _, record := range c.r.inner {
		a, receipt := c.attempts[record.Arguments], receipts[record.Call]
		if a == nil {
			continue
		}
		about := func(q asked) bool { return q.parent == a.script && q.key == a.sent() }
		at := slices.IndexFunc(c.r.asked, about)
		if receipt.Approved {
			c.total[receipt.ApprovedBy]++
		}
		switch {
		case receipt.ApprovedBy == tool.ApprovedByApprover:
			if at < 0 || !slices.Contains([]string{"yes", "script", "session"}, c.r.asked[at].kind) {
				c.errorf("%s with %s was approved without an approval", a.used, a.arguments)
			}
		case receipt.ApprovedBy == tool.ApprovedByRemembered:
			if at >= 0 || !slices.ContainsFunc(c.r.asked, func(q asked) bool {
				return q.tool == receipt.Tool && (q.kind == "session" || q.kind == "script" && q.parent == a.script)
			}) {
				c.errorf("%s with %s was approved by an approval that does not cover it: %+v", a.used, a.arguments, c.r.asked)
			}
		case receipt.Decision == "ask" && receipt.Code != tool.CodeCancelled:
			if at < 0 || !slices.Contains([]string{"no", "error", "panic"}, c.r.asked[at].kind) {
				c.errorf("%s with %s was refused without an answer", a.used, a.arguments)
			}
		case at >= 0 && receipt.Decision != "ask":
			c.errorf("there was a question about %s with %s, which the policy decides", a.used, a.arguments)
		}
	}
	for i, q := range c.r.asked { // asked again although an approval covers it
		for _, earlier := range c.r.asked[:i] {
			covers := q.tool == earlier.tool && (earlier.kind == "script" && earlier.parent == q.parent || earlier.kind == "session")
			if covers && earlier.parent == q.parent && earlier.records < q.records {
				c.errorf("there was a second question about %s", q.tool)
			}
		}
	}
}

// sent returns the arguments as a question has them, with the defaults.
func (a *attempt) sent() string {
	if a.inner == "" {
		return a.arguments
	}
	return strings.TrimSuffix(a.arguments, "}") + `,"stdin":""}`
}

// report compares what the script got with the records.
func (c *check) report(result tool.Result, err error, made map[string]tool.InnerRecord) {
	if c.cancelled {
		if tool.CodeOf(err) != tool.CodeCancelled {
			c.errorf("a cancelled script ended with %v", err)
		}
		return
	}
	explained, failure := c.w.reg.Explain(context.Background(), "code", c.r.tenant, json.RawMessage(`{"language":"js","script":`+quoted(c.root)+`}`))
	if failure != nil {
		c.Fatal(failure)
	}
	runs := explained.Policy.Decision.Effect == policy.Allow && len(explained.Access.Missing) == 0
	if explained.Policy.Decision.Effect == policy.Ask && len(explained.Access.Missing) == 0 {
		runs = len(c.r.asked) > 0 && slices.Contains([]string{"yes", "script", "session"}, c.r.asked[0].kind)
	}
	if began := err == nil || tool.CodeOf(err) == tool.CodeExecution; runs != began {
		c.errorf("the model expects of code that it runs: %t, and it ended with %v", runs, err)
	}
	if !runs {
		if len(c.r.inner) > 0 || len(c.r.effects) > 0 {
			c.errorf("a script that may not run made %d calls", len(c.r.inner))
		}
		return
	}
	var out [][2]any
	_ = json.Unmarshal([]byte(result.Text()), &out) // a script that ended early reports nothing
	kinds := make(map[int]any)
	for _, pair := range out {
		kinds[int(pair[0].(float64))] = pair[1]
	}
	for digest, a := range c.attempts {
		record, ok := made[digest]
		if !ok && !a.optional && a.script == c.root {
			c.errorf("the call of %s with %s was not made", a.used, a.arguments)
		}
		if kind := kinds[a.key]; ok && kind != nil && a.script == c.root {
			want := any("ok")
			if record.Outcome.Err != nil {
				want = string(tool.CodeOf(record.Outcome.Err))
			}
			if kind != want {
				c.errorf("the script got %v from %s with %s, and the record has %v", kind, a.used, a.arguments, want)
			}
		}
	}
}
