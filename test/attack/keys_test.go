package attack

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/zalando/go-keyring"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// key is a call whose result changes with a key of the operator's file. In its strings, DIR stands
// for the path of a directory with the files a.txt, sub/a.txt, other/a.txt and other/deep/a.txt,
// and DIGEST stands for the digest of the tool.
type key struct {
	name string
	// asked is appended to the tool's manifest. The operator's file ends with always in both cases.
	asked, always string
	// The operator's file begins with one of two strings: "with" sets the key, and "without" omits
	// the key or gives it another value. "gives" and "instead" are the results of the call with
	// these two files.
	with, without  string
	gives, instead string
	steps          []step
	path           string        // an argument
	timeout        time.Duration // the timeout of the call without the key
	warm           bool          // the tool has a warm-up
	linux          bool          // the key has an effect only on Linux
}

const (
	auto       = "[tools.script]\nauto_execute = true\n"
	asksData   = "[[permissions.fs]]\nmount = \"data\"\nmode = %q\n"
	asksSecret = "[[permissions.net]]\nurl = \"http://api.example.com/\"\nsecrets = [{ name = \"TOKEN\", header = \"X-Token\" }]\n"
	hasSecret  = auto + "[grants]\nallow = [\"net:http://api.example.com/\", \"secret:TOKEN\"]\n"
	// asksAll requests all workspaces; givesMain provides the one that it names.
	asksAll   = "[[permissions.fs]]\nmount = \"workspace\"\nmode = %q\nothers = true\n"
	givesMain = "mounts.workspace = { path = 'DIR/sub', mode = \"write\" }\n"
	// runsScripts declares that the argument path of a tool is a script.
	runsScripts = "shell = \"{path}\"\n[[permissions.fs]]\nmount = \"data\"\nmode = \"write\"\n"
	givesData   = "mounts.data = { path = 'DIR', mode = \"write\" }\n"
	denies      = "[[policy.rules]]\neffect = \"deny\"\n"
)

// paths returns a rule that denies calls whose argument path matches.
func paths(match string) string { return denies + "arguments = { \"/path\" = { " + match + " } }\n" }

func keys() []key {
	reads, sends, hogs := []step{{Do: "file", Text: "/data/a.txt"}}, []step{get("http://api.example.com/")}, []step{{Do: "exists", Text: "x", Times: 40 << 20}}
	return []key{
		{name: "mounts.NAME", asked: fmt.Sprintf(asksData, "read"), with: "mounts.data = 'DIR'\n", steps: reads, gives: "in the folder", instead: "not granted: read:data"},
		{name: "mounts.NAME.path", asked: fmt.Sprintf(asksData, "read"), with: "mounts.data = { path = 'DIR/sub' }\n", without: "mounts.data = { path = 'DIR' }\n", steps: reads, gives: "below it", instead: "in the folder"},
		{name: "mounts.NAME.mode", asked: fmt.Sprintf(asksData, "write"), always: auto, with: "mounts.data = { path = 'DIR', mode = \"write\" }\n", without: "mounts.data = { path = 'DIR' }\n", steps: []step{{Do: "create", Text: "/data/new", More: ptr("written")}, {Do: "file", Text: "/data/new"}}, gives: "written", instead: "not granted: write:data"},
		{name: "env.NAME", asked: "[permissions]\nenv = [\"GREETING\"]\n", always: auto, with: "[env]\nGREETING = \"hello\"\n", steps: []step{{Do: "env"}}, gives: "GREETING=hello", instead: "not granted: env:GREETING"},

		{name: "secrets.NAME.env", asked: asksSecret, always: hasSecret, with: "secrets.TOKEN.env = \"TOKEN\"\n", without: "secrets.TOKEN.env = \"OTHER\"\n", steps: sends, gives: "got [of-the-environment]", instead: "got nothing"},
		{name: "secrets.NAME.file", asked: asksSecret, always: hasSecret, with: "secrets.TOKEN.file = 'DIR/a.txt'\n", without: "secrets.TOKEN.file = 'DIR/none'\n", steps: sends, gives: "got [in the folder]", instead: "got nothing"},
		{name: "secrets.NAME.command", asked: asksSecret, always: hasSecret, with: "secrets.TOKEN.command = [\"go\", \"env\", \"GOARCH\"]\n", without: "secrets.TOKEN.command = [\"go\", \"no-such-command\"]\n", steps: sends, gives: "got [" + runtime.GOARCH + "]", instead: "got nothing"},
		{name: "secrets.NAME.keyring", asked: asksSecret, always: hasSecret, with: "secrets.TOKEN.keyring = \"service/user\"\n", without: "secrets.TOKEN.keyring = \"service/other\"\n", steps: sends, gives: "got [of-the-keyring]", instead: "got nothing"},
		{name: "secrets.NAME.urls", asked: asksSecret, always: hasSecret, with: "secrets.TOKEN = { env = \"TOKEN\", urls = [\"http://api.example.com/v2\"] }\n", without: "secrets.TOKEN = { env = \"TOKEN\" }\n", steps: sends, gives: "got []", instead: "got [of-the-environment]"},

		{name: "grants.allow", asked: fmt.Sprintf(storeAsked, "read"), with: "grants.allow = [\"kv:read\"]\n", steps: []step{{Do: "list"}}, gives: "ended: ", instead: "not granted: kv:read"},
		{name: "grants.deny", asked: fmt.Sprintf(storeAsked, "read"), with: "grants = { allow = [\"kv:read\"], deny = [\"kv:read\"] }\n", without: "grants = { allow = [\"kv:read\"] }\n", steps: []step{{Do: "list"}}, gives: "not granted: kv:read", instead: "ended: "},

		{name: "limits.memory", with: "limits.memory = \"32MiB\"\n", steps: hogs, gives: "33554432 bytes", instead: "ended: "},
		{name: "limits.fuel", with: "limits.fuel = 50_000_000\n", steps: []step{{Do: "spin"}}, timeout: 300 * time.Millisecond, gives: "50000000 units of fuel", instead: "timeout"},
		// A mount outside [workspaces] is not visible to a tool that requests all workspaces.
		{name: "workspaces.NAME", asked: fmt.Sprintf(asksAll, "read"), always: givesMain, with: "workspaces.data = 'DIR/other'\n", without: "mounts.data = 'DIR/other'\n", steps: reads, gives: "beside it", instead: "ended: "},
		{name: "workspaces.NAME.path", asked: fmt.Sprintf(asksAll, "read"), always: givesMain, with: "workspaces.data = { path = 'DIR/other' }\n", without: "workspaces.data = { path = 'DIR/other/deep' }\n", steps: reads, gives: "beside it", instead: "deep inside"},
		{name: "workspaces.NAME.mode", asked: fmt.Sprintf(asksAll, "write"), always: givesMain + auto, with: "workspaces.data = { path = 'DIR/other', mode = \"write\" }\n", without: "workspaces.data = { path = 'DIR/other' }\n", steps: []step{{Do: "create", Text: "/data/new", More: ptr("written")}, {Do: "file", Text: "/data/new"}}, gives: "written", instead: "ended: "},
		{name: "limits.open_files", asked: fmt.Sprintf(asksData, "read"), always: "mounts.data = 'DIR'\n", with: "limits.open_files = 3\n", steps: []step{{Do: "open", Text: "/data/a.txt", Repeat: 10}}, gives: "Try again", instead: `"code":0}`},
		{name: "limits.http_requests", asked: anywhereAsked, always: anywhereGiven, with: "limits.http_requests = 2\n", steps: []step{get("http://a.example.com/"), get("http://a.example.com/"), get("http://a.example.com/")}, gives: "more than 2 requests", instead: "got []got []got []"},
		// With fuel for hours, the call reaches its time limit. Without the key, it runs out of
		// fuel, even on a slow machine.
		{name: "limits.timeout", with: "limits = { timeout = \"50ms\", fuel = 1_000_000_000_000_000 }\n", without: "limits = { fuel = 50_000_000 }\n", steps: []step{{Do: "spin"}}, gives: "timeout", instead: "units of fuel"},
		{name: "limits.total_memory", with: "limits.total_memory = \"1MiB\"\n", gives: "of all guests together", instead: "ended: "},
		{name: "limits.idle_memory", warm: true, linux: true, with: "limits.idle_memory = \"0B\"\n", steps: []step{{Do: "kept"}}, gives: `{"code":0}`, instead: "BAB"},

		{name: "policy.profile", with: "policy.profile = \"minimal\"\n", gives: "switched off", instead: "ended: "},
		{name: "policy.allow", with: "policy.allow = [\"other\"]\n", without: "policy.allow = [\"scr*\"]\n", gives: "switched off", instead: "ended: "},
		{name: "policy.deny", with: "policy.deny = [\"script\"]\n", gives: "switched off", instead: "ended: "},
		{name: "policy.enable_tool_calls", with: "policy.enable_tool_calls = false\n", gives: "switched off", instead: "ended: "},
		{name: "policy.rules.effect", with: "[[policy.rules]]\ntools = [\"script\"]\neffect = \"deny\"\n", without: "[[policy.rules]]\ntools = [\"script\"]\neffect = \"allow\"\n", gives: "permission_denied", instead: "ended: "},
		{name: "policy.rules.tools", with: denies + "tools = [\"script\"]\n", without: denies + "tools = [\"other\"]\n", gives: "permission_denied", instead: "ended: "},
		{name: "policy.rules.capabilities", asked: "[permissions]\nclock = true\n", with: denies + "capabilities = [\"clock\"]\n", without: denies + "capabilities = [\"random\"]\n", gives: "permission_denied", instead: "ended: "},
		{name: "policy.rules.reason", with: denies + "tools = [\"script\"]\nreason = \"not on Sundays\"\n", without: denies + "tools = [\"script\"]\n", gives: "not on Sundays", instead: "permission_denied"},
		{name: "policy.rules.arguments.NAME.equals", path: "a/b", with: paths(`equals = "a/b"`), without: paths(`equals = "a"`), gives: "permission_denied", instead: "ended: "},
		{name: "policy.rules.arguments.NAME.glob", path: "a/b", with: paths(`glob = "**/b"`), without: paths(`glob = "*/c"`), gives: "permission_denied", instead: "ended: "},
		{name: "policy.rules.arguments.NAME.prefix", path: "a/b", with: paths(`prefix = "a"`), without: paths(`prefix = "a/bb"`), gives: "permission_denied", instead: "ended: "},
		{name: "policy.rules.arguments.NAME.regexp", path: "a/b", with: paths(`regexp = ".*b"`), without: paths(`regexp = "b"`), gives: "permission_denied", instead: "ended: "},
		{name: "policy.rules.arguments.NAME.missing", with: paths(`equals = "a", missing = true`), without: paths(`equals = "a"`), gives: "permission_denied", instead: "ended: "},
		{name: "policy.rules.arguments.NAME.fold_case", path: "A", with: paths(`regexp = "a", fold_case = true`), without: paths(`regexp = "a"`), gives: "permission_denied", instead: "ended: "},

		{name: "shell.allow", asked: runsScripts, always: givesData, path: "npm run build", with: "shell.allow = [\"npm run *\"]\n", without: "shell.allow = [\"npm test *\"]\n", gives: "ended: ", instead: "approval_required"},
		{name: "shell.ask", asked: runsScripts, always: givesData, path: "cat a.env", with: "shell.ask = [\"cat *.env\"]\n", gives: "approval_required", instead: "ended: "},
		{name: "shell.deny", asked: runsScripts, always: givesData, path: "git log --all", with: "shell.deny = [\"git log\"]\n", gives: "permission_denied", instead: "ended: "},
		{name: "shell.confirm_dangerous", asked: runsScripts, always: givesData + auto, path: "rm a", with: "shell.confirm_dangerous = false\n", gives: "ended: ", instead: "approval_required"},

		{name: "tools.NAME.enabled", with: "tools.script.enabled = false\n", gives: "switched off", instead: "ended: "},
		{name: "tools.NAME.auto_execute", asked: "dangerous = true\n", with: "tools.script.auto_execute = true\n", gives: "ended: ", instead: "approval_required"},
		{name: "tools.NAME.allow", asked: fmt.Sprintf(storeAsked, "read"), with: "tools.script.allow = [\"kv:read\"]\n", without: "tools.other.allow = [\"kv:read\"]\n", gives: "ended: ", instead: "not granted: kv:read"},
		{name: "tools.NAME.deny", asked: "[permissions]\nclock = true\n", with: "tools.script.deny = [\"clock\"]\n", without: "tools.other.deny = [\"clock\"]\n", gives: "not granted: clock", instead: "ended: "},
		{name: "tools.NAME.digest", with: "tools.script.digest = \"sha256:" + strings.Repeat("0", 64) + "\"\n", without: "tools.script.digest = \"DIGEST\"\n", gives: "pinned", instead: "ended: "},
		{name: "revoked.digests", with: "revoked.digests = [\"DIGEST\"]\n", without: "revoked.digests = [\"sha256:" + strings.Repeat("0", 64) + "\"]\n", gives: "revoked", instead: "ended: "},
	}
}

// Each key of the operator's file has its effect on calls, and without the key there is no such
// effect. registry/config/testdata/keys.txt lists the tests of all keys.
func TestKeysOfTheOperatorsFile(t *testing.T) {
	keyring.MockInit() // no other code in this process uses the keyring
	if err := keyring.Set("service", "user", "of-the-keyring"); err != nil {
		t.Fatal(err)
	}
	digest, err := newLab(t, setup{}).tools.Digest(t.Context(), "script")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys() {
		t.Run(k.name, func(t *testing.T) {
			if k.linux && runtime.GOOS != "linux" {
				t.Skip("memory cannot be reset on this system")
			}
			t.Parallel()
			with, without := k.try(t, k.with, digest), k.try(t, k.without, digest)
			if !strings.Contains(with, k.gives) {
				t.Errorf("with it: %s\nwant %q", with, k.gives)
			}
			if !strings.Contains(without, k.instead) || strings.Contains(without, k.gives) {
				t.Errorf("without it: %s\nwant %q and not %q", without, k.instead, k.gives)
			}
		})
	}
}

// Each key of a rule of a tenant has its effect on calls of that tenant, as in a rule of the
// policy, and no effect on calls of others.
func TestRulesOfTenants(t *testing.T) {
	tried := 0
	for _, k := range keys() {
		if !strings.HasPrefix(k.name, "policy.rules.") {
			continue
		}
		tried++
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, setup{
				tools:    map[string]string{"script": k.asked, "other": ""},
				operator: strings.ReplaceAll(k.with, "policy.rules", "tenants.blue.rules") + "[tenants.red]\n",
			})
			for tenant, want := range map[string]string{"blue": k.gives, "red": "<nil>", "": "<nil>", "green": "does not have the tenant"} {
				call := script("script", append([]step{}, k.steps...)...)
				if call.Tenant = tenant; k.path != "" {
					call.Arguments = fmt.Appendf(nil, `{"path":%q}`, k.path)
				}
				_, err := l.execute(t, call)
				if got := fmt.Sprintf("%s: %v", tool.CodeOf(err), err); !strings.Contains(got, want) {
					t.Errorf("%s got %s, want %q", tenant, got, want)
				}
			}
		})
	}
	if tried < 10 {
		t.Errorf("only %d keys were tried", tried)
	}
}

// try makes the call with an operator's file, and returns the result and what the server received.
func (k key) try(t *testing.T, file, digest string) string {
	dir := t.TempDir()
	for name, content := range map[string]string{"a.txt": "in the folder", "sub/a.txt": "below it", "other/a.txt": "beside it", "other/deep/a.txt": "deep inside"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := newWorld(t, func(http.ResponseWriter, *http.Request) {})
	l := newLab(t, setup{
		tools:    map[string]string{"script": k.asked, "other": ""},
		operator: strings.NewReplacer("DIR", filepath.ToSlash(dir), "DIGEST", digest).Replace(file + k.always),
		env:      map[string]string{"TOKEN": "of-the-environment"},
		http:     w.options(), warm: k.warm,
	})
	call := script("script", append([]step{}, k.steps...)...)
	if k.path != "" {
		call.Arguments = fmt.Appendf(nil, `{"path":%q}`, k.path)
	}
	if file == k.without {
		call.Timeout = k.timeout
	}
	result, err := l.execute(t, call)
	if err != nil {
		return fmt.Sprintf("%s: %v", tool.CodeOf(err), err)
	}
	outcome := "ended: " + string(result.Structured)
	for _, r := range w.requests() {
		outcome += fmt.Sprint("got ", r.Header["X-Token"])
	}
	if len(w.asked()) == 0 {
		outcome += "got nothing"
	}
	return outcome
}
