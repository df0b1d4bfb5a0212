package policy_test

import (
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"github.com/wasmtool/wasmtool/registry/policy"
)

func TestExplain(t *testing.T) {
	p := compile(t, policy.Config{Rules: []policy.Rule{
		{Effect: policy.Allow, Tools: []string{"issues"}, Source: "wasmtool.toml:3"},
		{
			Effect: policy.Deny, Tools: []string{"grep"}, Source: "wasmtool.toml:7",
			Arguments: map[string]policy.Match{"/path": {Glob: "**/.env"}}, Reason: "keys live there",
		},
	}})
	e := p.Explain(named("grep"), arguments(`{"path":"a/../.env"}`))
	if e.Effect != policy.Deny || e.By.Rule != "rules[1]" || len(e.Rules) != 2 || e.Rules[0].Holds || !e.Rules[1].Holds {
		t.Fatalf("got %+v", e)
	}
	text := e.String()
	for _, want := range []string{
		"deny\n", "decided by rules[1] (wasmtool.toml:7): keys live there", "does not match: allow by rules[0] (wasmtool.toml:3): it does not name the tool",
		"to allow it:\n  remove rules[1], or narrow it (wasmtool.toml:7)",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if e := p.Explain(named("grep"), arguments(`{"path":"src"}`)); e.Effect != policy.Allow || e.Fix != "" || e.Rules[1].Why != "the argument /path does not match" {
		t.Errorf("got %+v", e)
	}
}

func TestExplainOfAToolThatIsNotThere(t *testing.T) {
	p := compile(t, policy.Config{Deny: []string{"group:fs"}, Sources: map[string]string{"deny": "wasmtool.toml:2"}})
	e := p.Explain(named("grep"), policy.CallFacts{})
	if e.Effect != policy.Deny || e.By.Rule != `deny[0] "group:fs"` || e.By.Source != "wasmtool.toml:2" || e.Rules != nil {
		t.Errorf("got %+v", e)
	}
}

// The lines that a decision suggests must allow the call.
func TestTheFixAllowsTheCall(t *testing.T) {
	for _, tc := range []struct {
		name   string
		config policy.Config
		tool   policy.ToolFacts
		words  []string
	}{
		{"a grant", policy.Config{}, issues, []string{"net:GET:https://api.github.com/repos/", "write:workspace", "env:LANG", "kv:write"}},
		{"a private address", policy.Config{}, issues, []string{"net-private:http://db.corp:8080/", "net:http://127.0.0.1/"}},
		{"everything", policy.Config{}, issues, []string{"net:any"}},
		{"a dangerous tool", policy.Config{}, wipe, nil},
		{"a dangerous tool with a grant", policy.Config{}, wipe, []string{"secret:TOKEN"}},
		{"a word of an unknown kind", policy.Config{}, issues, []string{"exec:sh", "write:workspace"}},
		{"a word that cannot be read", policy.Config{}, issues, []string{"net:https://" + "b\"x/"}},
		{"a profile", policy.Config{Profile: "coding"}, issues, nil},
		{"a profile and a list", policy.Config{Profile: "coding", Allow: []string{"read"}}, issues, nil},
		{"a profile and a list that has it", policy.Config{Profile: "coding", Allow: []string{"issues"}}, issues, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			facts := grants(tc.words...)
			fix := compile(t, tc.config).Decide(tc.tool, facts).Fix
			var file struct {
				Policy struct {
					Profile string
					Allow   []string
					Rules   []struct {
						Effect       policy.Effect
						Tools        []string
						Capabilities []string
					}
				}
				Tools map[string]struct {
					AutoExecute bool `toml:"auto_execute"`
				}
			}
			if err := toml.Unmarshal([]byte(fix), &file); err != nil {
				t.Fatalf("%v in\n%s", err, fix)
			}
			c := tc.config
			if file.Policy.Profile != "" {
				c.Profile = file.Policy.Profile
			}
			if file.Policy.Allow != nil {
				c.Allow = file.Policy.Allow
			}
			for _, r := range file.Policy.Rules {
				c.Rules = append(c.Rules, policy.Rule{Effect: r.Effect, Tools: r.Tools, Capabilities: r.Capabilities})
			}
			c.Tools = map[string]policy.ToolRule{}
			for name, r := range file.Tools {
				c.Tools[name] = policy.ToolRule{AutoExecute: r.AutoExecute}
			}
			if d := compile(t, c).Decide(tc.tool, facts); d.Effect != policy.Allow {
				t.Errorf("after\n%s\nit is %v", fix, d.By)
			}
		})
	}
}
