package manifests

import (
	"errors"
	"maps"
	"strings"
	"testing"
)

// chooses is a manifest whose network permissions depend on settings.
const chooses = minimal + `
[settings.provider]
description = "The service."
values = ["a", "own"]
default = "a"

[settings.own_url]
description = "Where it is."
default = ""

[[permissions.net]]
url = "https://a.example/"
when = { provider = "a" }
[[permissions.net.secrets]]
name = "KEY"
header = "Authorization"

[[permissions.net]]
url = "{own_url}"
when = { provider = "own" }
`

func TestConfigure(t *testing.T) {
	m := mustDecode(t, chooses)
	tests := []struct {
		name   string
		values map[string]string
		asks   string
		err    string
	}{
		{"nothing chosen", nil, "net:https://a.example/, secret:KEY", ""},
		{"the default chosen", map[string]string{"provider": "a", "own_url": "https://unused.example/"}, "net:https://a.example/, secret:KEY", ""},
		{"another ask", map[string]string{"provider": "own", "own_url": "http://localhost:8888/search"}, "net:http://localhost:8888/search", ""},
		{"any host", map[string]string{"provider": "own", "own_url": "any"}, "net:any", ""},
		{"a URL that is not set", map[string]string{"provider": "own"}, "", "own_url: is not valid as the URL of a network permission: it names no host"},
		{"a URL that is none", map[string]string{"provider": "own", "own_url": "localhost"}, "", "own_url: is not valid as the URL of a network permission: it does not begin with a scheme"},
		{"no such setting", map[string]string{"provder": "own"}, "", "provder: the tool has no such setting; it has own_url, provider"},
		{"no such value", map[string]string{"provider": "b"}, "", `provider: "b" is not a valid value; write "a" or "own"`},
		{"a long value", map[string]string{"own_url": strings.Repeat("x", MaxSettingBytes+1)}, "", "own_url: is 4097 bytes long"},
		{"a hidden character", map[string]string{"own_url": "https://a.example/\u202e"}, "", "own_url: contains U+202E, a bidirectional control"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := m.Configure(tt.values)
			if tt.err != "" {
				var e *SettingError
				if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), tt.err) {
					t.Errorf("got %v, want %s", err, tt.err)
				}
				return
			}
			if err != nil || got.Permissions.String() != tt.asks {
				t.Fatalf("asks for %v, %v; want %s", got, err, tt.asks)
			}
			want := map[string]string{"provider": "a", "own_url": ""}
			maps.Copy(want, tt.values)
			if values := got.SettingValues(); !maps.Equal(values, want) {
				t.Errorf("got %v, want %v", values, want)
			}
		})
	}
	if asks := m.Permissions.String(); asks != "net:https://a.example/, secret:KEY" || m.SettingValues()["provider"] != "a" {
		t.Errorf("the manifest itself asks for %s and has %v", asks, m.Settings)
	}
}

// A secret is sent only to the server that the operator has chosen, and never to an arbitrary host.
func TestConfigureSecretNeedsHost(t *testing.T) {
	m := mustDecode(t, minimal+`
settings.url = { description = "Where.", default = "https://api.example/" }
permissions.net = [{ url = "{url}", secrets = [{ name = "KEY", query = "k" }] }]`)
	if asks := m.Permissions.String(); asks != "net:https://api.example/, secret:KEY" {
		t.Errorf("asks for %s", asks)
	}
	_, err := m.Configure(map[string]string{"url": "any"})
	if err == nil || !strings.Contains(err.Error(), `a secret cannot be sent to "any" host`) {
		t.Errorf("got %v", err)
	}
	twice := mustDecode(t, minimal+`
settings.url = { description = "Where.", default = "https://api.example/" }
permissions.net = [{ url = "{url}" }, { url = "https://fixed.example/", secrets = [{ name = "KEY", query = "k" }] }]`)
	_, err = twice.Configure(map[string]string{"url": "https://fixed.example/"})
	if err == nil || !strings.Contains(err.Error(), "is already requested in net[0]") {
		t.Errorf("an ask that takes the requests of another: %v", err)
	}
}

func TestDecodeSettings(t *testing.T) {
	const setting = `settings.a = { description = "A.", default = "x", values = ["x", "y"] }` + "\n"
	const net = `permissions.net = [{ url = "https://a.example/", `
	tests := []struct{ name, text, want string }{
		{"no description", `settings.a = { default = "" }`, "settings.a.description: missing"},
		{"no default", `settings.a = { description = "A." }`, "settings.a.default: missing"},
		{"an unknown key", `settings.a = { description = "A.", default = "", type = "text" }`, "type: unknown key"},
		{"a default that is not there", `settings.a = { description = "A.", default = "z", values = ["x"] }`, `settings.a.default: "z" is not a valid value; write "x"`},
		{"a name that is none", `settings."a!" = { description = "A.", default = "" }`, "is not a name"},
		{"when of no setting", setting + net + `when = { b = "x" } }]`, `permissions.net[0].when.b: "b" is not a setting of the tool; it has a`},
		{"when of no value", setting + net + `when = { a = "z" } }]`, `permissions.net[0].when.a: "z" is not a valid value`},
		{"a URL of no setting", setting + `permissions.net = [{ url = "{b}" }]`, `permissions.net[0].url: "b" is not a setting`},
		{"a URL that is in part one", setting + `permissions.net = [{ url = "https://{a}/" }]`, "permissions.net[0].url:"},
		{"a default that is no URL", setting + `permissions.net = [{ url = "{a}" }]`, "permissions.net[0].url: the default of the setting a is not valid as the URL"},
		{"an ask of the file, not of the list", setting + `permissions.net = [{ url = "https://b.example/", when = { a = "y" } }, { url = "https://a.example/" }, { url = "https://a.example/" }]`, "permissions.net[2].url: "},
		{"a plug-in", setting + `module.abi = "extism"`, "settings: only programs with the ABI command or reactor can read settings"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Decode("tool.toml", []byte(minimal+tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	if _, err := Decode("tool.toml", []byte(strings.Replace(minimal, "module.path", "x.module.path", 1)+setting+`rest.base_url = "https://a.example"`)); err == nil || !strings.Contains(err.Error(), "settings: only programs") {
		t.Errorf("a request with settings: %v", err)
	}
}
