package config

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestValues(t *testing.T) {
	c := mustDecode(t, `limits.memory = "1MiB"
mounts = { a = "/a", b_c = { path = "/b", mode = "write" } }
[env]
LANG = true
TOKEN = "hunter2"
[tools.grep]
deny = ["clock"]
[[policy.rules]]
effect = "deny"
tools = ["x"]
arguments = { "/p" = { equals = 0x10 } }
[secrets.A]
command = ["echo", "hunter2"]
[servers.b]
command = ["npx", "--key=hunter2"]
[servers.c]
url = "https://example.com/hunter2"
[agent]
provider = "openai"
model = "m"
base_url = "https://example.com/hunter2"
`)
	var lines []string
	for _, v := range Values(c) {
		text := string(v.Value)
		if v.Hidden {
			text += "hidden"
		}
		if v.Value == nil {
			text += v.Default
		}
		lines = append(lines, v.Key+" = "+text+" # "+v.Source)
	}
	for _, want := range []string{
		`limits.memory = "1MiB" # wasmtool.toml:1`, `limits.fuel = none # default`, `limits.timeout = "1h" # default`,
		`mounts.a = "/a" # wasmtool.toml:2`, `mounts.b_c.mode = "write" # wasmtool.toml:2`,
		`env.LANG = true # wasmtool.toml:4`, `env.TOKEN = hidden # wasmtool.toml:5`,
		`tools.grep.deny = ["clock"] # wasmtool.toml:7`,
		`policy.rules[0].effect = "deny" # wasmtool.toml:9`, `policy.rules[0].arguments."/p".equals = 16 # wasmtool.toml:11`,
		`secrets.A.command = hidden # wasmtool.toml:13`, `servers.b.command = hidden # wasmtool.toml:15`,
		`agent.max_turns = 50 # default`, `audit = no record # default`,
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("no line %s in\n%s", want, strings.Join(lines, "\n"))
		}
	}
	text, err := json.Marshal(Values(c))
	if err != nil || strings.Contains(string(text), "hunter2") {
		t.Errorf("%s, %v", text, err)
	}
}

// Without a file, only defaults hold.
func TestValuesOfNoFile(t *testing.T) {
	for _, c := range []*Config{{}, mustDecode(t, "")} {
		values := Values(c)
		if len(values) == 0 || slices.ContainsFunc(values, func(v Value) bool { return v.Source != "default" }) {
			t.Errorf("%+v", values)
		}
	}
}
