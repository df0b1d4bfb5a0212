package capability

import (
	"reflect"
	"strings"
	"testing"
)

func TestSecretUses(t *testing.T) {
	for _, tt := range []struct {
		use  SecretUse
		says string // "" for no error
	}{
		{SecretUse{Name: "T", Header: "Authorization", Prefix: "Bearer "}, ""},
		{SecretUse{Name: "T", Header: "x-api-key"}, ""},
		{SecretUse{Name: "my-key", Query: "api_key"}, ""},
		{SecretUse{Name: "T", Query: "key[0]"}, ""},
		{SecretUse{Name: "T", Basic: true}, ""},
		{SecretUse{Header: "X"}, "the name is missing"},
		{SecretUse{Name: "any", Header: "X"}, "name each"},
		{SecretUse{Name: "T"}, "exactly one"},
		{SecretUse{Name: "T", Header: "X", Basic: true}, "exactly one"},
		{SecretUse{Name: "T", Header: "X", Query: "x"}, "exactly one"},
		{SecretUse{Name: "T", Basic: true, Prefix: "x"}, "requires header"},
		{SecretUse{Name: "T", Query: "q", Prefix: "x"}, "requires header"},
		{SecretUse{Name: "T", Query: "a=b&c"}, "not a valid parameter name"},
		{SecretUse{Name: "T", Query: "a b"}, "not a valid parameter name"},
		{SecretUse{Name: "T", Header: "X: y"}, "not a valid header name"},
		{SecretUse{Name: "T", Header: "X\r\nY"}, "not a valid header name"},
		{SecretUse{Name: "T", Header: "Größe"}, "not a valid header name"},
		{SecretUse{Name: "T", Header: "X", Prefix: "a\r\n"}, "printable ASCII"},
		{SecretUse{Name: "T", Header: "X", Prefix: " a"}, "printable ASCII"},
		{SecretUse{Name: "T", Header: "X", Prefix: "ä"}, "printable ASCII"},
		{SecretUse{Name: "T", Header: "X", Prefix: strings.Repeat("a", 129)}, "128 bytes"},
		{SecretUse{Name: "T", Header: "HOST"}, "set by the host"},
		{SecretUse{Name: "T", Header: "Content-Length"}, "set by the host"},
		{SecretUse{Name: "T", Header: "transfer-encoding"}, "set by the host"},
		{SecretUse{Name: "T", Header: "Connection"}, "set by the host"},
		{SecretUse{Name: "T", Header: "Proxy-Authorization"}, "set by the host"},
	} {
		err := tt.use.Validate()
		if tt.says == "" && err != nil || tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says)) {
			t.Errorf("%+v: got %v, want %q", tt.use, err, tt.says)
		}
	}
}

func TestPermissionsAreValidated(t *testing.T) {
	api := pattern(t, "https://api.example.com/v1")
	key := SecretUse{Name: "KEY", Header: "X-Key"}
	for _, tt := range []struct {
		name string
		ask  Permissions
		says string // "" for no error
	}{
		{"nothing", Permissions{}, ""},
		{"all", Permissions{KV: ModeWrite, Net: []Net{{URL: api, Methods: []string{"GET", "POST"}, Secrets: []SecretUse{key, {Name: "T", Basic: true}}}}}, ""},
		{"one URL twice with other methods", Permissions{Net: []Net{{URL: api}, {URL: api, Methods: []string{"POST"}}}}, ""},
		{"no such mode", Permissions{KV: 7}, "kv: mode(7)"},
		{"no URL", Permissions{Net: []Net{{}}}, "net[0].url: is missing"},
		{"a method in lower case", Permissions{Net: []Net{{URL: api}, {URL: AnyURL(), Methods: []string{"get"}}}}, "net[1].methods: \"get\" is not a method; did you mean GET?"},
		{"one method twice", Permissions{Net: []Net{{URL: api, Methods: []string{"PUT", "PUT"}}}}, "given twice"},
		{"a bad secret", Permissions{Net: []Net{{URL: api, Secrets: []SecretUse{key, {Name: "T"}}}}}, "net[0].secrets[1]: write exactly one"},
		{"a secret for any host", Permissions{Net: []Net{{URL: AnyURL(), Secrets: []SecretUse{key}}}}, "name the URL"},
		{"one place for two secrets", Permissions{Net: []Net{{URL: api, Secrets: []SecretUse{key, {Name: "T", Header: "x-key"}}}}}, "KEY and T use the same header or query parameter"},
		{"basic and its header", Permissions{Net: []Net{{URL: api, Secrets: []SecretUse{{Name: "A", Basic: true}, {Name: "T", Header: "Authorization"}}}}}, "use the same header"},
		{"one URL twice", Permissions{Net: []Net{{URL: api}, {URL: api, Methods: []string{"POST", "GET"}}}}, "net[1].url: https://api.example.com/v1 is already requested in net[0]"},
	} {
		err := tt.ask.Validate()
		if tt.says == "" && err != nil || tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says)) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.says)
		}
	}
}

func TestRequestsInWords(t *testing.T) {
	api := pattern(t, "https://api.example.com/v1")
	p := Permissions{
		FS: []FS{{Mount: "w", Mode: ModeRead}},
		Net: []Net{
			{URL: api, Secrets: []SecretUse{{Name: "T", Header: "Authorization", Prefix: "Bearer "}, {Name: "K", Query: "key"}}},
			{URL: AnyURL(), Methods: []string{"POST", "GET"}},
			{URL: pattern(t, "https://b.example"), Methods: []string{"GET"}, Secrets: []SecretUse{{Name: "T", Basic: true}}},
		},
		Env: []string{"LANG"}, KV: ModeWrite, Clock: true,
	}
	want := []string{"read:w", "net:https://api.example.com/v1", "net:GET,POST:any", "net:https://b.example/", "secret:T", "secret:K", "env:LANG", "kv:write", "clock"}
	if got := Strings(p.List()); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	want = []string{
		"net:https://api.example.com/v1 (GET) with T in the header Authorization and K in the query as key",
		"net:any (POST, GET)", "net:https://b.example/ (GET) with T as user and password", "secret:T", "secret:K",
		"kv:write", "env:LANG", "read:w at /w", "clock",
	}
	if got := p.Describe(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	clone := p.Clone()
	clone.Net[0].Secrets[0].Name, clone.Net[1].Methods[0], clone.Net[2].URL = "X", "PUT", api
	if got := p.Describe(); !reflect.DeepEqual(got, want) {
		t.Errorf("a change to a clone also changed the original: %q", got)
	}
}
