package registry

import (
	"encoding/json"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// A settings page reads all tools with one call, and changes what the operator decides about one.
func TestSettingsPageReadsAndWritesToolRules(t *testing.T) {
	spec := echo()
	spec.Dangerous, spec.Icon, spec.Server = true, "📣", "own"
	r := withTool(t, Options{}, spec, &fake{})
	call := func() tool.Code {
		_, err := r.Execute(t.Context(), tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"text":"x"}`)})
		return tool.CodeOf(err)
	}
	for _, step := range []struct {
		rule          policy.ToolRule
		enabled, auto bool
		want          tool.Code
	}{
		{policy.ToolRule{}, true, false, tool.CodeApprovalRequired},
		{policy.ToolRule{AutoExecute: true}, true, true, ""},
		{policy.ToolRule{Enabled: new(false), AutoExecute: true}, false, true, tool.CodeDisabled},
		{policy.ToolRule{Enabled: new(true)}, true, false, tool.CodeApprovalRequired},
	} {
		if err := r.SetToolRule("ECHO", step.rule); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(r.Tools().List(catalogue.Filter{Disabled: true}))
		var page []struct {
			Name, Icon, Source, Server, Timeout string
			Enabled                             bool
			AutoExecute                         bool `json:"auto_execute"`
		}
		if err != nil || json.Unmarshal(text, &page) != nil || len(page) != 1 {
			t.Fatalf("%s, %v", text, err)
		}
		if got := page[0]; got.Enabled != step.enabled || got.AutoExecute != step.auto || got.Icon != "📣" || got.Server != "own" || got.Timeout != "30s" {
			t.Errorf("after %+v the page has %+v", step.rule, got)
		}
		if got := call(); got != step.want {
			t.Errorf("after %+v a call ends with %q, want %q", step.rule, got, step.want)
		}
	}
	wantCode(t, r.SetToolRule("nothing", policy.ToolRule{}), tool.CodeNotFound)
}

// The settings of a tool do not lift what a list of the policy or a rule forbids, and the other
// rules stay.
func TestToolRuleLiftsNoDenial(t *testing.T) {
	for name, config := range map[string]policy.Config{
		"deny list": {Deny: []string{"echo"}},
		"profile":   {Profile: "minimal"},
		"off":       {Off: true},
		"rule":      {Rules: []policy.Rule{{Effect: policy.Deny, Tools: []string{"echo"}}}},
	} {
		r := withTool(t, Options{Rules: Rules{Policy: compile(t, config)}}, echo(), &fake{})
		if err := r.SetToolRule("echo", policy.ToolRule{Enabled: new(true), AutoExecute: true}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Execute(t.Context(), tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"text":"x"}`)}); err == nil {
			t.Errorf("%s: the call ran", name)
		}
	}
}

// The JSON of an Info has everything that a person decides by.
func TestInfoAsJSON(t *testing.T) {
	spec := echo()
	spec.Sandboxed, spec.Permissions = true, capability.Permissions{FS: []capability.FS{{Mount: "workspace", Mode: capability.ModeWrite}}}
	info, err := withTool(t, Options{}, spec, &fake{}).Tools().Get("echo")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(info)
	var got map[string]any
	if err != nil || json.Unmarshal(text, &got) != nil {
		t.Fatalf("%s, %v", text, err)
	}
	for _, field := range []string{"name", "title", "description", "parameters", "source", "created_at", "timeout", "permissions", "effects", "enabled", "disabled", "auto_execute"} {
		if got[field] == nil {
			t.Errorf("%s is missing in %s", field, text)
		}
	}
	if list, _ := json.Marshal(got["permissions"]); string(list) != `["write:workspace"]` {
		t.Errorf("permissions: %s", list)
	}
}
