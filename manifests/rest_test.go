package manifests

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// request is a valid manifest that ends inside [rest], so that tests can add keys.
const request = head + "[rest]\nbase_url = \"https://API.example.com:443/v1/\"\n"

func TestDecodeREST(t *testing.T) {
	m := mustDecode(t, request+`
method = "POST"
path = "/repos/{owner}/issues"
body = ["title"]
output = "json"
select = "/a~1b/0"
query = { state = "{state}" }
[rest.headers]
X-Id = "id-{state}"
[[rest.secrets]]
name = "TOKEN"
header = "Authorization"
[limits]
output = "2MiB"
http_requests = 2
[parameters]
type = "object"
required = ["owner"]
[parameters.properties]
owner = {}
title = {}
state = {}
`)
	r := m.REST
	if r == nil || r.BaseURL != "https://api.example.com/v1" || r.Method != "POST" || r.Path.String() != "/repos/{owner}/issues" {
		t.Fatalf("got %+v", r)
	}
	if !reflect.DeepEqual(r.Body, Body{Kind: BodyFields, Parameters: []string{"title"}}) || r.Output != RESTJSON || !reflect.DeepEqual(r.Select, []string{"a/b", "0"}) {
		t.Errorf("got %+v", r)
	}
	if len(r.Query) != 1 || r.Query[0].Name != "state" || len(r.Headers) != 1 || r.Headers[0].Value.String() != "id-{state}" {
		t.Errorf("query %+v, headers %+v", r.Query, r.Headers)
	}
	if !reflect.DeepEqual(r.Named(), map[string]bool{"owner": true, "state": true}) {
		t.Errorf("named: %v", r.Named())
	}
	url, err := capability.ParseURLPattern("https://api.example.com/v1/repos/")
	if err != nil {
		t.Fatal(err)
	}
	// The permissions allow only the tool's own request.
	want := capability.Permissions{Net: []capability.Net{{
		URL: url, Methods: []string{"POST"}, Secrets: []capability.SecretUse{{Name: "TOKEN", Header: "Authorization"}},
	}}}
	if !reflect.DeepEqual(m.Permissions, want) {
		t.Errorf("asks for %+v\nwant     %+v", m.Permissions, want)
	}
	if m.Limits.Output != 2<<20 || m.Limits.HTTPRequests != 2 {
		t.Errorf("limits: %+v", m.Limits)
	}
}

// The URL in the permissions includes the part of the path that is the same in every call.
func TestRESTPermissions(t *testing.T) {
	const parameters = "[parameters]\ntype = \"object\"\nrequired = [\"x\"]\n[parameters.properties.x]\n"
	for path, want := range map[string]string{
		"":             "net:https://api.example.com/v1",
		"/a/b":         "net:https://api.example.com/v1/a/b",
		"/a/":          "net:https://api.example.com/v1/a/",
		"/{x}":         "net:https://api.example.com/v1/",
		"/a/b{x}/c":    "net:https://api.example.com/v1/a/",
		"/a/b:{x}":     "net:https://api.example.com/v1/a/",
		"/é/{x}":       "net:https://api.example.com/v1/%C3%A9/",
		"/{{a}}/{x}/c": "net:https://api.example.com/v1/%7Ba%7D/",
	} {
		text := request
		if path != "" {
			text += "path = \"" + path + "\"\n"
		}
		if strings.Contains(path, "{x}") {
			text += parameters
		}
		if got := mustDecode(t, text).Permissions.String(); got != want {
			t.Errorf("%s asks for %s, want %s", path, got, want)
		}
	}
}

// A request whose URL and method are arguments lists its permissions, as a program does.
func TestRESTWithURLAndMethodAsArguments(t *testing.T) {
	m := mustDecode(t, head+`[rest]
url = "{url}"
method = "{method}"
extra_headers = "{headers}"
body = "{body}"
[[permissions.net]]
url = "https://api.example.com/"
methods = ["GET", "DELETE"]
[[permissions.net.secrets]]
name = "TOKEN"
basic = true
[[permissions.net]]
url = "any"
[parameters]
type = "object"
required = ["url", "method"]
properties = { url = {}, method = {}, headers = {}, body = {} }
`)
	if r := m.REST; r.URLFrom != "url" || r.Method != "" || r.MethodFrom != "method" || r.HeadersFrom != "headers" || r.BaseURL != "" || !r.Varies() {
		t.Errorf("got %+v", r)
	}
	if got := m.Permissions.String(); got != "net:DELETE,GET:https://api.example.com/, net:any, secret:TOKEN" {
		t.Errorf("asks for %s", got)
	}
	_, err := Decode("tool.toml", []byte(head+"[rest]\nmethod = \"GET\"\n"))
	if err == nil || !strings.Contains(err.Error(), "rest.base_url: missing; add a URL") {
		t.Errorf("without a URL: %v", err)
	}
}

// Each case has one invalid key, which is the only error.
func TestDecodeBadREST(t *testing.T) {
	const x = "[parameters]\ntype = \"object\"\n[parameters.properties.x]\n"
	const needsX = "[parameters]\ntype = \"object\"\nrequired = [\"x\"]\n[parameters.properties.x]\n"
	const anyNet = "[[permissions.net]]\nurl = \"any\"\n"
	for _, tc := range []struct{ keys, want string }{
		{`path = "a"`, `rest.path: "a" does not begin with a slash`},
		{`path = "/a?b={x}"` + "\n" + x, `rest.path: "/a?b={x}" contains a "?" or "#"; move the query to [rest.query]`},
		{`path = "/a/../b"`, `rest.path: "/a/../b" has "." or ".." between slashes`},
		{`path = "/a/%2e%2e/b"`, `rest.path: "/a/%2e%2e/b" has "." or ".."`},
		{`path = "//evil.example"`, "rest.path: the path begins with two slashes"},
		{`path = "/a%2fb"`, "rest.path: the path has an encoded slash"},
		{`path = "/100%"`, "rest.path: \"/100%\" is not the path of a URL; write %25"},
		{`path = "/a*"`, `rest.path: the path is a prefix already; leave out the "*"`},
		{`path = "/{"`, `rest.path: a "{" without its "}"`},
		{`path = "/{y}"`, `rest.path: "{y}" is not a parameter`},
		{`path = "/{x}"` + "\n" + x, `rest.path: "{x}" may be missing in a call, but the path needs it; make it required`},
		{`path = "/` + strings.Repeat("a", 4096) + `"`, "rest.path: is 4097 bytes long; the limit is 4096"},
		{`method = "get"`, `rest.method: "get" is not a method; did you mean GET?`},
		{`url = "https://api.example.com/"`, `rest.url: "https://api.example.com/" is not one parameter; write one "{parameter}", or base_url and path`},
		{"url = \"{x}\"\n" + needsX, `rest.url: is an argument; list the URLs and methods that calls may use as [[permissions.net]]`},
		{"url = \"{x}\"\npath = \"/a\"\n" + anyNet + needsX, `rest.path: url is the whole URL; remove path`},
		{"url = \"{x}\"\n" + anyNet + x, `rest.url: "{x}" may be missing in a call, but the url needs it; make it required`},
		{"url = \"{x}\"\nmethod = \"POST\"\n" + anyNet + needsX, `rest.method: no entry of [[permissions.net]] lists POST; add it to methods`},
		{"url = \"{x}\"\nsecrets = [{ name = \"T\", basic = true }]\n" + anyNet + needsX, `rest.secrets: url or method is an argument; write each secret as [[permissions.net.secrets]]`},
		{"url = \"{x}\"\n[permissions]\nclock = true\n" + anyNet + needsX, `permissions.clock: is only for programs, but the tool is a request`},
		{"url = \"{x}\"\nextra_headers = \"{y}\"\n" + anyNet + needsX, `rest.extra_headers: "{y}" is not a parameter`},
		{"method = \"{x}\"\n" + anyNet + needsX + "enum = [\"GET\", \"PUT\"]", `rest.method: the parameter "x" allows "PUT", but no entry of [[permissions.net]] lists it`},
		{`path = "{url}"`, `rest.path: "{url}" does not begin with a slash; add the slash`},
		{`baseUrl = "https://api.example.com"`, `rest.baseUrl: unknown key; did you mean "base_url"?`},
		{"method = \"{x}\"\n" + needsX, `rest.method: is an argument; list the URLs and methods that calls may use as [[permissions.net]]`},
		{`body = "json"`, "rest.body: a GET request has no body; remove body, or write another method"},
		{`body = []`, `rest.body: is empty; name parameters, or write "json" for all others`},
		{"method = \"PUT\"\nbody = [\"y\"]", `rest.body[0]: "{y}" is not a parameter`},
		{"method = \"PUT\"\nbody = \"xml\"", `rest.body: "xml" is not a valid value; write "json" or "none"`},
		{"method = \"PUT\"\nbody = true", "rest.body: expected a string or a list, got true or false"},
		{`query = { "" = "x" }`, `rest.query."": has no name`},
		{`query = { "a\u0007" = "x" }`, "the key contains U+0007"},
		{`query = { a = 1 }`, `rest.query.a: expected a string, got an integer; write "1"`},
		{`headers = { Host = "x" }`, "rest.headers.Host: the header Host may not be set: leave it out"},
		{`headers = { X-HTTP-Method-Override = "DELETE" }`, "the header X-Http-Method-Override may not be set"},
		{`headers = { accept-encoding = "br" }`, "rest.headers.accept-encoding: the host sets this header"},
		{`headers = { "a b" = "x" }`, "a header name is malformed"},
		{`headers = { A = "x\ny" }`, "rest.headers.A: contains a line break"},
		{`headers = { Accept = "a", accept = "b" }`, `rest.headers.accept: is the same header as "Accept"; keep one`},
		{"headers = { authorization = \"x\" }\nsecrets = [{ name = \"T\", basic = true }]", "rest.headers.authorization: the secret T is sent in the same place"},
		{"query = { key = \"x\" }\nsecrets = [{ name = \"T\", query = \"key\" }]", "rest.query.key: the secret T is sent in the same place"},
		{`secrets = [{ name = "T" }]`, "rest.secrets[0]: write exactly one of header, query and basic"},
		{`output = "result"`, `rest.output: "result" is not a valid value; write "text" or "json"`},
		{`select = "items"`, `rest.select: "items" is not a JSON pointer; write /NAME`},
		{`select = "/a~2"`, `rest.select: "/a~2" is not a JSON pointer; write ~0 for ~`},
		{"output = \"text\"\nselect = \"/a\"", `rest.output: select and [result] cannot describe "text"`},
		{"output = \"text\"\n[result]\ntype = \"object\"", `rest.output: select and [result] cannot describe "text"`},
		{`base = "x"`, "rest.base: unknown key"},
		{"[limits]\nmemory = \"1MiB\"", "limits.memory: is only for programs, but the tool is a request; leave it out"},
		{"[limits]\nfuel = 10_000", "limits.fuel: is only for programs"},
		{"[permissions]\nclock = true", "permissions: a tool with [rest] asks only for its own request"},
		{"[module]\npath = \"a.wasm\"", "rest: the manifest has [module] as well; keep one of the two"},
		{x, `parameters.properties.x: the request does not use the parameter "x"; name it in path, query, headers or body`},
	} {
		_, err := Decode("tool.toml", []byte(request+tc.keys+"\n"))
		var errs Errors
		if !errors.As(err, &errs) || len(errs) != 1 || !strings.Contains(errs[0].Error(), tc.want) {
			t.Errorf("%s\ngives %v\nwant one error with %s", tc.keys, err, tc.want)
		}
	}
	for base, want := range map[string]string{
		"any":                         "matches more than one host",
		"https://*.example.com/":      "matches more than one host",
		"https://u:p@example.com/":    "there is a name or password",
		"https://example.com/?a=b":    "no query",
		"ftp://example.com/":          "is not supported",
		"https://example.com/a/%2e/b": "",
	} {
		text := strings.Replace(request, "https://API.example.com:443/v1/", base, 1)
		if _, err := Decode("tool.toml", []byte(text)); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("base_url %q gives %v, want %q", base, err, want)
		}
	}
}

func TestLoadREST(t *testing.T) {
	own := strings.Replace(request, "[rest]", "parameters_file = \"p.json\"\n[rest]", 1) + "path = \"/{id}\"\n"
	for schema, want := range map[string]string{
		`{"type":"object","required":["id"],"properties":{"id":{}}}`:            "",
		`{"type":"object","required":["id"],"properties":{"id":{},"spare":{}}}`: `parameters_file: the request does not use the parameter "spare"`,
		`{"type":"object","properties":{"id":{}}}`:                              `rest.path: "{id}" may be missing in a call`,
		`{"type":"object"}`: `rest.path: "{id}" is not a parameter`,
	} {
		directory := EmbeddedDirectory(fstest.MapFS{"tool.toml": {Data: []byte(own)}, "p.json": {Data: []byte(schema)}})
		m, module, err := Load(directory, "tool.toml")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %v, want %q", schema, err, want)
		}
		if err == nil && (m.REST == nil || module != nil) {
			t.Errorf("got %+v and a module of %d bytes", m, len(module))
		}
	}
}
