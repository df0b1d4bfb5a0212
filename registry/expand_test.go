package registry

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/ledger/results"
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
