package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func TestDisabledToolsAreNotCalled(t *testing.T) {
	f := &fake{}
	r := withTool(t, Options{}, echo(), f)
	call := tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"text":"x"}`)}
	if err := r.Tools().Disable("ECHO"); err != nil {
		t.Fatal(err)
	}
	_, err := r.Execute(context.Background(), call)
	wantCode(t, err, tool.CodeDisabled)
	if info, err := r.Tools().Get("echo"); err != nil || !info.Disabled {
		t.Errorf("got %+v, %v", info, err)
	}
	if err := r.Tools().Enable("echo"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Execute(context.Background(), call); err != nil || f.closed {
		t.Errorf("after enabling: %v, executor closed: %v", err, f.closed)
	}
	wantCode(t, r.Tools().Disable("nothing"), tool.CodeNotFound)
	wantCode(t, r.Tools().Enable("nothing"), tool.CodeNotFound)
}

// Definitions contain exactly the tools that can be called.
func TestDefinitionsOmitDisabledTools(t *testing.T) {
	r := withTool(t, Options{}, echo(), &fake{})
	for _, name := range []string{"a_first", "off", "denied"} {
		spec := echo()
		spec.Name, spec.Title = name, "Title of "+name
		if err := r.Tools().Register(spec, &fake{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Tools().Disable("off"); err != nil {
		t.Fatal(err)
	}
	known := policy.Known{Tools: []policy.ToolFacts{{Name: "denied"}}}
	p, err := policy.Compile(policy.Config{Deny: []string{"denied"}}, known)
	if err != nil {
		t.Fatal(err)
	}
	r.SetRules(Rules{Policy: p})
	text, err := json.Marshal(catalogue.Definitions(r.Tools().List(catalogue.Filter{})))
	if want := `[{"name":"a_first","label":"Title of a_first","description":"Echoes.","parameters":` + schema + `},{"name":"echo","label":"echo","description":"Echoes.","parameters":` + schema + `}]`; err != nil || string(text) != want {
		t.Errorf("got %s, %v\nwant %s", text, err, want)
	}
	if got := catalogue.Definitions(r.Tenant("a", TenantOptions{Policy: compile(t, policy.Config{Deny: []string{"echo"}})}).List(catalogue.Filter{})); len(got) != 1 || got[0].Name != "a_first" {
		t.Errorf("a tenant has %+v", got)
	}
	r.SetRules(Rules{Policy: compile(t, policy.Config{Off: true})})
	if got := catalogue.Definitions(r.Tools().List(catalogue.Filter{})); len(got) > 0 {
		t.Errorf("all tools are disabled, but there are %+v", got)
	}
}

// A parameter can be sent under a further name. The tool gets its declared name, which is also the
// only one in definitions for models.
func TestParameterAliases(t *testing.T) {
	spec := echo()
	spec.Parameters = json.RawMessage(`{"type":"object","properties":{"file_path":{"type":"string","x-aliases":["filePath","path"]}},"required":["file_path"]}`)
	var got string
	r := withTool(t, Options{}, spec, does(func(_ context.Context, in tool.Invocation) { got = string(in.Arguments) }))
	for _, name := range []string{"file_path", "filePath", "path"} {
		if _, err := r.Execute(t.Context(), tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"` + name + `":"a"}`)}); err != nil || got != `{"file_path":"a"}` {
			t.Errorf("%s: the tool got %s, %v", name, got, err)
		}
	}
	_, err := r.Execute(t.Context(), tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"path":"a","file_path":"b"}`)})
	wantCode(t, err, tool.CodeInvalidArgument)
	const want = `{"type":"object","properties":{"file_path":{"type":"string"}},"required":["file_path"]}`
	if d := catalogue.Definitions(r.Tools().List(catalogue.Filter{})); string(d[0].Parameters) != want {
		t.Errorf("models get %s", d[0].Parameters)
	}
	// An update of another field keeps the names.
	if _, err := r.Tools().Update("echo", catalogue.Patch{Title: new("E")}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Execute(t.Context(), tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"path":"c"}`)}); err != nil || got != `{"file_path":"c"}` {
		t.Errorf("after an update the tool got %s, %v", got, err)
	}
}

// A rule about a parameter holds for each of its names, in calls and in explanations.
func TestRulesHoldForParameterAliases(t *testing.T) {
	spec := echo()
	spec.Parameters = json.RawMessage(`{"type":"object","properties":{"file_path":{"type":"string","x-aliases":["path"]}}}`)
	deny := policy.Rule{Effect: policy.Deny, Tools: []string{"echo"}, Arguments: map[string]policy.Match{"/file_path": {Prefix: "/workspace/private"}}}
	r := withTool(t, Options{Rules: Rules{Policy: compile(t, policy.Config{Rules: []policy.Rule{deny}})}}, spec, &fake{})
	for _, name := range []string{"file_path", "path"} {
		for file, denied := range map[string]bool{"private/a": true, "b": false} {
			arguments := json.RawMessage(`{"` + name + `":"` + file + `"}`)
			_, err := r.Execute(t.Context(), tool.Call{Tool: "echo", Arguments: arguments})
			explained, explainErr := r.Explain(t.Context(), "echo", "", arguments)
			if (err != nil) != denied || explainErr != nil || (explained.Policy.Effect == policy.Deny) != denied {
				t.Errorf("%s: the call ends with %v, the explanation is %s, %v", arguments, err, explained.Policy, explainErr)
			}
		}
	}
}

// The view of an invocation contains exactly the tools that the caller can call.
func TestViewContainsTheCallersTools(t *testing.T) {
	var view tool.View
	r := withTool(t, Options{}, echo(), does(func(_ context.Context, in tool.Invocation) { view = in.Tools() }))
	for _, name := range []string{"a_first", "off", "denied", "theirs"} {
		spec := echo()
		spec.Name = name
		if err := r.Tools().Register(spec, &fake{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Tools().Disable("off"); err != nil {
		t.Fatal(err)
	}
	deny := func(names ...string) *policy.Policy {
		var known policy.Known
		for _, name := range names {
			known.Tools = append(known.Tools, policy.ToolFacts{Name: name})
		}
		p, err := policy.Compile(policy.Config{Deny: names}, known)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	r.SetRules(Rules{Policy: deny("denied")})
	for want, execute := range map[string]func(context.Context, tool.Call) (tool.Result, error){
		"[a_first echo theirs]": r.Execute,
		"[a_first echo]":        r.Tenant("a", TenantOptions{Policy: deny("theirs")}).Execute,
	} {
		if _, err := execute(t.Context(), say("x")); err != nil || fmt.Sprint(view.Names) != want || view.More != 0 {
			t.Errorf("it sees %v and %d more, want %s; %v", view.Names, view.More, want, err)
		}
	}
	r.SetRules(Rules{})
	for n := range tool.MaxView {
		spec := echo()
		spec.Name = fmt.Sprintf("more_%04d", n)
		if err := r.Tools().Register(spec, &fake{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Execute(t.Context(), say("y")); err != nil || len(view.Names) != tool.MaxView || view.More != 4 || !slices.IsSorted(view.Names) {
		t.Errorf("of many it sees %d and %d more; %v", len(view.Names), view.More, err)
	}
}
