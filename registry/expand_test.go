package registry

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/ledger/results"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// References to variables are replaced once, as whole arguments, before the arguments are checked.
// A reference to an unknown variable is an error, and nothing runs.
func TestReferencesToVariablesAreReplaced(t *testing.T) {
	values := map[string]string{"user.name": "A \"quoted\" name", "again": "${user.name}", "long": strings.Repeat("x", 30)}
	variables := func(_ context.Context, call tool.Call, name string) (string, bool) {
		if call.Tenant != "a" {
			return "", false
		}
		value, known := values[name]
		return value, known
	}
	const unknown = "there is no variable"
	for _, tt := range []struct{ name, tenant, text, want, fault string }{
		{"a value", "a", "${user.name}", values["user.name"], ""},
		{"not twice", "a", "${again}", "${user.name}", ""},
		{"a part of a text", "a", "I am ${user.name}", "I am ${user.name}", ""},
		{"no name", "a", "${}", "${}", ""},
		{"unknown", "a", "${nobody}", "", unknown + " nobody"},
		{"of another tenant", "b", "${user.name}", "", unknown + " user.name"},
		{"beyond what the schema allows", "a", "${long}", "", "text"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := &fake{}
			spec := echo()
			spec.Parameters = json.RawMessage(`{"type":"object","required":["text"],"properties":{"text":{"type":"string","maxLength":20}}}`)
			r := withTool(t, Options{Variables: variables, Calls: ledger.Options{Results: results.NewStore(results.Options{})}}, spec, f)
			arguments, err := json.Marshal(map[string]string{"text": tt.text})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			f.execute = func(_ context.Context, in tool.Invocation) (tool.Result, error) {
				got, _ = in.Text("text")
				return tool.Result{Content: []tool.Content{tool.TextContent("done")}}, nil
			}
			_, err = r.Execute(t.Context(), tool.Call{Tool: "echo", Tenant: tt.tenant, Arguments: arguments})
			if tt.fault == "" {
				if err != nil || got != tt.want {
					t.Errorf("the tool got %q, %v, want %q", got, err, tt.want)
				}
				return
			}
			if e := wantCode(t, err, tool.CodeInvalidArgument); !strings.Contains(e.Message, tt.fault) || got != "" {
				t.Errorf("%q does not contain %q, and the tool got %q", e.Message, tt.fault, got)
			}
		})
	}
}

// Without Variables, arguments of the form "${NAME}" are ordinary strings.
func TestReferencesStayWithoutVariables(t *testing.T) {
	r := withTool(t, Options{}, echo(), &fake{})
	arguments, _, err := r.Validate("echo", json.RawMessage(`{"text":"${user.name}"}`))
	if err != nil || !strings.Contains(string(arguments), "${user.name}") {
		t.Errorf("got %s, %v", arguments, err)
	}
}

// The number of references in a call is limited. Lookups stop at the deadline of the call.
func TestReferencesAreBounded(t *testing.T) {
	lookups := 0
	ctx, cancel := context.WithCancel(t.Context())
	variables := func(context.Context, tool.Call, string) (string, bool) {
		if lookups++; lookups == 10 && ctx != nil {
			cancel()
		}
		return "x", true
	}
	spec := echo()
	spec.Parameters = json.RawMessage(`{"type":"object","properties":{"text":{"type":"array"}}}`)
	r := withTool(t, Options{Variables: variables}, spec, &fake{})
	call := tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"text":[` + strings.Repeat(`"${a}",`, 5000) + `1]}`)}
	_, err := r.Execute(ctx, call)
	if wantCode(t, err, tool.CodeCancelled); lookups != 10 {
		t.Errorf("%d lookups in a call that was cancelled at the tenth", lookups)
	}
	lookups, ctx = 10, nil
	_, err = r.Execute(t.Context(), call)
	if e := wantCode(t, err, tool.CodeInvalidArgument); !strings.Contains(e.Message, "more than 1000") || lookups > 1011 {
		t.Errorf("%d lookups, %v", lookups, err)
	}
}

// A call with Interpolate replaces variables inside strings at any depth, once. Names of fields,
// and scripts under any of their names, stay as they are.
func TestVariablesInsideTextsAreReplaced(t *testing.T) {
	values := map[string]string{"f": "a.txt", "quoted": "\"\\\n", "again": "${f}", "dollar": "$", "script": "rm -rf ."}
	variables := func(_ context.Context, _ tool.Call, name string) (string, bool) {
		value, known := values[name]
		return value, known
	}
	store := results.NewStore(results.Options{})
	handle, _ := store.Keep(results.Owner{}, "stored")
	spec := echo()
	spec.Shell = "command"
	spec.Parameters = json.RawMessage(`{"type":"object","properties":{
		"text":{}, "command":{"type":"string","x-aliases":["cmd"]}, "note":{"type":"string","default":"${f}"}}}`)
	r := withTool(t, Options{
		Variables: variables, Calls: ledger.Options{Results: store},
		Approvals: ApprovalOptions{Approver: ApproverFunc(func(context.Context, Question) (Answer, error) { return Answer{Yes: true}, nil })},
	}, spec, &fake{})
	const unknown = "there is no variable "
	for _, tt := range []struct{ name, text, want, fault string }{
		{"in a path", `"./${f}"`, `"./a.txt"`, ""},
		{"several", `"${f}${f} and ${f}."`, `"a.txta.txt and a.txt."`, ""},
		{"at any depth", `[{"a":["x${f}"]},"y${f}"]`, `[{"a":["xa.txt"]},"ya.txt"]`, ""},
		{"a value with JSON in it", `{"a":"x${quoted}","b":1.10}`, `{"a":"x\"\\\n","b":1.10}`, ""},
		{"written with escapes", `"\u002e/\u0024\u007bf}"`, `"./a.txt"`, ""},
		{"names of fields", `{"x${f}":"${f}"}`, `{"x${f}":"a.txt"}`, ""},
		{"not twice", `"x${again}"`, `"x${f}"`, ""},
		{"joined to a reference", `"${dollar}{f} $${dollar}{f}"`, `"${f} ${dollar}{f}"`, ""},
		{"escaped", `"$${f}"`, `"${f}"`, ""},
		{"escaped in a text", `"a $${f} $${unknown} $$${f}"`, `"a ${f} ${unknown} $${f}"`, ""},
		{"no reference", `"$f $$ ${} ${1} ${a b} ${f $(f) $${"`, `"$f $$ ${} ${1} ${a b} ${f $(f) $${"`, ""},
		{"unknown", `"x${nobody}"`, "", unknown + "nobody; replace the reference with a value, or write $${nobody} for the text ${nobody}"},
		{"a result as a whole", `"${` + handle + `}"`, `"stored"`, ""},
		{"a result in a text", `"x${` + handle + `}"`, "", unknown + handle},
	} {
		t.Run(tt.name, func(t *testing.T) {
			call := tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"text":` + tt.text + `}`), Interpolate: true}
			result, err := r.Execute(t.Context(), call)
			if tt.fault != "" {
				if e := wantCode(t, err, tool.CodeInvalidArgument); !strings.Contains(e.Message, tt.fault) {
					t.Errorf("got %q, want %q", e.Message, tt.fault)
				}
				return
			}
			if want := `{"text":` + tt.want + `,"note":"${f}"}`; err != nil || result.Text() != want {
				t.Errorf("the tool got %s, %v, want %s", result.Text(), err, want)
			}
		})
	}
	for _, arguments := range []string{`{"command":"cat ./${f}"}`, `{"cmd":"echo ${script} $${x}"}`, `{"cmd":"${script}"}`, `{"command":"${f}"}`} {
		for _, interpolate := range []bool{false, true} {
			result, err := r.Execute(t.Context(), tool.Call{Tool: "echo", Arguments: json.RawMessage(arguments), Interpolate: interpolate})
			want := strings.TrimSuffix(strings.Replace(arguments, "cmd", "command", 1), "}") + `,"note":"${f}"}`
			if err != nil || result.Text() != want {
				t.Errorf("%s: the tool got %s, %v, want %s", arguments, result.Text(), err, want)
			}
		}
	}
	result, err := r.Execute(t.Context(), tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"text":"./${f} $${f}"}`)})
	if want := `{"text":"./${f} $${f}","note":"${f}"}`; err != nil || result.Text() != want {
		t.Errorf("without Interpolate: the tool got %s, %v, want %s", result.Text(), err, want)
	}
}

// Interpolated arguments have at most 1,000 references, and the size of any arguments.
func TestInterpolationIsBounded(t *testing.T) {
	for value, want := range map[string]string{"x": "more than 1000 references", strings.Repeat("x", 1<<20): "too long once references are replaced"} {
		lookups := 0
		variables := func(context.Context, tool.Call, string) (string, bool) {
			lookups++
			return value, true
		}
		r := withTool(t, Options{Variables: variables}, echo(), &fake{})
		call := tool.Call{Tool: "echo", Interpolate: true, Arguments: json.RawMessage(`{"text":"` + strings.Repeat("-${a}", 5000) + `"}`)}
		_, err := r.Execute(t.Context(), call)
		if e := wantCode(t, err, tool.CodeInvalidArgument); !strings.Contains(e.Message, want) || lookups > 1001 {
			t.Errorf("%d lookups, %v, want %q", lookups, err, want)
		}
	}
}

// The policy, the approver, the receipt and the tool see the same value of a variable, even if the
// variable changes during the call. A remembered approval does not cover another value.
func TestVariablesCannotChangeWhatWasApproved(t *testing.T) {
	value, ran := "", []string(nil)
	variables := func(context.Context, tool.Call, string) (string, bool) { return value, true }
	var asked []string
	var receipts []tool.Receipt
	p := compile(t, policy.Config{Rules: []policy.Rule{
		{Effect: policy.Deny, Tools: []string{"echo"}, Arguments: map[string]policy.Match{"/text": {Glob: "/workspace/private/**"}}},
		{Effect: policy.Ask, Tools: []string{"echo"}},
	}})
	approver := ApproverFunc(func(_ context.Context, q Question) (Answer, error) {
		asked = append(asked, string(q.Arguments))
		value = "private/key" // the tool must not see the new value
		return Answer{Yes: true, Remember: remembered.ScopeSession}, nil
	})
	r := withTool(t, Options{
		Variables: variables, Rules: Rules{Policy: p}, Approvals: ApprovalOptions{Approver: approver},
		Calls: ledger.Options{OnReceipt: func(of tool.Receipt) { receipts = append(receipts, of) }},
	}, echo(), &fake{execute: func(_ context.Context, in tool.Invocation) (tool.Result, error) {
		text, _ := in.Text("text")
		ran = append(ran, text)
		return tool.Result{}, nil
	}})
	run := func(with string) error {
		value = with
		call := tool.Call{Tool: "echo", Session: "s", Interpolate: true, Arguments: json.RawMessage(`{"text":"./${f}"}`)}
		if with == "batch" {
			return r.ExecuteAll(t.Context(), []tool.Call{call, call})[0].Err
		}
		_, err := r.Execute(t.Context(), call)
		return err
	}
	for _, denied := range []string{"private/key", "../workspace/private/key", "x/../private"} {
		if err := run(denied); tool.CodeOf(err) != tool.CodePermissionDenied {
			t.Errorf("%s: %v", denied, err)
		}
	}
	for _, allowed := range []string{"a.txt", "a.txt", "b.txt"} { // the second one is remembered
		if err := run(allowed); err != nil {
			t.Error(err)
		}
	}
	if want := []string{"./a.txt", "./a.txt", "./b.txt"}; !slices.Equal(ran, want) {
		t.Errorf("the tool got %q, want %q", ran, want)
	}
	if want := []string{`{"text":"./a.txt","limit":20}`, `{"text":"./b.txt","limit":20}`}; !slices.Equal(asked, want) {
		t.Errorf("asked about %q, want %q", asked, want)
	}
	if a, b, c := receipts[3].Arguments, receipts[4].Arguments, receipts[5].Arguments; a != b || a == c {
		t.Errorf("the receipts have the digests %s, %s and %s", a, b, c)
	}
	// The second call of the batch is prepared before the first one changes the value.
	if err := run("batch"); err != nil {
		t.Error(err)
	}
	if want := []string{"./batch"}; !slices.Equal(ran[3:], want) {
		t.Errorf("the tool got %q, want %q", ran[3:], want)
	}
}

// Forgetting a session deletes its stored results, and no others.
func TestForgottenSessionLosesItsStoredResults(t *testing.T) {
	store := results.NewStore(results.Options{})
	r := New(Options{Calls: ledger.Options{Results: store}})
	t.Cleanup(func() { _ = r.Close() })
	owners := []results.Owner{{Tenant: "a", Session: "s"}, {Tenant: "a", Session: "other"}, {Tenant: "b", Session: "s"}}
	var handles []string
	for _, owner := range owners {
		handle, _ := store.Keep(owner, "a text")
		handles = append(handles, handle)
	}
	r.ForgetSession("a", "s")
	for i, owner := range owners {
		if _, err := store.Read(owner, handles[i], 0, 100); (err == nil) != (i > 0) {
			t.Errorf("after the session was forgotten, reading the result of %v: %v", owner, err)
		}
	}
}
