package config

import (
	"encoding/json"
	"errors"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
	"github.com/wasmtool/wasmtool/test/names"
)

// home and directory are the directories that the tests use.
var (
	home      = abs("home", "me")
	directory = abs("etc", "wasmtool")
)

func abs(parts ...string) string {
	path, err := filepath.Abs(string(filepath.Separator) + filepath.Join(parts...))
	if err != nil {
		panic(err) // the test has no current directory
	}
	return path
}

// getenv finds only the few variables that these tests use.
func getenv(name string) (string, bool) {
	value, ok := map[string]string{"HOME": home, "USERPROFILE": home, "LANG": "de", "TOKEN": "hunter2hunter2"}[name]
	return value, ok
}

func decode(text string) (*Config, error) {
	return Decode(File{Path: filepath.Join(directory, FileName), Name: FileName}, []byte(text), getenv)
}

func mustDecode(t testing.TB, text string) *Config {
	t.Helper()
	c, err := decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func word(t testing.TB, text string) capability.Permission {
	t.Helper()
	w, err := capability.ParsePermission(text)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func pattern(text string) capability.URLPattern {
	p, err := capability.ParseURLPattern(text)
	if err != nil {
		panic(err) // a typing error in a test
	}
	return p
}

const (
	digestA = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	digestB = "sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

// The parts of a Config that tests compare.
var (
	mountOf = func(name string) func(*Config) any {
		return func(c *Config) any { return c.Grantable(nil, "").Mounts[name] }
	}
	envOf = func(name string) func(*Config) any {
		return func(c *Config) any { return c.Grantable(nil, "").Env[name] }
	}
	sourceOf  = func(name string) func(*Config) any { return func(c *Config) any { return c.SecretSources()[name] } }
	secretsOf = func(c *Config) any { return c.Grantable(nil, "").Secrets }
	kvOf      = func(c *Config) any { return c.Grantable(nil, "").KV }
	denyOf    = func(c *Config) any { return slices.Clone(c.Grantable(nil, "").Deny) }
	policyOf  = func(c *Config) any { return c.PolicyConfig() }
	ruleOf    = func(c *Config) any { return append(c.PolicyConfig().Rules, policy.Rule{})[0] }
	toolOf    = func(c *Config) any { return c.PolicyConfig().Tools["grep"] }
	optionsOf = func(c *Config) any { return c.ToolOptions()["grep"] }
	grepKV    = func(c *Config) any { return c.Grantable(nil, "grep").KV }
	grepDeny  = func(c *Config) any { return slices.Clone(c.Grantable(nil, "grep").Deny) }
	limitsOf  = func(c *Config) any { return c.Ceilings() }
	serversOf = func(c *Config) any { return c.Servers() }
	shellOf   = func(c *Config) any { return c.Shell() }
	tenantOf  = func(c *Config) any {
		t := c.Tenants()["a"]
		t.Source, t.Token.Source = "", ""
		if slices.Equal(t.Subjects, []string{"a"}) { // the default
			t.Subjects = nil
		}
		return t
	}
	auditOf = func(c *Config) any { return c.Audit() }
	agentOf = func(c *Config) any { a := c.Agent(); a.Provider, a.Model, a.Source = "", "", ""; return a }
)

// modelOf returns a section [agent] with the required keys and one more line.
func modelOf(line string) string {
	return "[agent]\nprovider = \"openai\"\nmodel = \"m:7b\"\n" + line
}

type effect struct {
	key, text string
	of        func(*Config) any
	want      any
}

// withRulesOfTenants adds effects of the rules of tenants, which are read like the rules of all.
func withRulesOfTenants(list []effect) []effect {
	for _, e := range list {
		rule, ok := e.want.(policy.Rule)
		if !ok {
			continue
		}
		if rule.Effect == policy.Allow { // rules of tenants do not allow anything
			rule.Effect, e.text = policy.Ask, strings.ReplaceAll(e.text, `"allow"`, `"ask"`)
		}
		list = append(list, effect{
			strings.Replace(e.key, "policy", "tenants.NAME", 1), strings.ReplaceAll(e.text, "policy.rules", "tenants.a.rules"),
			func(c *Config) any { return append(c.Tenants()["a"].Rules, policy.Rule{})[0] }, rule,
		})
	}
	return list
}

// effects lists the effect of every key of the format on a Config.
var effects = withRulesOfTenants([]effect{
	{"mounts.NAME", `mounts.data = "sub/../data"`, mountOf("data"), capability.Mount{Dir: filepath.Join(directory, "data"), Mode: capability.ModeRead}},
	{"mounts.NAME.path", `mounts.data = { path = "~/data" }`, mountOf("data"), capability.Mount{Dir: filepath.Join(home, "data"), Mode: capability.ModeRead}},
	{"mounts.NAME.mode", `mounts.data = { path = "~", mode = "write" }`, mountOf("data"), capability.Mount{Dir: home, Mode: capability.ModeWrite}},
	{"workspaces.NAME", `workspaces.notes = "~/notes"`, mountOf("notes"), capability.Mount{Dir: filepath.Join(home, "notes"), Mode: capability.ModeRead, Workspace: true}},
	{"workspaces.NAME.path", `workspaces.notes = { path = "notes" }`, mountOf("notes"), capability.Mount{Dir: filepath.Join(directory, "notes"), Mode: capability.ModeRead, Workspace: true}},
	{"workspaces.NAME.mode", `workspaces.notes = { path = "~", mode = "write" }`, mountOf("notes"), capability.Mount{Dir: home, Mode: capability.ModeWrite, Workspace: true}},
	{"env.NAME", `env.EDITOR = "vi"`, envOf("EDITOR"), "vi"},
	{"env.NAME", `env.LANG = true`, envOf("LANG"), "de"},
	{"secrets.NAME.env", `secrets.A.env = "TOKEN"`, sourceOf("A"), SecretSource{Kind: SecretEnv, Env: "TOKEN", Source: "wasmtool.toml:1"}},
	{"secrets.NAME.file", `secrets.A.file = "a.key"`, sourceOf("A"), SecretSource{Kind: SecretFile, File: filepath.Join(directory, "a.key"), Source: "wasmtool.toml:1"}},
	{"secrets.NAME.command", `secrets.A.command = ["./get", "-v", "-v"]`, sourceOf("A"), SecretSource{Kind: SecretCommand, Command: []string{filepath.Join(directory, "get"), "-v", "-v"}, Source: "wasmtool.toml:1"}},
	{"secrets.NAME.command", `secrets.A.command = ["pass", "./x"]`, sourceOf("A"), SecretSource{Kind: SecretCommand, Command: []string{"pass", "./x"}, Source: "wasmtool.toml:1"}},
	{"secrets.NAME.keyring", `secrets.A.keyring = "a/b/me"`, sourceOf("A"), SecretSource{Kind: SecretKeyring, Service: "a/b", User: "me", Source: "wasmtool.toml:1"}},
	{"secrets.NAME.ttl", `secrets.A = { env = "TOKEN", ttl = "10m" }`, sourceOf("A"), SecretSource{Kind: SecretEnv, Env: "TOKEN", TTL: 10 * time.Minute, Source: "wasmtool.toml:1"}},
	{"secrets.NAME.urls", "secrets.A = { env = \"TOKEN\", urls = [\"https://api.example.com/v1\"] }\ngrants.allow = [\"secret:A\"]", secretsOf, map[string]capability.GrantableSecret{"A": {URLs: []capability.URLPattern{pattern("https://api.example.com/v1")}}}},
	{"grants.allow", `grants.allow = ["kv:write"]`, kvOf, capability.ModeWrite},
	{"grants.deny", `grants.deny = ["clock", "net:any"]`, denyOf, capability.Deny{mustWord("clock"), mustWord("net:any")}},
	{"limits.memory", `limits.memory = "64KiB"`, limitsOf, Ceilings{MaxMemory: 64 << 10}},
	{"limits.fuel", `limits.fuel = 10_000`, limitsOf, Ceilings{MaxFuel: 10_000}},
	{"limits.open_files", `limits.open_files = 1`, limitsOf, Ceilings{MaxOpenFiles: 1}},
	{"limits.http_requests", `limits.http_requests = 2`, limitsOf, Ceilings{MaxRequests: 2}},
	{"limits.timeout", `limits.timeout = "1m"`, limitsOf, Ceilings{MaxTimeout: time.Minute}},
	{"limits.total_memory", `limits.total_memory = "1024GiB"`, limitsOf, Ceilings{MaxTotalMemory: 1 << 40}},
	{"limits.idle_memory", `limits.idle_memory = "1MiB"`, limitsOf, Ceilings{MaxIdleBytes: 1 << 20}},
	{"limits.idle_memory", `limits.idle_memory = "0B"`, limitsOf, Ceilings{MaxIdleBytes: -1}},
	{"limits.calls", `limits.calls = 8`, limitsOf, Ceilings{MaxCalls: 8}},
	{"limits.waiting", `limits.waiting = 9`, limitsOf, Ceilings{MaxWaiting: 9}},
	{"limits.waiting", `limits.waiting = 0`, limitsOf, Ceilings{MaxWaiting: -1}},
	{"agent.provider", modelOf("") + `base_url = "http://localhost:11434/v1"`, func(c *Config) any { return c.Agent() }, Agent{Provider: "openai", Model: "m:7b", BaseURL: "http://localhost:11434/v1", Source: FileName + ":1"}},
	{"agent.model", modelOf(""), func(c *Config) any { return c.Agent().Model }, "m:7b"},
	{"agent.base_url", modelOf(`base_url = "https://LLM.example:443/v1"`), agentOf, Agent{BaseURL: "https://llm.example/v1"}},
	{"agent.private", modelOf(`private = true`), agentOf, Agent{Private: true}},
	{"agent.secret", modelOf(`secret = "A"`) + "\n[secrets.A]\nenv = \"TOKEN\"", agentOf, Agent{Secret: "A"}},
	{"agent.max_turns", modelOf(`max_turns = 5`), agentOf, Agent{MaxTurns: 5}},
	{"agent.max_tool_calls", modelOf(`max_tool_calls = 6`), agentOf, Agent{MaxToolCalls: 6}},
	{"agent.max_tokens", modelOf(`max_tokens = 70_000`), agentOf, Agent{MaxTokens: 70_000}},
	{"agent.max_output_tokens", modelOf(`max_output_tokens = 800`), agentOf, Agent{MaxOutputTokens: 800}},
	{"agent.timeout", modelOf(`timeout = "5m"`), agentOf, Agent{Timeout: 5 * time.Minute}},
	{"agent.auto_confirm_dangerous", modelOf(`auto_confirm_dangerous = true`), agentOf, Agent{AutoConfirmDangerous: true}},
	{"agent.max_auto_confirm", modelOf(`max_auto_confirm = 3`), agentOf, Agent{MaxAutoConfirm: 3}},
	{"agent.allow_task", modelOf(`allow_task = true`), agentOf, Agent{AllowTask: true}},
	{"agent.allow_question", modelOf(`allow_question = true`), agentOf, Agent{AllowQuestion: true}},
	{"policy.profile", `policy.profile = "coding"`, policyOf, policy.Config{Profile: "coding", Sources: map[string]string{"profile": "wasmtool.toml:1"}}},
	{"policy.allow", "[policy]\nallow = [\n\"grep\",\n\"group:fs\"]", policyOf, policy.Config{Allow: []string{"grep", "group:fs"}, Sources: map[string]string{"allow": "wasmtool.toml:2", "allow[0]": "wasmtool.toml:3", "allow[1]": "wasmtool.toml:4"}}},
	{"policy.deny", `policy.deny = ["*"]`, policyOf, policy.Config{Deny: []string{"*"}, Sources: map[string]string{"deny": "wasmtool.toml:1", "deny[0]": "wasmtool.toml:1"}}},
	{"policy.enable_tool_calls", `policy.enable_tool_calls = false`, policyOf, policy.Config{Off: true, Sources: map[string]string{"off": "wasmtool.toml:1"}}},
	{"policy.ask_outside", `policy.ask_outside = true`, policyOf, policy.Config{AskOutside: true, Sources: map[string]string{}}},
	{"policy.rules.effect", rule(`effect = "ask"`), ruleOf, policy.Rule{Effect: policy.Ask, Tools: []string{"*"}, Source: "wasmtool.toml:1"}},
	{"policy.rules.tools", "[[policy.rules]]\neffect = \"allow\"\ntools = [\"a\", \"b*\"]", ruleOf, policy.Rule{Effect: policy.Allow, Tools: []string{"a", "b*"}, Source: "wasmtool.toml:1"}},
	{"policy.rules.capabilities", rule("effect = \"deny\"\ncapabilities = [\"net:https://*.corp/\"]"), ruleOf, policy.Rule{Tools: []string{"*"}, Capabilities: []string{"net:https://*.corp/"}, Source: "wasmtool.toml:1"}},
	{"policy.rules.reason", rule("effect = \"deny\"\nreason = \"no\""), ruleOf, policy.Rule{Tools: []string{"*"}, Reason: "no", Source: "wasmtool.toml:1"}},
	{"policy.rules.arguments.NAME.equals", match(`equals = { a = [1.50, "x"] }`), ruleOf, matched(policy.Match{Equals: json.RawMessage(`{"a":[1.50,"x"]}`)})},
	{"policy.rules.arguments.NAME.glob", match(`glob = "**/.env"`), ruleOf, matched(policy.Match{Glob: "**/.env"})},
	{"policy.rules.arguments.NAME.prefix", match(`prefix = "src"`), ruleOf, matched(policy.Match{Prefix: "src"})},
	{"policy.rules.arguments.NAME.regexp", match(`regexp = "a+"`), ruleOf, matched(policy.Match{Regexp: "a+"})},
	{"policy.rules.arguments.NAME.missing", match(`regexp = "a", missing = true`), ruleOf, matched(policy.Match{Regexp: "a", Missing: true})},
	{"policy.rules.arguments.NAME.fold_case", match(`regexp = "a", fold_case = true`), ruleOf, matched(policy.Match{Regexp: "a", FoldCase: true})},
	{"shell.allow", `shell.allow = ["npm run *"]`, shellOf, shellcommand.Settings{Allow: []string{"npm run *"}}},
	{"shell.ask", `shell.ask = ["cat *.env"]`, shellOf, shellcommand.Settings{Ask: []string{"cat *.env"}}},
	{"shell.deny", `shell.deny = ["sudo"]`, shellOf, shellcommand.Settings{Deny: []string{"sudo"}}},
	{"shell.confirm_dangerous", `shell.confirm_dangerous = false`, shellOf, shellcommand.Settings{Unconfirmed: true}},
	{"tools.NAME.enabled", "\n[tools.grep]\nenabled = false", toolOf, policy.ToolRule{Enabled: new(bool), Source: "wasmtool.toml:2"}},
	{"tools.NAME.auto_execute", `tools.grep.auto_execute = true`, toolOf, policy.ToolRule{AutoExecute: true, Source: "wasmtool.toml:1"}},
	{"tools.NAME.retry", `tools.grep.retry = true`, optionsOf, ToolOptions{Retry: true}},
	{"tools.NAME.read_only", `tools.grep.read_only = true`, optionsOf, ToolOptions{ReadOnly: true}},
	{"tools.NAME.strict", `tools.grep.strict = true`, optionsOf, ToolOptions{Strict: true}},
	{"tools.NAME.settings.NAME", "\n[tools.grep.settings]\nengine = \"fast\"", func(c *Config) any { return c.Settings("grep") }, map[string]Setting{"engine": {Value: "fast", Source: "wasmtool.toml:3"}}},
	{"tools.NAME.allow", `tools.grep.allow = ["kv:read"]`, grepKV, capability.ModeRead},
	{"tools.NAME.deny", `tools.grep.deny = ["random"]`, grepDeny, capability.Deny{mustWord("random")}},
	{"tools.NAME.digest", `tools.grep.digest = "` + digestA + `"`, func(c *Config) any { return c.Digests()["grep"] }, digestA},
	{"servers.NAME.command", `servers.own.command = ["bin/server", "bin/x"]`, serversOf, map[string]Server{"own": {Command: []string{filepath.Join(directory, "bin", "server"), "bin/x"}, Source: FileName + ":1"}}},
	{"servers.NAME.url", `servers.own = { url = "https://MCP.example:443/mcp" }`, serversOf, map[string]Server{"own": {URL: "https://mcp.example/mcp", Source: FileName + ":1"}}},
	{"servers.NAME.private", `servers.own = { url = "http://mcp.example/", private = true }`, serversOf, map[string]Server{"own": {URL: "http://mcp.example/", Private: true, Source: FileName + ":1"}}},
	{"servers.NAME.secret", "secrets.A.env = \"TOKEN\"\nservers.own = { url = \"https://mcp.example/\", secret = \"A\" }", serversOf, map[string]Server{"own": {URL: "https://mcp.example/", Secret: capability.SecretUse{Name: "A", Header: "Authorization", Prefix: "Bearer "}, Source: FileName + ":2"}}},
	{"servers.NAME.header", "servers.own = { url = \"http://localhost:1/\", secret = \"A\", header = \"X-Key\" }\nsecrets.A.env = \"TOKEN\"", serversOf, map[string]Server{"own": {URL: "http://localhost:1/", Secret: capability.SecretUse{Name: "A", Header: "X-Key"}, Source: FileName + ":1"}}},
	{"servers.NAME.env", `servers.own = { command = ["server"], env = ["TOKEN"] }`, serversOf, map[string]Server{"own": {Command: []string{"server"}, Env: []string{"TOKEN"}, Source: FileName + ":1"}}},
	{"servers.NAME.start_timeout", `servers.own = { command = ["server"], start_timeout = "90s" }`, serversOf, map[string]Server{"own": {Command: []string{"server"}, StartTimeout: 90 * time.Second, Source: FileName + ":1"}}},
	{"tenants.NAME.token_env", `tenants.a.token_env = "T"`, tenantOf, Tenant{Token: SecretSource{Kind: SecretEnv, Env: "T"}}},
	{"tenants.NAME.token_file", `tenants.a.token_file = "t"`, tenantOf, Tenant{Token: SecretSource{Kind: SecretFile, File: filepath.Join(directory, "t")}}},
	{"tenants.NAME.mounts.NAME", `tenants.a.mounts.workspace = "~/a"`, tenantOf, Tenant{Mounts: map[string]string{"workspace": filepath.Join(home, "a")}}},
	{"tenants.NAME.env.NAME", "tenants.a.env.LANG = \"fr\"\nenv.LANG = true", tenantOf, Tenant{Env: map[string]string{"LANG": "fr"}}},
	{"tenants.NAME.secrets.NAME.env", "tenants.a.secrets.K.env = \"T\"\nsecrets.K.env = \"TOKEN\"", tenantOf, Tenant{Secrets: map[string]SecretSource{"K": {Kind: SecretEnv, Env: "T", Source: "wasmtool.toml:1"}}}},
	{"tenants.NAME.secrets.NAME.file", "tenants.a.secrets.K.file = \"k\"\nsecrets.K.env = \"TOKEN\"", tenantOf, Tenant{Secrets: map[string]SecretSource{"K": {Kind: SecretFile, File: filepath.Join(directory, "k"), Source: "wasmtool.toml:1"}}}},
	{"tenants.NAME.deny", `tenants.a.deny = ["clock"]`, tenantOf, Tenant{Deny: capability.Deny{mustWord("clock")}, Lines: map[capability.Permission]string{mustWord("clock"): "wasmtool.toml:1"}}},
	{"tenants.NAME.subjects", `tenants.a.subjects = ["ann"]`, tenantOf, Tenant{Subjects: []string{"ann"}}},
	{"tenants.NAME.groups", `tenants.a.groups = ["staff", "b"]`, tenantOf, Tenant{Groups: []string{"staff", "b"}}},
	{"tenants.NAME.mounts.NAME", "tenants.a.mounts.notes = \"~/a\"\nworkspaces.notes = \"~/notes\"", tenantOf, Tenant{Mounts: map[string]string{"notes": filepath.Join(home, "a")}}},
	{"tenants.NAME.timeout", `tenants.a.timeout = "5s"`, tenantOf, Tenant{MaxTimeout: 5 * time.Second}},
	{"audit.file", `audit.file = "log/audit.jsonl"`, auditOf, Audit{File: filepath.Join(directory, "log", "audit.jsonl"), MaxBytes: 64 << 20, Keep: 8}},
	{"audit.max_size", `audit = { file = "a", max_size = "1MiB" }`, auditOf, Audit{File: filepath.Join(directory, "a"), MaxBytes: 1 << 20, Keep: 8}},
	{"audit.keep", `audit = { file = "a", keep = 0 }`, auditOf, Audit{File: filepath.Join(directory, "a"), MaxBytes: 64 << 20}},
	{"tool_directories", `tool_directories = ["./tools", "~/more"]`, func(c *Config) any { return c.ToolDirectories() }, []ToolDirectory{
		{Path: filepath.Join(directory, "tools"), Name: "tools", Source: FileName + ":1"},
		{Path: filepath.Join(home, "more"), Name: "~/more", Source: FileName + ":1"},
	}},
	{"revoked.digests", `revoked.digests = ["` + digestA + `", "` + strings.ToUpper(digestB) + `"]`, func(c *Config) any { return c.Revoked() }, map[string]bool{digestA: true, digestB: true}},
})

func mustWord(text string) capability.Permission {
	w, err := capability.ParsePermission(text)
	if err != nil {
		panic(err) // a typing error in a test
	}
	return w
}

// rule returns a file with a rule that has the given keys.
func rule(keys string) string { return "[[policy.rules]]\ntools = [\"*\"]\n" + keys }

// match returns a file with a rule that has a condition. matched returns the rule that Decode
// returns for this file.
func match(keys string) string {
	return "[[policy.rules]]\neffect = \"deny\"\narguments = { \"/path\" = { " + keys + " } }"
}

func matched(m policy.Match) policy.Rule {
	return policy.Rule{Arguments: map[string]policy.Match{"/path": m}, Source: "wasmtool.toml:1"}
}

func TestKeysHaveEffects(t *testing.T) {
	empty := mustDecode(t, "")
	for _, tt := range effects {
		c, err := decode(tt.text)
		if err != nil {
			t.Errorf("%s: %v", tt.key, err)
			continue
		}
		if got := tt.of(c); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got %+v, want %+v", tt.key, got, tt.want)
		}
		if reflect.DeepEqual(tt.of(empty), tt.want) {
			t.Errorf("%s: the effect is there without the key", tt.key)
		}
	}
}

// Every key has a test that shows its effect on calls.
func TestKeysHaveTests(t *testing.T) {
	names.CheckKeys(t, "testdata/keys.txt", formatKeys())
}

// effects tests every key of the format, and no others.
func TestEveryKeyIsTested(t *testing.T) {
	tested := make(map[string]bool)
	for _, tt := range effects {
		tested[tt.key] = true
	}
	got, want := slices.Sorted(maps.Keys(tested)), names.Leaves(formatKeys())
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("tested are %q\nthe format has %q", got, want)
	}
}

// The Path of a key in the format is the path of its table, which errors show as a [header].
func TestPathsOfTables(t *testing.T) {
	var check func(path string, k stricttoml.Key)
	check = func(path string, k stricttoml.Key) {
		table := k.Members != nil || k.Entry != nil
		if table && k.Path != path {
			t.Errorf("the table %s has the path %q", path, k.Path)
		}
		if k.Members != nil {
			for _, m := range k.Members() {
				check(path+"."+m.Name, m)
			}
		}
		if k.Entry != nil {
			check(path+"."+stricttoml.AnyName, k.Entry(stricttoml.AnyName))
		}
		if k.Or != nil {
			check(path, *k.Or)
		}
	}
	for _, k := range formatKeys() {
		check(k.Name, k)
	}
}

// An empty file grants read access to the workspace, and access to the clock and randomness.
func TestGrantableOfEmptyFile(t *testing.T) {
	dirs := map[string]string{capability.WorkspaceMount: "/w"}
	want := capability.Grantable{
		Mounts: map[string]capability.Mount{capability.WorkspaceMount: {Dir: "/w", Mode: capability.ModeRead}},
		Env:    map[string]string{}, Clock: true, Random: true, Lines: map[capability.Permission]string{},
	}
	for _, c := range []*Config{{}, mustDecode(t, ""), mustDecode(t, `secrets.A.env = "TOKEN"`)} {
		want.Protected = c.Protected()
		if got := c.Grantable(dirs, ""); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if got := c.Grantable(dirs, "grep"); !reflect.DeepEqual(got, want) {
			t.Errorf("for a tool: got %+v, want %+v", got, want)
		}
	}
	if c := new(Config); c.Ceilings() != (Ceilings{}) || c.Audit() != (Audit{}) || len(c.Digests())+len(c.Revoked())+len(c.Protected())+len(c.Warnings()) != 0 {
		t.Error("the zero value says something")
	}
}

const everything = `
[mounts]
data = "data"
[env]
EDITOR = "vi"
[secrets.A]
env = "TOKEN"
urls = ["https://a.example/"]
[secrets.B]
env = "TOKEN"
[grants]
allow = ["write:workspace", "net:https://a.example/", "secret:B", "env:LANG"]
deny = ["kv:write"]
[tools.grep]
allow = ["write:data", "kv:write", "secret:A"]
[tools.ls]
deny = ["read:data"]
`

func TestOfferFor(t *testing.T) {
	c := mustDecode(t, everything)
	dirs := map[string]string{capability.WorkspaceMount: "/w", "data": "/not/this"}
	common, grep := c.Grantable(dirs, ""), c.Grantable(dirs, " Grep ")
	if got := common.Mounts; !reflect.DeepEqual(got, map[string]capability.Mount{
		"data": {Dir: filepath.Join(directory, "data"), Mode: capability.ModeRead}, capability.WorkspaceMount: {Dir: "/w", Mode: capability.ModeWrite},
	}) {
		t.Errorf("mounts are %v", got)
	}
	if common.KV != capability.ModeNone || common.Env["LANG"] != "de" || len(common.Net) != 1 {
		t.Errorf("the offer is %+v", common)
	}
	if _, ok := common.Secrets["A"]; ok {
		t.Error("a secret is offered to all that is allowed for one tool")
	}
	if grep.Mounts["data"].Mode != capability.ModeWrite || len(grep.Secrets["A"].URLs) != 1 {
		t.Errorf("the offer for grep is %+v", grep)
	}
	ask := capability.Permissions{KV: capability.ModeWrite}
	if _, missing := capability.Intersect(ask, grep); len(missing) == 0 {
		t.Error("what is denied to all is granted to one tool")
	}
}

// Denials for an alias apply to the tool. Permissions for an alias do not, because the author of
// the tool chooses aliases.
func TestGrantableForAliases(t *testing.T) {
	c := mustDecode(t, everything)
	o := c.Grantable(nil, "find", "grep", "ls")
	if o.Mounts["data"].Mode != capability.ModeRead || o.KV != capability.ModeNone {
		t.Errorf("an alias gave: %+v", o)
	}
	if !slices.Contains(o.Deny, word(t, "read:data")) {
		t.Errorf("an alias took nothing: %v", o.Deny)
	}
}

// Changing a Grantable changes neither the Config nor another Grantable.
func TestGrantablesAreSeparate(t *testing.T) {
	c := mustDecode(t, everything)
	want := c.Grantable(nil, "grep")
	spoilt := c.Grantable(nil, "grep")
	clear(spoilt.Mounts)
	clear(spoilt.Env)
	clear(spoilt.Lines)
	spoilt.Secrets["A"].URLs[0] = capability.AnyURL()
	spoilt.Deny[0] = word(t, "clock")
	if err := c.Allow(&spoilt, capability.Bound{}, word(t, "kv:write")); err != nil {
		t.Fatal(err)
	}
	if got := c.Grantable(nil, "grep"); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestLines(t *testing.T) {
	c := mustDecode(t, everything)
	o := c.Grantable(map[string]string{capability.WorkspaceMount: "/w"}, "grep")
	for text, want := range map[string]string{
		"read:data": "wasmtool.toml:3", "write:data": "wasmtool.toml:15", "env:EDITOR": "wasmtool.toml:5", "env:LANG": "wasmtool.toml:12",
		"write:workspace": "wasmtool.toml:12", "secret:A": "wasmtool.toml:15", "kv:write": "wasmtool.toml:13", "clock": "",
	} {
		if got := o.Lines[word(t, text)]; got != want {
			t.Errorf("%s: got line %q, want %q", text, got, want)
		}
	}
}

// A secret that a flag or a remembered approval allows is sent only to its urls.
func TestAllowKeepsSecretsToTheirURLs(t *testing.T) {
	c := mustDecode(t, everything)
	o := c.Grantable(nil, "")
	before := o.Clone()
	err := c.Allow(&o, capability.Bound{}, word(t, "secret:A"), word(t, "write:nowhere"))
	var unbound *capability.UnboundError
	if !errors.As(err, &unbound) || !reflect.DeepEqual(o, before) {
		t.Errorf("error %v, offer %+v", err, o)
	}
	if err := c.Allow(&o, capability.Bound{}, word(t, "secret:A"), word(t, "kv:read")); err != nil {
		t.Fatal(err)
	}
	if got := o.Secrets["A"].URLs; !slices.Equal(got, []capability.URLPattern{pattern("https://a.example/")}) {
		t.Errorf("the secret goes to %v", got)
	}
	if o.KV != capability.ModeRead {
		t.Errorf("the store is offered for %v", o.KV)
	}
}

func TestWarnings(t *testing.T) {
	c := mustDecode(t, "env = { LANG = true, NOT_SET = true, FIXED = \"x\" }\ngrants.allow = [\"env:FIXED\", \"env:NOR_THIS\", \"env:TOKEN\"]\n")
	want := []string{
		"wasmtool.toml:2: the variable NOR_THIS is not set; a tool that asks for it does not run",
		"wasmtool.toml:1: the variable NOT_SET is not set; a tool that asks for it does not run",
	}
	if got := c.Warnings(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	short := mustDecode(t, "secrets = { A = { env = \"LANG\" }, B = { env = \"TOKEN\" }, C = { env = \"NOT_SET\" }, D = { file = \"LANG\" } }\ntenants.a.secrets.B.env = \"LANG\"\n")
	want = []string{
		"wasmtool.toml:1: the secret A has fewer than 8 bytes, so it is not hidden in what servers and tools return",
		"wasmtool.toml:2: the secret B has fewer than 8 bytes, so it is not hidden in what servers and tools return",
	}
	if got := short.Warnings(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	env := c.Grantable(nil, "").Env
	if want := map[string]string{"LANG": "de", "FIXED": "x", "TOKEN": "hunter2hunter2"}; !maps.Equal(env, want) {
		t.Errorf("variables are %v, want %v", env, want)
	}
}

func TestProtected(t *testing.T) {
	c := mustDecode(t, `
[secrets]
F = { file = "~/key" }
G = { command = ["~/bin/get"] }
H = { command = ["pass"] }
[servers]
a.command = ["bin/server"]
b.command = ["npx", "bin/x"]
[audit]
file = "audit.jsonl"
`)
	want := []string{filepath.Join(directory, FileName), filepath.Join(directory, "audit.jsonl"), filepath.Join(home, "key"), filepath.Join(home, "bin", "get"), filepath.Join(directory, "bin", "server")}
	if got := c.Protected(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The policy of a file can be compiled, and its explanations name lines of the file.
func TestPolicyCompiles(t *testing.T) {
	c := mustDecode(t, `
[policy]
profile = "coding"
deny = ["exec"]
[[policy.rules]]
effect = "deny"
capabilities = ["write:*"]
arguments = { "/path" = { glob = "**/.env" } }
reason = "secrets live there"
[tools.grep]
auto_execute = true
`)
	p, err := policy.Compile(c.PolicyConfig(), policy.Known{})
	if err != nil {
		t.Fatal(err)
	}
	if shown, why := p.Visible(policy.ToolFacts{Name: "exec"}); shown || why.Source != "wasmtool.toml:4" {
		t.Errorf("exec: %v, %v", shown, why)
	}
	d := p.Decide(policy.ToolFacts{Name: "grep"}, policy.CallFacts{Capabilities: []capability.Permission{word(t, "write:workspace")}, Arguments: json.RawMessage(`{"path":"a/.env"}`)})
	if d.Effect != policy.Deny || d.By.Source != "wasmtool.toml:5" || d.By.Why != "secrets live there" {
		t.Errorf("decision is %+v", d)
	}
	// The policy also contains a tool whose table in the file has only a digest or only grants.
	p, err = policy.Compile(mustDecode(t, `tools.gerp.deny = ["clock"]`).PolicyConfig(), policy.Known{})
	if warned := p.Warnings(); err != nil || len(warned) != 1 || warned[0].String() != `wasmtool.toml:1: tools.gerp: no tool "gerp" is loaded; did you mean grep?` {
		t.Errorf("the misspelt tool is %v, %v", warned, err)
	}
}

// Changing a returned value does not change the Config.
func TestResultsAreCopies(t *testing.T) {
	c := mustDecode(t, "secrets.A.command = [\"pass\"]\npolicy.allow = [\"a\"]\ntools.a.enabled = false\n"+
		match(`glob = "x"`)+"\ntools = [\"a\"]\ncapabilities = [\"kv:*\"]\n[revoked]\ndigests = [\""+digestA+"\"]")
	p := c.PolicyConfig()
	p.Allow[0], p.Rules[0].Tools[0], p.Rules[0].Capabilities[0] = "z", "z", "z"
	*p.Tools["a"].Enabled = true
	clear(p.Sources)
	clear(p.Rules[0].Arguments)
	c.SecretSources()["A"].Command[0] = "z"
	clear(c.Revoked())
	p = c.PolicyConfig()
	if p.Allow[0] != "a" || p.Rules[0].Tools[0] != "a" || p.Rules[0].Capabilities[0] != "kv:*" || *p.Tools["a"].Enabled || p.Sources["allow"] == "" || len(p.Rules[0].Arguments) == 0 {
		t.Errorf("the policy is %+v", p)
	}
	if c.SecretSources()["A"].Command[0] != "pass" || !c.Revoked()[digestA] {
		t.Error("the rest was changed")
	}
}
