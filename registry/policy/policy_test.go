package policy_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/policy"
)

// known lists the tools of the tests.
var known = policy.Known{
	Tools: []policy.ToolFacts{
		{Name: "read"},
		{Name: "grep", Aliases: []string{"search_files"}},
		{Name: "issues", Aliases: []string{"find_issues"}},
		{Name: "wipe", Dangerous: true, Groups: []string{"ops"}},
	},
	NotLoaded: []string{"mcp__crm__lookup"},
}

var (
	issues = policy.ToolFacts{Name: "issues", Aliases: []string{"find_issues"}}
	wipe   = policy.ToolFacts{Name: "wipe", Dangerous: true, Groups: []string{"ops"}}
)

func compile(t testing.TB, c policy.Config) *policy.Policy {
	t.Helper()
	p, err := policy.Compile(c, known)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func named(name string) policy.ToolFacts { return policy.ToolFacts{Name: name} }

func grants(texts ...string) policy.CallFacts { return policy.CallFacts{Capabilities: words(texts...)} }

// words parses permissions. An invalid permission becomes the zero value.
func words(texts ...string) []capability.Permission {
	var list []capability.Permission
	for _, text := range texts {
		word, _ := capability.ParsePermission(text)
		list = append(list, word)
	}
	return list
}

func arguments(text string) policy.CallFacts {
	return policy.CallFacts{Arguments: json.RawMessage(text)}
}

// Each well-known name of a tool selects the tool, even if the tool is registered under another of
// these names.
func TestOtherNames(t *testing.T) {
	for _, pair := range [][2]string{{"bash", "exec"}, {"webfetch", "web_fetch"}, {"websearch", "web_search"}, {"apply-patch", "apply_patch"}} {
		for _, written := range pair {
			for _, registered := range pair {
				if ok, _ := compile(t, policy.Config{Allow: []string{written}}).Visible(named(registered)); !ok {
					t.Errorf("allow %s hides %s", written, registered)
				}
				if ok, _ := compile(t, policy.Config{Deny: []string{written}}).Visible(named(registered)); ok {
					t.Errorf("deny %s shows %s", written, registered)
				}
			}
		}
	}
}

func TestProfiles(t *testing.T) {
	for _, tc := range []struct {
		profile string
		has     []string
		lacks   []string
	}{
		{"minimal", []string{"session_status"}, []string{"read", "message", "issues", "exec"}},
		{"coding", []string{"read", "write", "edit", "multi_edit", "apply_patch", "list", "glob", "grep", "exec", "bash", "code", "process", "sessions_list", "sessions_send", "sessions_spawn"}, []string{"message", "web_fetch", "issues", "session_status"}},
		{"messaging", []string{"message", "sessions_list", "session_status"}, []string{"sessions_send", "sessions_spawn", "read", "exec"}},
		{"full", []string{"read", "issues", "message", "anything"}, nil},
		{"", []string{"read", "issues", "message", "anything"}, nil},
	} {
		p := compile(t, policy.Config{Profile: tc.profile})
		for _, name := range tc.has {
			if ok, reason := p.Visible(named(name)); !ok {
				t.Errorf("profile %q hides %s: %v", tc.profile, name, reason)
			}
		}
		for _, name := range tc.lacks {
			if ok, _ := p.Visible(named(name)); ok {
				t.Errorf("profile %q shows %s", tc.profile, name)
			}
		}
	}
}

// The groups that other systems have contain the tools that these systems put there.
func TestGroupsHaveTheUsualTools(t *testing.T) {
	groups := map[string][]string{
		"fs": {"read", "write", "edit", "apply_patch"}, "runtime": {"exec", "process"}, "web": {"web_search", "web_fetch"},
		"sessions": {"sessions_list", "sessions_send", "sessions_spawn"}, "messaging": {"message"},
	}
	for group := range groups {
		p := compile(t, policy.Config{Allow: []string{"group:" + group}})
		for of, tools := range groups {
			for _, name := range tools {
				if visible, _ := p.Visible(named(name)); visible != (of == group) {
					t.Errorf("group:%s has %s: %v", group, name, visible)
				}
			}
		}
	}
}

func TestVisible(t *testing.T) {
	off, on := false, true
	for _, tc := range []struct {
		name   string
		config policy.Config
		tool   policy.ToolFacts
		want   bool
	}{
		{"an allow list keeps only what it names", policy.Config{Allow: []string{"group:fs"}}, named("issues"), false},
		{"groups are expanded in allow", policy.Config{Allow: []string{"group:fs"}}, named("write"), true},
		{"groups are expanded in deny", policy.Config{Deny: []string{"group:fs"}}, named("grep"), false},
		{"allow does not widen the profile", policy.Config{Profile: "minimal", Allow: []string{"read"}}, named("read"), false},
		{"deny wins over allow", policy.Config{Allow: []string{"read"}, Deny: []string{"r*"}}, named("read"), false},
		{"an empty allow list restricts nothing", policy.Config{Allow: []string{}}, named("issues"), true},
		{"case and space around do not matter", policy.Config{Deny: []string{" Read "}}, named("read"), false},
		{"deny takes the usual other name", policy.Config{Deny: []string{"bash"}}, named("exec"), false},
		{"allow takes the usual other name", policy.Config{Allow: []string{"bash"}}, named("exec"), true},
		{"deny finds a tool that goes by the other name", policy.Config{Deny: []string{"exec"}}, named("bash"), false},
		{"deny takes an author's alias", policy.Config{Deny: []string{"find_issues"}}, issues, false},
		{"deny by a name that a tool took as its alias", policy.Config{Deny: []string{"write"}}, policy.ToolFacts{Name: "other", Aliases: []string{"write"}}, false},
		{"deny a group whose member a tool took as its alias", policy.Config{Deny: []string{"group:fs"}}, policy.ToolFacts{Name: "other", Aliases: []string{"WRITE"}}, false},
		{"an alias lets no tool in", policy.Config{Allow: []string{"write"}}, policy.ToolFacts{Name: "other", Aliases: []string{"write"}}, false},
		{"nor does it by a pattern", policy.Config{Allow: []string{"wr*"}}, policy.ToolFacts{Name: "other", Aliases: []string{"write"}}, false},
		{"a group of the host's", policy.Config{Allow: []string{"group:ops"}}, wipe, true},
		{"a tool that comes later fits a pattern", policy.Config{Deny: []string{"mcp__*__delete*"}}, named("mcp__crm__delete_all"), false},
		{"switched off", policy.Config{Tools: map[string]policy.ToolRule{"issues": {Enabled: &off}}}, issues, false},
		{"switched on brings nothing back", policy.Config{Deny: []string{"issues"}, Tools: map[string]policy.ToolRule{"issues": {Enabled: &on}}}, issues, false},
		{"auto_execute brings nothing back", policy.Config{Profile: "coding", Tools: map[string]policy.ToolRule{"issues": {AutoExecute: true}}}, issues, false},
		{"all off", policy.Config{Off: true, Allow: []string{"*"}}, named("read"), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := compile(t, tc.config)
			got, reason := p.Visible(tc.tool)
			if got != tc.want {
				t.Fatalf("got %v: %v", got, reason)
			}
			d := p.Decide(tc.tool, policy.CallFacts{})
			if !got && (d.Effect != policy.Deny || d.Fix == "") {
				t.Errorf("Decide says %v with the fix %q for a tool that is not there", d.Effect, d.Fix)
			}
		})
	}
}

func TestWithoutAPolicyNothingIsAllowed(t *testing.T) {
	var none *policy.Policy
	for _, p := range []*policy.Policy{none, new(policy.Policy)} {
		if ok, _ := p.Visible(named("read")); ok {
			t.Error("a tool is there")
		}
		if d := p.Decide(named("read"), policy.CallFacts{}); d.Effect != policy.Deny {
			t.Errorf("a call gets %v", d.Effect)
		}
		if p.Warnings() != nil {
			t.Error("there are warnings")
		}
	}
}

func TestCallsAllowedByDefault(t *testing.T) {
	p := compile(t, policy.Config{})
	for _, tc := range []struct {
		words []string
		want  policy.Effect
	}{
		{nil, policy.Allow},
		{[]string{"read:workspace", "clock", "random", "kv:read"}, policy.Allow},
		{[]string{"write:workspace"}, policy.Ask},
		{[]string{"net:https://api.github.com/"}, policy.Ask},
		{[]string{"net-private:http://10.0.0.1/"}, policy.Ask},
		{[]string{"net:any"}, policy.Ask},
		{[]string{"env:LANG"}, policy.Ask},
		{[]string{"secret:TOKEN"}, policy.Ask},
		{[]string{"kv:write"}, policy.Ask},
		{[]string{"exec:sh"}, policy.Ask},
		{[]string{""}, policy.Ask},
		{[]string{"clock:set"}, policy.Ask},
		{[]string{"READ:workspace"}, policy.Ask},
	} {
		if d := p.Decide(issues, grants(tc.words...)); d.Effect != tc.want {
			t.Errorf("%q: %v, want %v", tc.words, d.By, tc.want)
		}
	}
	if d := p.Decide(wipe, policy.CallFacts{}); d.Effect != policy.Ask {
		t.Errorf("a dangerous tool gets %v", d.By)
	}
}

func TestGrantsThatReplaceApproval(t *testing.T) {
	auto := map[string]policy.ToolRule{"wipe": {AutoExecute: true}, "issues": {AutoExecute: true}}
	rule := func(r policy.Rule) policy.Config {
		r.Effect = policy.Allow
		return policy.Config{Rules: []policy.Rule{r}}
	}
	for _, tc := range []struct {
		name   string
		config policy.Config
		tool   policy.ToolFacts
		words  []string
		want   policy.Effect
	}{
		{"auto_execute", policy.Config{Tools: auto}, issues, []string{"write:a", "net:any"}, policy.Allow},
		{"auto_execute of a dangerous tool", policy.Config{Tools: auto}, wipe, []string{"write:a"}, policy.Allow},
		{"auto_execute of another tool", policy.Config{Tools: auto}, named("edit"), []string{"write:a"}, policy.Ask},
		{"a rule that names the tool", rule(policy.Rule{Tools: []string{"issues"}}), issues, []string{"write:a"}, policy.Allow},
		{"a rule by a pattern", rule(policy.Rule{Tools: []string{"*"}}), issues, []string{"write:a"}, policy.Allow},
		{"a dangerous tool that a rule names", rule(policy.Rule{Tools: []string{"wipe"}}), wipe, nil, policy.Allow},
		{"a dangerous tool by a pattern", rule(policy.Rule{Tools: []string{"wip*"}}), wipe, nil, policy.Ask},
		{"a dangerous tool by a group", rule(policy.Rule{Tools: []string{"group:ops"}}), wipe, nil, policy.Ask},
		{"a dangerous tool by its grant", rule(policy.Rule{Capabilities: []string{"*"}}), wipe, []string{"write:a"}, policy.Ask},
		{"a grant that is covered", rule(policy.Rule{Capabilities: []string{"write:a", "net:https://x.example/"}}), issues, []string{"read:b", "write:a", "net:https://x.example/y/"}, policy.Allow},
		{"a grant that is covered in part", rule(policy.Rule{Capabilities: []string{"write:a"}}), issues, []string{"write:a", "secret:TOKEN"}, policy.Ask},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if d := compile(t, tc.config).Decide(tc.tool, grants(tc.words...)); d.Effect != tc.want {
				t.Errorf("got %v, want %v", d.By, tc.want)
			}
		})
	}
}

func TestDenyWinsAndAskComesBeforeAllow(t *testing.T) {
	c := policy.Config{
		Tools: map[string]policy.ToolRule{"issues": {AutoExecute: true}},
		Rules: []policy.Rule{
			{Effect: policy.Allow, Tools: []string{"issues"}, Source: "w.toml:1"},
			{Effect: policy.Ask, Capabilities: []string{"write:*"}, Reason: "we look at writes", Source: "w.toml:2"},
			{Effect: policy.Deny, Capabilities: []string{"secret:*"}, Source: "w.toml:3"},
		},
	}
	p := compile(t, c)
	d := p.Decide(issues, grants("write:a", "secret:T"))
	if d.Effect != policy.Deny || d.By.Rule != "rules[2]" || d.By.Source != "w.toml:3" {
		t.Errorf("decided %v by %v", d.Effect, d.By)
	}
	if len(d.Also) != 2 || d.Also[0].Rule != "rules[0]" || d.Also[1].Rule != "rules[1]" {
		t.Errorf("also %v", d.Also)
	}
	if !strings.Contains(d.By.Why, "secret:T") || !strings.Contains(d.Fix, "w.toml:3") {
		t.Errorf("why %q, fix %q", d.By.Why, d.Fix)
	}
	d = p.Decide(issues, grants("write:a"))
	if d.Effect != policy.Ask || d.By.Why != "we look at writes" {
		t.Errorf("auto_execute or an allow rule lifted an ask rule: %v", d.By)
	}
}

func TestCompileTellsAllThatIsWrong(t *testing.T) {
	equals := func(s string) policy.Match { return policy.Match{Equals: json.RawMessage(s)} }
	args := func(pointer string, m policy.Match) policy.Config {
		return policy.Config{Rules: []policy.Rule{{Arguments: map[string]policy.Match{pointer: m}, Source: "w.toml:9"}}}
	}
	words := func(w string) policy.Config {
		return policy.Config{Rules: []policy.Rule{{Capabilities: []string{w}}}}
	}
	for _, tc := range []struct {
		config policy.Config
		want   string
	}{
		{policy.Config{Profile: "codign"}, `profile: "codign" is not a profile; did you mean coding?`},
		{policy.Config{Deny: []string{"read", "group:sf"}, Sources: map[string]string{"deny": "w.toml:4"}}, `w.toml:4: deny[1]: "group:sf" is not a group; did you mean group:fs?`},
		{policy.Config{Deny: []string{""}}, `deny[0]: is empty`},
		{policy.Config{Allow: []string{"find_issues"}}, `write its name issues`},
		{policy.Config{Allow: []string{"re?d"}}, `the only pattern character is *`},
		{policy.Config{Tools: map[string]policy.ToolRule{"r*": {}}}, `neither a group nor a pattern`},
		{policy.Config{Tools: map[string]policy.ToolRule{"bash": {}, "BASH": {}}}, `bash is set twice`},
		{policy.Config{Tools: map[string]policy.ToolRule{"exec": {}}}, `"exec" is another name of bash; write [tools.bash]`},
		{policy.Config{Rules: []policy.Rule{{}}}, `rules[0]: matches nothing`},
		{policy.Config{Rules: []policy.Rule{{Effect: 7, Tools: []string{"*"}}}}, `write allow, ask or deny`},
		{policy.Config{Base: "work"}, `base: "work" must be an absolute`},
		{words("wirte:a"), `did you mean write?`},
		{words("write:"), `write write:NAME`},
		{words("clock:x"), `nothing may follow`},
		{words("kv:all"), `kv:read, kv:write or kv:*`},
		{words("net:api.github.com"), `begins with https://`},
		{words("net:https://u@h/"), `a name or password before the host`},
		{words("net:https://h/?q"), `no query and no fragment`},
		{words("net:get:https://h/"), `"get" is not a method`},
		{words("net:https://h:99999/"), `write a number from 1 to 65535`},
		{words("net:https://*.bücher。example/"), `xn--`},
		{words("net:https://a*.example/"), `stands for the whole first part of the host`},
		{words("net:https://h/a*/x"), `leave out the "*"`},
		{words("*:x"), `nothing may follow`},
		{args("path", equals("1")), `w.toml:9: rules[0].arguments."path": is not a JSON pointer`},
		{args("/a~2", equals("1")), `write ~0`},
		{args("/a", policy.Match{}), `exactly one of`},
		{args("/a", policy.Match{Glob: "x", Prefix: "y"}), `has 2`},
		{args("/a", equals("{")), `not one JSON value`},
		{args("/a", equals("1 2")), `not one JSON value`},
		{args("/a", policy.Match{Glob: "a/../b"}), `matches no path`},
		{args("/a", policy.Match{Glob: "[a"}), `not a valid pattern`},
		{args("/a", policy.Match{Glob: "{a,b}{a,b}{a,b}{a,b}"}), `more than 3 braces`},
		{args("/a", policy.Match{Prefix: "a/../b"}), `".." part`},
		{args("/a", policy.Match{Regexp: "a)|(b"}), `cannot be read`},
		{args("/a", policy.Match{Regexp: `\Qa`}), `cannot be put between anchors`},
	} {
		p, err := policy.Compile(tc.config, known)
		var wrong *policy.ConfigError
		if p != nil || !errors.As(err, &wrong) {
			t.Errorf("%q: compiled (%v)", tc.want, err)
			continue
		}
		if !strings.Contains(wrong.Error(), tc.want) {
			t.Errorf("got %q, want %q in it", wrong, tc.want)
		}
	}
	_, err := policy.Compile(policy.Config{Profile: "x", Allow: []string{""}, Deny: []string{""}}, known)
	if wrong := err.(*policy.ConfigError); len(wrong.Problems) != 3 {
		t.Errorf("told %v", wrong.Problems)
	}
}

func TestWarnings(t *testing.T) {
	p := compile(t, policy.Config{
		Deny:  []string{"nothing_*", "re*"},
		Rules: []policy.Rule{{Arguments: map[string]policy.Match{"/path": {Glob: ".env"}}}},
	})
	got := p.Warnings()
	if len(got) != 2 || got[0].Field != "deny[0]" || !got[0].Warning || !strings.Contains(got[1].Message, "write **/.env") {
		t.Errorf("got %v", got)
	}
}

// If a policy names an unknown tool, the warning suggests the most similar known name. The entry
// takes effect when a tool of that name is added later.
func TestUnknownNamesHoldForToolsThatCome(t *testing.T) {
	later := policy.ToolFacts{Name: "isues"}
	alias := policy.ToolFacts{Name: "other", Aliases: []string{"Isues"}}
	off := false
	for name, tc := range map[string]struct {
		config policy.Config
		want   string
		tool   policy.ToolFacts
		effect policy.Effect
	}{
		"deny":          {policy.Config{Deny: []string{"isues"}}, `w.toml:4: deny[0]: no tool "isues" is loaded; did you mean issues?`, later, policy.Deny},
		"deny an alias": {policy.Config{Deny: []string{"isues"}}, `did you mean issues?`, alias, policy.Deny},
		"allow":         {policy.Config{Allow: []string{"Isues"}}, `allow[0]: no tool "isues" is loaded; did you mean issues?`, later, policy.Allow},
		// Allow ignores aliases, because a tool's author chooses them.
		"allow no alias": {policy.Config{Allow: []string{"isues"}}, `did you mean issues?`, alias, policy.Deny},
		"nothing near":   {policy.Config{Allow: []string{"zzz"}}, `allow[0]: no tool "zzz" is loaded`, named("zzz"), policy.Allow},
		"a group":        {policy.Config{Deny: []string{"fs"}}, `did you mean group:fs?`, named("fs"), policy.Deny},
		"switched off": {
			policy.Config{Tools: map[string]policy.ToolRule{"isues": {Enabled: &off, Source: "w.toml:7"}}},
			`w.toml:7: tools.isues: no tool "isues" is loaded; did you mean issues?`, later, policy.Deny,
		},
		"a rule": {
			policy.Config{Rules: []policy.Rule{{Effect: policy.Ask, Tools: []string{"isues"}, Source: "w.toml:9"}}},
			`w.toml:9: rules[0].tools[0]: no tool "isues" is loaded; did you mean issues?`, later, policy.Ask,
		},
	} {
		tc.config.Sources = map[string]string{"deny": "w.toml:4"}
		p := compile(t, tc.config)
		warnings := p.Warnings()
		if len(warnings) != 1 || !strings.Contains(warnings[0].String(), tc.want) || warnings[0].Unknown == "" {
			t.Errorf("%s: warned of %v", name, warnings)
		}
		if got := p.Decide(tc.tool, policy.CallFacts{}); got.Effect != tc.effect {
			t.Errorf("%s: %v of %s", name, got.By, tc.tool.Name)
		}
		if got := p.Decide(issues, policy.CallFacts{}); tc.config.Allow == nil && got.Effect != policy.Allow {
			t.Errorf("%s: the nearest name is meant: %v", name, got.By)
		}
	}
}

func TestNamesThatAreNotLoadedMayBeNamed(t *testing.T) {
	p := compile(t, policy.Config{
		Allow: []string{"exec", "apply-patch", "cron", "mcp__crm__lookup"},
		Tools: map[string]policy.ToolRule{"web_fetch": {AutoExecute: true}},
	})
	if got := p.Warnings(); got != nil {
		t.Errorf("warned of %v", got)
	}
}

func TestEffectText(t *testing.T) {
	for _, e := range []policy.Effect{policy.Deny, policy.Ask, policy.Allow} {
		text, err := json.Marshal(e)
		var back policy.Effect = 9
		if err = errors.Join(err, json.Unmarshal(text, &back)); err != nil || back != e {
			t.Errorf("%v: %s, %v, %v", e, text, back, err)
		}
	}
	var e policy.Effect
	if json.Unmarshal([]byte(`"Allow"`), &e) == nil {
		t.Error("Allow was read")
	}
	if _, err := json.Marshal(policy.Effect(3)); err == nil {
		t.Error("effect 3 was written")
	}
}
