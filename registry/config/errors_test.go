package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// Each file has one error, which is compared as a whole.
func TestErrors(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for _, tt := range []struct{ text, want string }{
		{`mount = {}`, `1:1: mount: unknown key; did you mean "mounts"?`},
		{`Grants = {}`, `1:1: Grants: unknown key; keys are written in lower case, write "grants"`},
		{`profile = "full"`, `1:1: profile: unknown key here; it belongs in [policy]`},
		{`glob = "x"`, `1:1: glob: unknown key here; it belongs in [policy.rules.arguments.NAME] or in [tenants.NAME.rules.arguments.NAME]`},
		{`mode = "read"`, `1:1: mode: unknown key here; it belongs in [mounts.NAME] or in [workspaces.NAME]`},
		{`allow = []`, `1:1: allow: unknown key here; it belongs in [grants] or in [policy] or in [shell] or in [tools.NAME]`},
		{`zzz = 1`, `1:1: zzz: unknown key; the keys here are tool_directories, mounts, workspaces, env, secrets, grants, limits, policy, shell, tools, servers, agent, tenants, audit, revoked`},
		{`enableToolCalls = false`, `1:1: enableToolCalls: unknown key; write enable_tool_calls in [policy]`},
		{`[tools]` + "\n" + `profile = "coding"`, `2:11: tools.profile: expected a table, got a string; the lists of tools are in [policy]`},
		{`[shell]` + "\n" + `dangerousCommandWhitelist = []`, `2:1: shell.dangerousCommandWhitelist: unknown key; write allow`},
		{`agent = { model = "m" }`, `1:9: agent.provider: missing; add the API of the model, such as provider = "anthropic"`},
		{`mounts = "x"`, `1:10: mounts: expected a table, got a string; write [mounts] on a line of its own, and its keys below`},

		{`mounts.Data = "x"`, `1:8: mounts.Data: "Data" is not the name of a mount; write a lower-case letter, then up to 63 of a-z, 0-9, "_" and "-"`},
		{`mounts.tmp = "x"`, `1:8: mounts.tmp: "tmp" is reserved for the scratch directory of each call; choose another name`},
		{`mounts.a = 1`, `1:12: mounts.a: expected a string or a table, got an integer; write a path in quotes, or { path = "...", mode = "write" }`},
		{"mounts.a = \"x\"\nworkspaces.a = \"x\"", `2:16: workspaces.a: the mount "a" is also defined at wasmtool.toml:1; keep one`},
		{`workspaces.tmp = "x"`, `1:12: workspaces.tmp: "tmp" is reserved for the scratch directory of each call; choose another name`},
		{`mounts.a = ""`, `1:12: mounts.a: is empty; write a path`},
		{`mounts.a = "~you/x"`, `1:12: mounts.a: "~" stands only for your own home directory; write "~/..." or the absolute path`},
		{`mounts.a = "x\u0000"`, `1:12: mounts.a: contains U+0000, a control character, which has an effect on a terminal; leave it out`},
		{`mounts.a = "x\u00a0"`, `1:12: mounts.a: is longer than 4096 bytes, or contains a character that is not printable; write another path`},
		{`mounts.a = "` + long + `"`, `1:12: mounts.a: is longer than 4096 bytes, or contains a character that is not printable; write another path`},
		{`mounts.a = {}`, `1:12: mounts.a.path: missing; add the directory, such as path = "~/data"`},
		{`mounts.a = { path = "x", mode = "rw" }`, `1:33: mounts.a.mode: "rw" is not a valid value; write "read" or "write"`},
		{`mounts.a = { path = "x", write = true }`, `1:26: mounts.a.write: unknown key; the keys here are path, mode`},

		{`env."A-B" = true`, `1:5: env.A-B: "A-B" is not the name of a variable; write up to 128 letters, digits and "_", such as LANG`},
		{`env."*" = true`, `1:5: env."*": there is no permission for all variables; name each one`},
		{`env.PWD = "x"`, `1:5: env.PWD: the host sets this variable to the workspace directory; remove the key`},
		{`env.A = false`, `1:9: env.A: false is not allowed; remove the key, or write true to pass on the variable, or its value in quotes`},
		{`env.A = 424242`, `1:9: env.A: expected true or false or a string, got an integer; write true to pass on the variable, or its value in quotes`},
		{`env.A = "x\u0000"`, `1:9: env.A: contains U+0000, a control character, which has an effect on a terminal; leave it out`},
		{`env.A = "` + strings.Repeat("x", 40_000) + `"`, `1:9: env.A: is 40000 bytes long; the limit is 32768`},

		{`secrets."A B".env = "X"`, `1:9: secrets."A B": "A B" is not the name of a secret; write up to 128 letters, digits, "_" and "-", such as GITHUB_TOKEN`},
		{`secrets.A = {}`, `1:13: secrets.A: write exactly one of env, file, command and keyring`},
		{`secrets.A = { env = "X", file = "x" }`, `1:13: secrets.A: write exactly one of env, file, command and keyring`},
		{`secrets.A = "hunter2"`, `1:13: secrets.A: expected a table, got a string; write [secrets.A] on a line of its own, and its keys below`},
		{`secrets.A.env = "$X"`, `1:17: secrets.A.env: "$X" is not the name of a variable; write up to 128 letters, digits and "_", such as LANG`},
		{`secrets.A.command = "pass show x"`, `1:21: secrets.A.command: expected a list, got a string; write a list of the program and its arguments, such as ["pass", "show", "github"]`},
		{`secrets.A.command = []`, `1:21: secrets.A.command: is empty; write the program and its arguments, such as ["pass", "show", "github"]`},
		{`secrets.A.command = [""]`, `1:22: secrets.A.command[0]: is empty; name a program`},
		{`secrets.A.command = ["a", 1]`, `1:27: secrets.A.command[1]: expected a string, got an integer; write it in quotes`},
		{`secrets.A.command = ["a", "` + long + `"]`, `1:27: secrets.A.command[1]: is longer than 4096 bytes; write a shorter argument`},
		{`secrets.A.command = ["~you/x"]`, `1:22: secrets.A.command[0]: "~" stands only for your own home directory; write "~/..." or the absolute path`},
		{`secrets.A.keyring = "github"`, `1:21: secrets.A.keyring: "github" is not an entry of a keyring; write the service, a slash and the user, such as "github.com/me"`},
		{`secrets.A.keyring = "/me"`, `1:21: secrets.A.keyring: "/me" is not an entry of a keyring; write the service, a slash and the user, such as "github.com/me"`},
		{`secrets.A.keyring = "` + long + `"`, `1:21: secrets.A.keyring: is longer than 256 bytes, or contains a character that is not printable; write another entry`},
		{`tenants."".timeout = "1s"`, `1:9: tenants."": is not the name of a tenant; write up to 255 printable characters`},
		{`tenants.a = { token_env = "A", token_file = "a" }`, `1:13: tenants.a: write either token_env or token_file`},
		{`tenants.a.token = "hunter2"`, `1:11: tenants.a.token: unknown key; the keys here are token_env, token_file, subjects, groups, mounts, env, secrets, deny, rules, timeout`},
		{`tenants.a.mounts.data = "/x"`, `1:18: tenants.a.mounts.data: is not in [mounts]; a tenant can only replace what the file has for all callers`},
		{`tenants.a.env.LANG = "x"`, `1:15: tenants.a.env.LANG: is not in [env]; a tenant can only replace what the file has for all callers`},
		{`tenants.a.secrets.K = { env = "K" }`, `1:19: tenants.a.secrets.K: is not in [secrets]; a tenant can only replace what the file has for all callers`},
		{"secrets.K.env = \"K\"\ntenants.a.secrets.K = {}", `2:23: tenants.a.secrets.K: write exactly one of env and file`},
		{`tenants.a.deny = ["read:data"]`, `1:19: tenants.a.deny[0]: there is no mount "data"; add data = "PATH" to [mounts]`},
		{"tenants.a.subjects = [\"x\"]\ntenants.b.subjects = [\"x\"]", `2:23: tenants.b.subjects[0]: "x" also belongs to the tenant "a"; a user can be only one tenant`},
		{"tenants.a.groups = [\"x\", \"y\"]\ntenants.b.groups = [\"z\", \"y\"]", `2:26: tenants.b.groups[1]: "y" also belongs to the tenant "a"; a user can be only one tenant`},
		{"tenants.a.subjects = [\"b\"]\ntenants.b.timeout = \"1s\"", `2:9: tenants.b: "b" also belongs to the tenant "a"; a user can be only one tenant`},
		{"tenants.b.timeout = \"1s\"\ntenants.a.subjects = [\"b\"]", `2:23: tenants.a.subjects[0]: "b" also belongs to the tenant "b"; a user can be only one tenant`},
		{`tenants.a.groups = ["x", "x"]`, `1:26: tenants.a.groups[1]: "x" is listed twice; keep one`},
		{`tenants.a.groups = [""]`, `1:21: tenants.a.groups[0]: is not a subject or group; write up to 255 printable characters`},
		{"[[tenants.a.rules]]\neffect = \"allow\"\ntools = [\"x\"]", `2:10: tenants.a.rules[0].effect: "allow" is not a valid value; write "ask" or "deny"`},
		{"[[tenants.a.rules]]\neffect = \"deny\"", `1:13: tenants.a.rules[0]: has no condition; add tools, capabilities or arguments, or write tools = ["*"] for every tool`},
		{`tenants.a.allow = ["clock"]`, `1:11: tenants.a.allow: unknown key here; it belongs in [grants] or in [policy] or in [shell] or in [tools.NAME]`},
		{`servers.a = {}`, `1:13: servers.a: write either command, such as command = ["npx", "-y", "some-mcp-server"], or url`},
		{`servers.a = { command = ["x"], url = "https://a.example/" }`, `1:13: servers.a: write either command, such as command = ["npx", "-y", "some-mcp-server"], or url`},
		{`servers.a = { url = "https://a.example/", env = ["X"] }`, `1:49: servers.a.env: is allowed only with command; leave it out`},
		{`servers.a = { url = "https://a.example/", header = "X-Key" }`, `1:52: servers.a.header: is allowed only with secret; leave it out`},
		{`servers.a = { url = "any" }`, `1:21: servers.a.url: matches more than one server; write https://HOST/PATH`},
		{`servers.a = { url = "https://a.example/?key=hunter2" }`, `1:21: servers.a.url: a pattern has no query and no fragment; end it with the path`},
		{`servers.a = { url = "https://a.example/", secret = "X" }`, `1:52: servers.a.secret: is not a secret of this file; add [secrets.X]`},
		{"secrets.X.env = \"X\"\nservers.a = { url = \"http://a.example/\", secret = \"X\" }", `2:21: servers.a.url: is plain http, which would reveal the secret; write https`},
		{"secrets.X.env = \"X\"\nagent = { provider = \"openai\", model = \"m\", base_url = \"http://a.example/\", secret = \"X\" }", `2:56: agent.base_url: is plain http, which would reveal the secret; write https`},
		{`agent = { provider = "ollama", model = "m" }`, `1:22: agent.provider: "ollama" is not a valid value; write "anthropic" or "gemini" or "mistral" or "openai" or "openai-responses"; openai and base_url also fit compatible servers, such as Ollama and vLLM`},
		{"servers.a = { url = \"https://a.example/\", secret = \"X\" }\nsecrets.X = { env = \"X\", urls = [\"https://b.example/\"] }", `1:21: servers.a.url: is not among the urls of the secret X; add it there`},
		{`secrets.A = { env = "X", urls = [] }`, `1:33: secrets.A.urls: is empty; name the URLs that the secret may be sent to, or leave the key out for all granted URLs`},
		{`secrets.A = { env = "X", urls = ["any"] }`, `1:34: secrets.A.urls[0]: a secret cannot be sent to "any" host; name the URLs`},
		{`secrets.A = { env = "X", urls = ["https://me:hunter2@example.com/?k=hunter2"] }`, `1:34: secrets.A.urls[0]: a pattern has no query and no fragment; end it with the path`},
		{`secrets.A = { env = "X", ttl = "10ms" }`, `1:32: secrets.A.ttl: "10ms" is out of range; write a time from 1s to 24h`},
		{`secrets.A = { env = "X", ttl = 10 }`, `1:32: secrets.A.ttl: expected a string, got an integer; write "10s"`},
		{`secrets.A = { env = "X", value = "hunter2" }`, `1:26: secrets.A.value: unknown key; the keys here are env, file, command, keyring, urls, ttl`},

		{`grants.allow = "kv:read"`, `1:16: grants.allow: expected a list, got a string; write ["kv:read"]`},
		{`grants.allow = ["wriet:workspace"]`, `1:17: grants.allow[0]: permission "wriet:workspace": "wriet" is not a kind of permission; did you mean write?`},
		{`grants.allow = ["kv:read", "kv:read"]`, `1:28: grants.allow[1]: kv:read is listed twice; keep one`},
		{`grants.allow = ["net:https://a.example/", "net:https://A.example"]`, `1:43: grants.allow[1]: net:https://a.example/ is listed twice; keep one`},
		{`grants.allow = ["write:worksapce"]`, `1:17: grants.allow[0]: there is no mount "worksapce"; did you mean "workspace"?`},
		{`grants.deny = ["read:zzz"]`, `1:16: grants.deny[0]: there is no mount "zzz"; add zzz = "PATH" to [mounts]`},
		{`grants.allow = ["secret:A"]`, `1:17: grants.allow[0]: there is no secret "A"; add [secrets.A]`},
		{`tools.grep.deny = ["secret:A"]`, `1:20: tools.grep.deny[0]: there is no secret "A"; add [secrets.A]`},

		{`limits.memory = "5GiB"`, `1:17: limits.memory: "5GiB" is out of range; write a size from 64KiB to 4GiB`},
		{`limits.memory = 64`, `1:17: limits.memory: expected a string, got an integer; write "64MiB"`},
		{`limits.fuel = 1`, `1:15: limits.fuel: 1 is out of range; write a whole number from 10_000 to 1_000_000_000_000_000`},
		{`limits.open_files = 0`, `1:21: limits.open_files: 0 is out of range; write a whole number from 1 to 1024`},
		{`limits.http_requests = 0`, `1:24: limits.http_requests: 0 is out of range; write a whole number from 1 to 1000`},
		{`limits.timeout = "2h"`, `1:18: limits.timeout: "2h" is out of range; write a time from 1ms to 1h`},
		{`limits.total_memory = "0B"`, `1:23: limits.total_memory: "0B" is out of range; write a size from 64KiB to 1024GiB`},
		{`limits.idle_memory = "2000GiB"`, `1:22: limits.idle_memory: "2000GiB" is out of range; write a size from 0B to 1024GiB`},
		{`limits.calls = 0`, `1:16: limits.calls: 0 is out of range; write a whole number from 1 to 1_000_000`},
		{`limits.waiting = -1`, `1:18: limits.waiting: -1 is out of range; write a whole number from 0 to 1_000_000`},

		{`policy.profile = "coder"`, `1:18: policy.profile: "coder" is not a valid value; write "minimal" or "messaging" or "coding" or "full"`},
		{`policy.allow = [""]`, `1:17: policy.allow[0]: is empty, or longer than 2048 bytes; write a name or a pattern`},
		{`policy.deny = ["a", "a"]`, `1:21: policy.deny[1]: "a" is listed twice; keep one`},
		{`policy.enable_tool_calls = "false"`, `1:28: policy.enable_tool_calls: expected true or false, got a string; write true or false, without quotes`},
		{`policy.rules = {}`, `1:16: policy.rules: expected a list, got a table; write [[policy.rules]] on a line of its own, and its keys below`},
		{rule(""), `1:10: policy.rules[0].effect: missing; add effect = "deny"`},
		{rule(`effect = "forbid"`), `3:10: policy.rules[0].effect: "forbid" is not a valid value; write "allow" or "ask" or "deny"`},
		{"[[policy.rules]]\neffect = \"ask\"", `1:10: policy.rules[0]: has no condition; add tools, capabilities or arguments, or write tools = ["*"] for every tool`},
		{rule("effect = \"ask\"\nreason = \"\""), `4:10: policy.rules[0].reason: is empty, or longer than 500 bytes; write a short reason`},
		{rule("effect = \"ask\"\narguments = { path = { glob = \"x\" } }"), `4:15: policy.rules[0].arguments.path: is not a JSON pointer; write "/path"`},
		{rule("effect = \"ask\"\narguments = { \"/path\" = \"x\" }"), `4:25: policy.rules[0].arguments."/path": expected a table, got a string; write a condition, such as { glob = "**/.env" }`},
		{match(`glob = "x", prefix = "y"`), `3:25: policy.rules[0].arguments."/path": write exactly one of equals, glob, prefix and regexp`},
		{match(`missing = true`), `3:25: policy.rules[0].arguments."/path": write exactly one of equals, glob, prefix and regexp`},
		{match(`equals = nan`), `3:36: policy.rules[0].arguments."/path".equals: JSON has no nan; leave the key out or write a number`},
		{match(`globs = "x", regexp = "y"`), `3:27: policy.rules[0].arguments."/path".globs: unknown key; did you mean "glob"?`},

		{`shell.allow = ["npm run *", ""]`, `1:29: shell.allow[1]: is empty, or longer than 256 bytes; write a command, such as "npm run *"`},
		{`shell.allow = ["sudo *"]`, `1:16: shell.allow[0]: "sudo *" is never allowed; remove it`},
		{`shell.deny = ["a | b"]`, `1:15: shell.deny[0]: "a | b" contains a character that has a meaning in the shell; a pattern is the words of one command`},
		{`shell.ask = ["a\u202eb"]`, `1:14: shell.ask[0]: contains U+202E, a bidirectional control, which shows text in an order that is not the order of its characters; leave it out`},
		{`shell.ask = ["a\u00a0b"]`, `1:14: shell.ask[0]: "a\u00a0b" contains a character that is not printable; remove it`},
		{`shell.confirm_dangerous = "no"`, `1:27: shell.confirm_dangerous: expected true or false, got a string; write true or false, without quotes`},

		{`tools."group:fs" = {}`, `1:7: tools."group:fs": is a group or a pattern; name one tool here, or write a rule in [[policy.rules]]`},
		{`tools."" = {}`, `1:7: tools."": is not the name of a tool; write up to 128 printable characters`},
		{`tools.Grep = {}`, `1:7: tools.Grep: is not in lower case, or has spaces at an end; write [tools.grep]`},
		{`tools.grep.enabled = 1`, `1:22: tools.grep.enabled: expected true or false, got an integer; write true or false, without quotes`},
		{`tools.grep.digest = "` + strings.Repeat("A", 64) + `"`, `1:21: tools.grep.digest: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA…" has no algorithm; write "sha256:` + strings.Repeat("a", 64) + `"`},
		{`tools.grep.digest = "sha256:x"`, `1:21: tools.grep.digest: "sha256:x" is not a digest; write "sha256:" and 64 hexadecimal digits`},

		{`audit = {}`, `1:9: audit.file: missing; add the path of the audit file, such as file = "audit.jsonl"`},
		{`audit = { file = "a", max_size = "1KiB" }`, `1:34: audit.max_size: "1KiB" is out of range; write a size from 64KiB to 1024GiB`},
		{`audit = { file = "a", keep = 1001 }`, `1:30: audit.keep: 1001 is out of range; write a whole number from 0 to 1000`},
		{`revoked.digests = ["sha1:x"]`, `1:20: revoked.digests[0]: "sha1:x" is not a digest; write "sha256:" and 64 hexadecimal digits`},
		{`grants.allow = [` + strings.Repeat(`"clock",`, 257) + `]`, `1:16: grants.allow: has 257 elements; the limit is 256`},
	} {
		_, err := decode(tt.text)
		if err == nil || err.Error() != FileName+":"+tt.want {
			t.Errorf("%.100s\ngives %v\nwant  %s:%s", tt.text, err, FileName, tt.want)
		}
		if err != nil && (strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "424242")) {
			t.Errorf("%s: the error repeats a value: %v", tt.text, err)
		}
	}
}

// No table accepts a key that it does not list.
func TestUnknownKeysEverywhere(t *testing.T) {
	for _, table := range []string{"", "mounts.a", "secrets.A", "grants", "limits", "policy", "shell", "tools.a", "audit", "revoked"} {
		text := "qqqqqqqqqq = 1"
		if table != "" {
			text = "[" + table + "]\n" + text
		}
		wantError(t, text, "qqqqqqqqqq: unknown key")
	}
	wantError(t, rule(`qqqqqqqqqq = 1`), "policy.rules[0].qqqqqqqqqq: unknown key")
	wantError(t, match(`qqqqqqqqqq = 1`), `policy.rules[0].arguments."/path".qqqqqqqqqq: unknown key`)
}

func wantError(t *testing.T, text, want string) {
	t.Helper()
	_, err := decode(text)
	var errs Errors
	if !errors.As(err, &errs) || !strings.Contains(err.Error(), want) {
		t.Errorf("%s\ngives %v, want %s", text, err, want)
	}
	for _, e := range errs {
		if e.Line == 0 {
			t.Errorf("%s: %v has no place", text, e)
		}
	}
}

func TestAllErrorsAtOnce(t *testing.T) {
	_, err := decode("[limits]\nfuel = 1\ncalls = 0\n[grants]\nallow = [\"x\", \"y\"]\n")
	var errs Errors
	if !errors.As(err, &errs) || len(errs) != 4 {
		t.Errorf("got %v, want four errors", err)
	}
}

// A syntax error does not quote the value, which can be a secret.
func TestSyntaxErrorsRepeatNoValue(t *testing.T) {
	for _, value := range []string{
		"hunter2", `"hunter2`, `"hunter2\q"`, `"hunter2\u12"`, `"x" hunter2`, "12hunter2", "1979-13-40hunter2", "99999999999999999999hunter2",
		"'''hunter2", "[hunter2]", "nanhunter2", "\"hunter2\"\nenv.A = \"hunter2\"", "true\nhunter2",
	} {
		if _, err := decode("env.A = " + value); err == nil || strings.Contains(err.Error(), "hunter") {
			t.Errorf("%s gives %v", value, err)
		}
	}
}

func TestHomeIsNotKnown(t *testing.T) {
	none := func(string) (string, bool) { return "", false }
	_, err := Decode(File{Path: filepath.Join(directory, FileName), Name: FileName}, []byte(`mounts.a = "~/x"`), none)
	if want := "wasmtool.toml:1:12: mounts.a: the home directory is unknown; write the absolute path"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// FuzzLoad reads a file from disk. Every error must have a line and column, and must contain no
// host path and no value of a variable.
func FuzzLoad(f *testing.F) {
	for _, tt := range effects {
		f.Add([]byte(tt.text))
	}
	f.Add([]byte(everything))
	f.Add([]byte("mounts = { a = \"~\", b = 1 }\nenv.TOKEN = \"\\u0000\"\n[secrets.A]\ncommand = [\"./x\"]\nurls = [\"any\"]"))
	path := filepath.Join(privateDir(f), FileName)
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load(File{Path: path, Name: FileName, Named: true}, getenv)
		if err == nil {
			_ = fmt.Sprint(c.Grantable(map[string]string{capability.WorkspaceMount: "/w"}, "grep", "ls"), c.PolicyConfig(), c.Ceilings(), c.Audit(), c.SecretSources(), c.Warnings(), c.Protected())
			return
		}
		var errs Errors
		if !errors.As(err, &errs) || len(errs) == 0 {
			t.Fatalf("error %v is no Errors", err)
		}
		lines := strings.Split(string(text), "\n")
		for _, e := range errs {
			shown := e.Error()
			if e.Message == "" || strings.ContainsAny(shown, "\n\x1b") || strings.Contains(shown, filepath.Dir(path)) || strings.Contains(shown, "hunter2hunter2") {
				t.Errorf("bad text: %q", shown)
			}
			if e.Line > len(lines) || (e.Line > 0 && (e.Column < 1 || e.Column > len([]rune(lines[e.Line-1]))+1)) {
				t.Errorf("%v is not in the file", e)
			}
		}
	})
}
