package policy_test

import (
	"testing"

	"github.com/wasmtool/wasmtool/registry/policy"
)

// Rules for the original tool apply to a tool that calls it under another name.
func TestStricterOfBothNamesApplies(t *testing.T) {
	auto, off := policy.ToolRule{AutoExecute: true}, policy.ToolRule{Enabled: new(false)}
	for name, tc := range map[string]struct {
		config policy.Config
		want   policy.Effect
	}{
		"nothing":               {policy.Config{}, policy.Ask},
		"own name":              {policy.Config{Tools: map[string]policy.ToolRule{"sum": auto}}, policy.Ask},
		"original":              {policy.Config{Tools: map[string]policy.ToolRule{"mcp__s__add": auto}}, policy.Ask},
		"both":                  {policy.Config{Tools: map[string]policy.ToolRule{"sum": auto, "mcp__s__add": auto}}, policy.Allow},
		"original is off":       {policy.Config{Tools: map[string]policy.ToolRule{"sum": auto, "mcp__s__add": off}}, policy.Deny},
		"original is denied":    {policy.Config{Deny: []string{"mcp__s__*"}, Tools: map[string]policy.ToolRule{"sum": auto}}, policy.Deny},
		"only own is listed":    {policy.Config{Allow: []string{"sum"}}, policy.Deny},
		"both are listed":       {policy.Config{Allow: []string{"sum", "mcp__s__add"}}, policy.Ask},
		"rule for the original": {policy.Config{Rules: []policy.Rule{{Effect: policy.Deny, Tools: []string{"mcp__s__add"}}}, Tools: map[string]policy.ToolRule{"sum": auto, "mcp__s__add": auto}}, policy.Deny},
	} {
		p, err := policy.Compile(tc.config, policy.Known{NotLoaded: []string{"sum", "mcp__s__add"}})
		if err != nil {
			t.Fatal(err)
		}
		facts := policy.ToolFacts{Name: "sum", Original: "mcp__s__add", Dangerous: true}
		if got := p.Decide(facts, policy.CallFacts{}); got.Effect != tc.want {
			t.Errorf("%s: %s by %+v, want %s", name, got.Effect, got.By, tc.want)
		}
		if got := p.Explain(facts, policy.CallFacts{}); got.Effect != tc.want {
			t.Errorf("%s: explained as %s", name, got.Effect)
		}
		if visible, _ := p.Visible(facts); visible == (tc.want == policy.Deny) && name != "rule for the original" {
			t.Errorf("%s: visible is %v", name, visible)
		}
	}
}
