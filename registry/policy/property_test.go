package policy_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wasmtool/wasmtool/registry/policy"
)

// maker generates policies and calls that often match each other.
type maker struct{ *rand.Rand }

func pick[T any](m maker, from ...T) T { return from[m.IntN(len(from))] }

func (m maker) some(from ...string) []string {
	var list []string
	for range m.IntN(3) {
		list = append(list, pick(m, from...))
	}
	return list
}

func (m maker) entries() []string {
	return m.some("read", "grep", "issues", "wipe", "bash", "group:fs", "group:ops", "*", "w*", "group:web")
}

var wordsForRules = []string{"*", "write:*", "write:a", "read:a", "net:*", "net:https://**.corp/", "net:GET:https://a.corp/x", "net-private:*", "env:*", "secret:T", "kv:write"}

func (m maker) rule() policy.Rule {
	r := policy.Rule{Effect: pick(m, policy.Deny, policy.Ask, policy.Allow), Tools: m.entries(), Capabilities: m.some(wordsForRules...)}
	if len(r.Tools)+len(r.Capabilities) == 0 || m.IntN(3) == 0 {
		r.Arguments = map[string]policy.Match{pick(m, "/path", "/list/*", "/n"): pick(
			m, policy.Match{Glob: "**/.env"}, policy.Match{Glob: "src/**", Missing: true}, policy.Match{Prefix: "src"},
			policy.Match{Regexp: "s.*"}, policy.Match{Equals: json.RawMessage("1")},
		)}
	}
	return r
}

func (m maker) config() policy.Config {
	c := policy.Config{Profile: pick(m, "", "full", "full", "coding", "minimal"), Tools: map[string]policy.ToolRule{}}
	if m.IntN(4) == 0 {
		c.Allow = m.entries()
	}
	if m.IntN(4) == 0 {
		c.Deny = m.some("grep", "w*", "group:fs", "bash")
	}
	for _, name := range m.some("read", "grep", "issues", "wipe") {
		c.Tools[name] = policy.ToolRule{AutoExecute: m.IntN(2) == 0}
	}
	for range m.IntN(6) {
		c.Rules = append(c.Rules, m.rule())
	}
	return c
}

func (m maker) tool() policy.ToolFacts {
	return pick(m, known.Tools...)
}

func (m maker) call() policy.CallFacts {
	return policy.CallFacts{
		Capabilities: words(m.some("read:a", "write:a", "write:b", "net:https://a.corp/x", "net:any", "net-private:http://a.corp/", "env:X", "secret:T", "kv:read", "kv:write", "clock", "odd")...),
		Arguments: json.RawMessage(pick(m, ``, `{}`, `{"path":"src/a"}`, `{"path":"./.env"}`, `{"path":["src/a",".env"]}`, `{"n":1.0}`,
			`{"list":["src/a","src/b"],"n":2}`, `{"list":{"a":7}}`, `{"path":null}`, `[]`, `{`)),
	}
}

// each checks a property for many policies and calls.
func each(t *testing.T, check func(m maker, c policy.Config, tool policy.ToolFacts, call policy.CallFacts)) {
	m := maker{rand.New(rand.NewPCG(1, 2))}
	for range 3_000 {
		if check(m, m.config(), m.tool(), m.call()); t.Failed() {
			return
		}
	}
}

func TestTheOrderOfRulesDoesNotMatter(t *testing.T) {
	each(t, func(m maker, c policy.Config, tool policy.ToolFacts, call policy.CallFacts) {
		before := compile(t, c).Explain(tool, call)
		shuffled := slices.Clone(c.Rules)
		m.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		c.Rules = shuffled
		if after := compile(t, c).Decide(tool, call); after.Effect != before.Effect {
			t.Errorf("%v became %v when shuffled: %+v", before.By, after.By, c)
		}
		for _, r := range before.Rules {
			if r.Holds && r.Effect < before.Effect {
				t.Errorf("%v wins over %+v", before.By, r)
			}
		}
	})
}

func TestRestrictingNeverPermitsMore(t *testing.T) {
	each(t, func(m maker, c policy.Config, tool policy.ToolFacts, call policy.CallFacts) {
		before := compile(t, c).Decide(tool, call)
		atMost := func(what string, c policy.Config, tool policy.ToolFacts, call policy.CallFacts) {
			if after := compile(t, c).Decide(tool, call); after.Effect > before.Effect {
				t.Errorf("%s: %v became %v: %+v, %+v", what, before.By, after.By, c, call)
			}
		}
		more := c
		rule := m.rule()
		rule.Effect = pick(m, policy.Deny, policy.Ask)
		more.Rules = slices.Insert(slices.Clone(c.Rules), m.IntN(len(c.Rules)+1), rule)
		atMost("a rule more", more, tool, call)

		more = c
		more.Deny = append(slices.Clone(c.Deny), pick(m, "grep", "w*", "group:fs", "find_issues"))
		atMost("an entry more in deny", more, tool, call)

		more = c
		more.Tools = map[string]policy.ToolRule{}
		atMost("no auto_execute", more, tool, call)

		more = c
		more.Rules = slices.DeleteFunc(slices.Clone(c.Rules), func(r policy.Rule) bool { return r.Effect == policy.Allow })
		atMost("no rule that allows", more, tool, call)

		dangerous := tool
		dangerous.Dangerous = true
		atMost("a dangerous tool", c, dangerous, call)

		aliased := tool
		aliased.Aliases = append(slices.Clone(tool.Aliases), pick(m, "grep", "issues", "exec", "x"))
		atMost("an alias more", c, aliased, call)

		reaching := call
		reaching.Capabilities = append(slices.Clone(call.Capabilities), words(pick(m, "write:a", "net:https://b.corp/", "secret:U", "odd"))...)
		atMost("a capability more", c, tool, reaching)
	})
}

// A deny rule matches every permission that an allow rule with the same pattern covers.
func TestCoveredPermissionsOverlap(t *testing.T) {
	m := maker{rand.New(rand.NewPCG(3, 4))}
	word := func(scheme, host, port string) string {
		return fmt.Sprintf("net:%s%s://%s%s/%s", pick(m, "", "GET:", "GET,POST:"), scheme, host, port, pick(m, "", "x", "x/y"))
	}
	covered := 0
	for range 3_000 {
		pattern := word(pick(m, "http", "https", "*"), pick(m, "a", "*", "**", "corp", "a.corp", "*.corp", "**.corp", "a.**", "**.a.**", "*.a.corp"), pick(m, "", ":80", ":*", ":8443"))
		granted := word(pick(m, "http", "https"), pick(m, "a", "corp", "a.corp", "b.a.corp", "*.a.corp"), pick(m, "", ":80", ":8443"))
		effect := func(e policy.Effect) policy.Effect {
			p := compile(t, policy.Config{Rules: []policy.Rule{{Effect: e, Capabilities: []string{pattern}}}})
			return p.Decide(issues, grants(granted)).Effect
		}
		if effect(policy.Allow) != policy.Allow {
			continue
		}
		covered++
		if effect(policy.Deny) != policy.Deny {
			t.Errorf("%s covers %s and does not overlap with it", pattern, granted)
		}
	}
	if covered < 100 {
		t.Errorf("only %d pairs were covered", covered)
	}
}
