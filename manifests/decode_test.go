package manifests

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/placeholder"
)

var update = flag.Bool("update", false, "rewrite the expected errors in testdata/bad")

// TestDecodeBad compares the errors of each testdata/bad/*.toml with the lines of the .txt file of
// the same name.
func TestDecodeBad(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test data: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".toml"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m, err := Decode("tool.toml", data)
			if err == nil || m != nil {
				t.Fatalf("Decode = %v, %v, want an error", m, err)
			}
			got := err.Error() + "\n"
			golden := strings.TrimSuffix(file, ".toml") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("errors:\n%swant:\n%s", got, want)
			}
		})
	}
}

// head is the beginning of a valid manifest, to which tests add keys.
const head = `manifest = 1
name = "demo"
version = "1.0.0"
description = "A demo."
`

const minimal = head + "module.path = \"demo.wasm\"\n"

func mustDecode(t testing.TB, text string) *Manifest {
	t.Helper()
	m, err := Decode("tool.toml", []byte(text))
	if err != nil {
		t.Fatalf("Decode: %v", err)
	}
	return m
}

func mustTemplate(t testing.TB, text string) placeholder.Template {
	t.Helper()
	template, err := placeholder.Parse(text)
	if err != nil {
		t.Fatalf("placeholder.Parse(%q): %v", text, err)
	}
	return template
}

func mustURL(t testing.TB, text string) capability.URLPattern {
	t.Helper()
	url, err := capability.ParseURLPattern(text)
	if err != nil {
		t.Fatalf("ParseURLPattern(%q): %v", text, err)
	}
	return url
}

func TestDecodeMinimal(t *testing.T) {
	m := mustDecode(t, minimal)
	if m.Parameters == nil || len(m.Parameters.Parameters()) != 0 {
		t.Errorf("Parameters = %v, want a schema without parameters", m.Parameters)
	}
	m.Parameters, m.places = nil, nil
	want := &Manifest{
		Name: "demo", Version: "1.0.0", Title: "demo", Description: "A demo.", Digest: m.Digest,
		Timeout: 30 * time.Second,
		Module:  Module{Path: "demo.wasm"},
		Limits:  Limits{Memory: 64 << 20, Output: 1 << 20, OpenFiles: 64, HTTPRequests: 20},
	}
	if !reflect.DeepEqual(m, want) {
		t.Errorf("manifest = %+v, want %+v", m, want)
	}
}

func TestDecodeFull(t *testing.T) {
	digest := strings.Repeat("aB", 32)
	m := mustDecode(t, head+`
title = "The demo"
category = "test"
tags = ["one", "two-2"]
aliases = ["other_name"]
timeout = "1m30s"
dangerous = true
confirm = "Really {query}? {{yes}}"
polling = true
changes = "{query}"

[module]
path = "../shared/demo.wasm"
sha256 = "`+digest+`"
abi = "command"
args = ["--limit={limit}", "{query}", "{query}", "plain"]
stub_imports = ["env.abort", "a.b.c"]
stdin = "{query}"
output = "result"

[limits]
memory = "128KiB"
output = "64MiB"
fuel = 5_000_000_000
open_files = 0x10
http_requests = 1_000

[permissions]
env = ["LANG", "_x1"]
kv = "write"
clock = true
random = true

[[permissions.fs]]
mount = "workspace"
mode = "read"
deny = ["**/.env", ".git/**", "[*]"]
others = true

[[permissions.fs]]
mount = "data"
mode = "write"
at = "/workspace2/data"

[[permissions.fs]]
mount = "tmp"
mode = "write"

[[permissions.net]]
url = "https://api.example.com/v1"
methods = ["GET", "POST"]
[[permissions.net.secrets]]
name = "TOKEN"
header = "Authorization"
prefix = "Bearer "
[[permissions.net.secrets]]
name = "KEY"
query = "key"

[[permissions.net]]
url = "http://*.example.org"
secrets = [{ name = "LOGIN", basic = true }]

[[permissions.net]]
url = "any"

[parameters]
type = "object"
properties = { query = { type = "string" }, limit = { type = "integer", default = 20 } }

[result]
type = "object"
`)
	var names []string
	for _, p := range m.Parameters.Parameters() {
		names = append(names, p.Name)
	}
	if want := []string{"query", "limit"}; !reflect.DeepEqual(names, want) {
		t.Errorf("parameters = %q, want %q in the order of the file", names, want)
	}
	if m.Result == nil {
		t.Error("Result is nil")
	}
	m.Parameters, m.Result, m.places = nil, nil, nil
	want := &Manifest{
		Name: "demo", Version: "1.0.0", Title: "The demo", Description: "A demo.", Digest: m.Digest,
		Category: "test", Tags: []string{"one", "two-2"}, Aliases: []string{"other_name"},
		Timeout: 90 * time.Second, Dangerous: true,
		Confirm: mustTemplate(t, "Really {query}? {{yes}}"), Polling: true, Changes: "query",
		Module: Module{
			Path: "../shared/demo.wasm", SHA256: strings.ToLower(digest), ABI: ABICommand,
			Args: []placeholder.Argument{
				{Template: mustTemplate(t, "--limit={limit}")},
				{Template: mustTemplate(t, "{query}")},
				{Template: mustTemplate(t, "{query}")},
				{Template: mustTemplate(t, "plain")},
			},
			Stdin:  Stdin{Kind: StdinParameter, Parameter: "query"},
			Output: OutputResult, StubImports: []string{"env.abort", "a.b.c"},
		},
		Limits: Limits{Memory: 128 << 10, Output: 64 << 20, Fuel: 5_000_000_000, OpenFiles: 16, HTTPRequests: 1000},
		Permissions: capability.Permissions{
			FS: []capability.FS{
				{Mount: "workspace", Mode: capability.ModeRead, Deny: []string{"**/.env", ".git/**", "[*]"}, Others: true},
				{Mount: "data", Mode: capability.ModeWrite, At: "/workspace2/data"},
				{Mount: capability.ScratchMount, Mode: capability.ModeWrite},
			},
			Net: []capability.Net{
				{
					URL: mustURL(t, "https://api.example.com/v1"), Methods: []string{"GET", "POST"},
					Secrets: []capability.SecretUse{{Name: "TOKEN", Header: "Authorization", Prefix: "Bearer "}, {Name: "KEY", Query: "key"}},
				},
				{URL: mustURL(t, "http://*.example.org/"), Secrets: []capability.SecretUse{{Name: "LOGIN", Basic: true}}},
				{URL: capability.AnyURL()},
			},
			KV:  capability.ModeWrite,
			Env: []string{"LANG", "_x1"}, Clock: true, Random: true,
		},
	}
	for _, net := range want.Permissions.Net {
		want.asks = append(want.asks, ask{net: net})
	}
	if !reflect.DeepEqual(m, want) {
		t.Errorf("manifest = %+v\nwant %+v", m, want)
	}
}

func TestDecodeAccepts(t *testing.T) {
	for name, text := range map[string]string{
		"kv none":             minimal + `permissions.kv = "none"`,
		"basic that is not":   minimal + `permissions.net = [{url = "https://a.example/", secrets = [{name = "A", basic = false, query = "k"}]}]`,
		"stdin none":          minimal + `module.stdin = "none"`,
		"one mount at /":      minimal + "[[permissions.fs]]\nmount = \"w\"\nmode = \"read\"\nat = \"/\"",
		"mounts side by side": minimal + `permissions.fs = [{mount = "a", mode = "read"}, {mount = "ab", mode = "read"}]`,
		"description of many lines": "manifest = 1\nname = \"a\"\nversion = \"0.0.1-rc.1+b\"\nmodule.path = \"./x/y.wasm\"\n" +
			"description = \"\"\"\nOne.\n\tTwo: é, 日本.\n\"\"\"",
		"parameters_file":        minimal + `parameters_file = "schemas/p.json"` + "\nconfirm = \"{checked_when_loaded}\"",
		"an env like another":    minimal + `permissions.env = ["lang", "LANG"]`,
		"CRLF":                   strings.ReplaceAll(minimal, "\n", "\r\n"),
		"largest description":    strings.Replace(minimal, "A demo.", strings.Repeat("x", 4096), 1),
		"name of 64":             strings.Replace(minimal, "demo\"", "d"+strings.Repeat("x", 63)+"\"", 1),
		"schema keys are free":   minimal + "[parameters]\ntype = \"object\"\nTimeuot = 1\nproperties = {}\n\"x-Foo\" = {Name = 1}",
		"format in other digits": strings.Replace(minimal, "= 1", "= 0x1", 1),
	} {
		t.Run(name, func(t *testing.T) { mustDecode(t, text) })
	}
}

// Each case has one invalid value, and a part of the error that it must cause.
func TestDecodeValues(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, tc := range []struct{ line, want string }{
		{`title = "` + long + `"`, "title: is 300 bytes long; the limit is 128"},
		{`title = "two\nlines"`, "title: contains U+000A, a line break"},
		{`title = "zero\u2028width"`, "title: contains U+2028"},
		{`title = "tag\U000E0041"`, "title: contains U+E0041"},
		{`title = "  "`, "title: is empty"},
		{`confirm = "{}"`, `confirm: "{}" names no parameter`},
		{`confirm = "{x}"`, `confirm: "{x}" is not a parameter; declare it`},
		{`confirm = "a\tb"`, "confirm: contains U+0009"},
		{`category = "a/b"`, `category: "a/b" is not a name`},
		{`category = ".."`, `category: ".." is not a name`},
		{`category = "аdmin"`, "category: \"аdmin\" is not a name"}, // a Cyrillic letter
		{`category = "` + long + `"`, `…" is not a name`},
		{`aliases = ["demo"]`, `aliases[0]: "demo" is the tool's own name`},
		{`aliases = ["wasmtool"]`, `aliases[0]: "wasmtool" is reserved`},
		{`parameters = { type = "object", properties = { p = { type = "string", x-path = "read" } } }`, "x-path: needs [[permissions.fs]] with mount = \"workspace\", mode = \"read\" and others = true"},
		{`parameters = { type = "object", properties = { p = { type = "integer", x-path = "read" } } }`, "x-path: needs a parameter of type string, got integer"},
		{`tags = [` + strings.Repeat(`"a", `, 65) + `]`, "tags: has 65 elements; the limit is 64"},
		{`timeout = "0s"`, `timeout: "0s" is out of range; write a time from 1ms to 1h`},
		{`timeout = "61m"`, "out of range"},
		{`timeout = 1.5`, `write "1.5s"`},
		{`timeout = 1_000`, `write "1000s"`},
		{`timeout = -5`, `write "10s"`},
		{`timeout = inf`, `write "10s"`},
		{`timeout = "5"`, `"5" has no unit; write "5s"`},
		{`timeout = "1d"`, "is not a time"},
		{`timeout = "+5s"`, "is not a time"},
		{`timeout = "5µs"`, "is not a time"},
		{`timeout = "99999999999999999999s"`, "is not a time"},
		{`timeout = 10:00:00`, `expected a string, got a date or time; write "10:00:00"`},
		{`limits.memory = "64"`, `"64" has no unit or an unknown one; write "64MiB"`},
		{`limits.memory = "65536"`, `write "65536B"`},
		{`limits.memory = "100KiB"`, `not a whole number of 64KiB pages; write "128KiB"`},
		{`limits.memory = "0B"`, "out of range; write a size from 64KiB to 4GiB"},
		{`limits.memory = "5GiB"`, "out of range"},
		{`limits.memory = "9999999999999999999GiB"`, "out of range"},
		{`limits.memory = "99999999999999999999GiB"`, "is not a size"},
		{`limits.memory = "-1MiB"`, "is not a size"},
		{`limits.memory = "1.5MiB"`, "is not a size"},
		{`limits.memory = "64 mib"`, `write "64MiB"`},
		{`limits.memory = 1.5`, `write "64MiB"`},
		{`limits.output = "65MiB"`, "from 1B to 64MiB"},
		{`limits.fuel = "5_000"`, `limits.fuel: expected an integer, got a string; write a whole number in digits, such as 10_000`},
		{`limits.fuel = 5e9`, `limits.fuel: expected an integer, got a decimal number; write a whole number in digits`},
		{`limits.fuel = 0`, `limits.fuel: 0 is out of range; write a whole number from 10_000 to 1_000_000_000_000_000`},
		{`limits.fuel = 1_000_000_000_000_001`, "limits.fuel: 1_000_000_000_000_001 is out of range"},
		{`limits.open_files = 0`, "limits.open_files: 0 is out of range; write a whole number from 1 to 1024"},
		{`limits.open_files = -1`, "limits.open_files: -1 is out of range"},
		{`limits.open_files = 0x401`, "limits.open_files: 0x401 is out of range"},
		{`limits.open_files = 0b` + strings.Repeat("0", 300) + "0", "limits.open_files: 0b" + strings.Repeat("0", 46) + "… is out of range"},
		{`limits.http_requests = 0`, "limits.http_requests: 0 is out of range; write a whole number from 1 to 1000"},
		{`fuel = 10_000`, "fuel: unknown key here; it belongs in [limits]"},
		{`warm = {}`, "warm: unknown key here; it belongs in [module]"},
		{`limits = "1MiB"`, "limits: expected a table, got a string; write [limits] on a line of its own"},
		{`module.output = ""`, `module.output: "" is not a valid value; write "text" or "json" or "result" or "details"`},
		{`module.output = "details"`, `module.output: "details" are described by a schema; add [result], or write "result"`},
		{`module.stdin = "x{y}"`, `module.stdin: "x{y}" is not a valid value`},
		{`module.stdin = "{y}"`, `module.stdin: "{y}" is not a parameter`},
		{`changes = "query"`, "is not one parameter"},
		{`changes = "{nothing}"`, "is not a parameter"},
		{`polling = "yes"`, "polling"},
		{`module.stdin = "{y} "`, "is not one parameter"},
		{"module.args = ['{y...}']\nparameters.type = 'object'\nparameters.properties.y.type = 'string'", `module.args[0]: needs a parameter of type array, but "y" has the type string`},
		{"module.args = ['{y?-y}']\nparameters.type = 'object'\nparameters.properties.y.type = 'integer'", `module.args[0]: needs a parameter of type boolean, but "y" has the type integer`},
		{"module.args = ['{?-y}']", `module.args[0]: names no parameter; write "{files...}"`},
		{`module.args = ["{y}"]`, `module.args[0]: "{y}" is not a parameter`},
		{`module.args = ["` + strings.Repeat("x", 4097) + `"]`, "module.args[0]: is 4097 bytes long; the limit is 4096"},
		{`module.abi = "component"`, `module.abi: "component" is not a valid value; write "command" or "reactor" or "extism"`},
		{`module.config = ["x"]`, "module.config: expected a table, got a list; write [module.config]"},
		{`module.config = { port = 80 }`, `module.config.port: expected a string, got an integer; write "80"`},
		{`module.config = { a = "` + strings.Repeat("x", MaxConfigBytes) + `" }`, "module.config: has 65537 bytes in names and values; the limit is 64KiB"},
		{`module.data = "../lib"`, `module.data: "../lib" is not a directory below the manifest's directory; put the files into one, such as data = "lib"`},
		{`module.data = "."`, `module.data: "." is not a directory below the manifest's directory`},
		{`module.stub_imports = "env.abort"`, `module.stub_imports: expected true or a list of imports, got a string; write ["env.abort"], for example`},
		{`module.stub_imports = ["*"]`, `module.stub_imports[0]: "*" is not an import; write "module.name", such as "env.abort"`},
		{`module.stub_imports = ["env.` + strings.Repeat("x", 256) + `"]`, "module.stub_imports[0]: is 260 bytes long; the limit is 256"},
		{`module.stub_imports = ["env.a", "env.a"]`, `module.stub_imports[1]: "env.a" is listed twice`},
		{`module.entry = "a b"`, `module.entry: "a b" is not the name of a function`},
		{`mcp = { server = "a", tool = "b" }`, "mcp: the manifest has [module] as well; keep one of the two"},
		{`id = "x"`, "id: unknown key; the machine name is called name here"},
		{`label = "X"`, "label: unknown key; label is called title here"},
		{`displayName = "X"`, "displayName: unknown key; the display name is called title here"},
		{`timeoutMs = 30_000`, `timeoutMs: unknown key; write timeout with a unit, such as timeout = "30s"`},
		{`timeout_ms = 30_000`, `timeout_ms: unknown key; write timeout with a unit`},
		{`type = "REST"`, "type: unknown key; a tool has no type here; write [module]"},
		{`enabled = false`, "enabled: unknown key; the operator decides this; write enabled in [tools.NAME]"},
		{`autoExecute = true`, "autoExecute: unknown key; the operator decides this; write auto_execute in [tools.NAME]"},
		{`inputSchema = {}`, "inputSchema: unknown key; the schema of the arguments is called parameters here"},
		{`serverName = "a"`, "serverName: unknown key; the server of a tool is called mcp.server here"},
		{`metadata = { baseUrl = "https://a.example" }`, "metadata: unknown key; leave it out; the settings of a request are written in [rest]"},
		{`module.label = "X"`, "module.label: unknown key; the keys here are"},
		{`parameters = []`, "parameters: expected a table, got a list; write [parameters]"},
		{`parameters_file = "/etc/x.json"`, "is absolute"},
		{`parameters_file = "../x.json"`, "leaves the manifest's directory"},
		{`permissions.clock = "yes"`, "permissions.clock: expected true or false, got a string"},
		{`permissions.kv = true`, `permissions.kv: expected a string, got true or false; write "true"`},
		{`permissions.kv = "wriet"`, `permissions.kv: "wriet" is not a valid value; did you mean "write"?`},
		{`permissions.net = [{url = "api.example.com"}]`, "permissions.net[0].url: it does not begin with a scheme"},
		{`permissions.net = {url = "any"}`, "permissions.net: expected a list, got a table; write [[permissions.net]] on a line of its own"},
		{`permissions.header = "X"`, "permissions.header: unknown key here; it belongs in [[rest.secrets]] or in [[permissions.net.secrets]]"},
		{`permissions.env = "LANG"`, `expected a list, got a string; write ["LANG"]`},
		{`permissions.env = ["` + long + `"]`, "is 300 bytes long"},
		{`permissions.fs = [{mode = "read"}]`, "permissions.fs[0].mount: missing"},
		{`permissions.fs = [{mount = "w"}]`, `permissions.fs[0].mode: missing; add mode = "read"`},
		{`permissions.fs = [{mount = "w", mode = "none"}]`, `permissions.fs[0].mode: "none" is not a valid value; write "read" or "write"`},
		{`permissions.fs = [{mount = "w", mode = "wirte"}]`, `permissions.fs[0].mode: "wirte" is not a valid value; did you mean "write"?`},
		{`permissions.fs = [{mount = "data", mode = "read", others = true}]`, `permissions.fs[0].others: only the mount "workspace" can ask for the other workspaces; remove others`},
		{`permissions.fs = [{mount = "workspace", mode = "read", others = 1}]`, `permissions.fs[0].others: expected true or false`},
		{`permissions.fs = [{mount = "tmp", mode = "read"}]`, `permissions.fs[0].mode: "tmp" is an empty directory for each call, with nothing to read; write "write"`},
		{`permissions.fs = [{mount = "~", mode = "read"}]`, `"~" is not a name`},
		{`permissions.fs = [{mount = "w", mode = "read", at = ""}]`, "is not absolute"},
		{`permissions.fs = [{mount = "w", mode = "read", at = "/a/"}]`, `write "/a"`},
		{`permissions.fs = [{mount = "w", mode = "read", at = "/../a"}]`, `write "/a"`},
		{`permissions.fs = [{mount = "w", mode = "read", at = 'C:\a'}]`, "is not absolute"},
		{`permissions.fs = [{mount = "w", mode = "read", at = '/a\b'}]`, "must not have"},
		{`permissions.fs = [{mount = "w", mode = "read", deny = ["."]}]`, "deny[0]"},
		{`permissions.fs = [{mount = "w", mode = "read", deny = [".."]}]`, "deny[0]"},
		{`permissions.fs = [{mount = "w", mode = "read", deny = ["a/../b"]}]`, "deny[0]"},
		{`permissions.fs = [{mount = "w", mode = "read", deny = ["a/"]}]`, `write "a/**"`},
		{`permissions.fs = [{mount = "w", mode = "read", deny = [1]}]`, "deny[0]: expected a string"},
	} {
		_, err := Decode("tool.toml", []byte(minimal+tc.line+"\n"))
		var errs Errors
		if !errors.As(err, &errs) || len(errs) != 1 || !strings.Contains(errs[0].Error(), tc.want) {
			t.Errorf("%s\ngives %v\nwant one error with %s", tc.line, err, tc.want)
			continue
		}
		if errs[0].Line != strings.Count(minimal, "\n")+1 {
			t.Errorf("%s: error is in line %d, want the line of the key", tc.line, errs[0].Line)
		}
	}
}

// The messages themselves are tested in package jsonschema.
func TestDecodeSchemaErrors(t *testing.T) {
	_, err := Decode("tool.toml", []byte(minimal+`
[parameters]
type = "object"
properties.deep = { items = [
  { minimum = "5" } ] }
[parameters.properties.limit]
type = "strng"
[parameters.properties."a/b~c"]
minimum = "5"
[result]
enum = 5
`))
	var errs Errors
	if !errors.As(err, &errs) {
		t.Fatalf("error = %v, want Errors", err)
	}
	var places []string
	for _, e := range errs {
		places = append(places, fmt.Sprintf("%d:%d %s", e.Line, e.Column, e.Key))
	}
	for _, want := range []string{
		"12:8 parameters.properties.limit.type",
		"14:11 parameters.properties.\"a/b~c\".minimum",
		"16:8 result.enum",
	} {
		if !slices.Contains(places, want) {
			t.Errorf("errors are at %q, want one at %q", places, want)
		}
	}
	_, err = Decode("tool.toml", []byte(minimal+"[parameters]\ntype = \"string\"\n"))
	if !errors.As(err, &errs) || len(errs) != 1 || errs[0].Line != 7 && errs[0].Line != 6 {
		t.Errorf("error = %v, want one at the type of the parameters", err)
	}
}

func TestDecodeModulePath(t *testing.T) {
	for _, tc := range []struct{ path, want string }{
		{"", "is empty"},
		{"/tool.wasm", "is absolute"},
		{`a\b.wasm`, `separate directories with "/"`},
		{`C:/tool.wasm`, `contains a ":"`},
		{"https://example.com/x.wasm", "is a URL"},
		{"file:///x.wasm", "is a URL"},
		{".", "is a directory"},
		{"..", "is a directory"},
		{"../..", "is a directory"},
		{"x/", "is a directory"},
		{"a/../b.wasm", `write "b.wasm"`},
		{"a//b.wasm", `write "a/b.wasm"`},
		{"a/../../b.wasm", `write "../b.wasm"`},
		{"../b.wasm", "leaves the manifest's directory; add sha256"},
		{"a\nb.wasm", "not printable"},
		{strings.Repeat("a", 256), "is 256 bytes long"},
	} {
		_, err := Decode("tool.toml", fmt.Appendf(nil, "%smodule.path = %q\n", head, tc.path))
		var errs Errors
		if !errors.As(err, &errs) || len(errs) != 1 || !strings.Contains(errs[0].Message, tc.want) || errs[0].Key != "module.path" {
			t.Errorf("path %q gives %v, want one error at module.path with %q", tc.path, err, tc.want)
		}
	}
}

func TestDecodeIsBounded(t *testing.T) {
	var keys strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&keys, "%x=1\n", i)
	}
	for _, tc := range []struct{ name, text, want string }{
		{"size", strings.Repeat("#", MaxManifestBytes+1), "tool.toml: larger than 256KiB"},
		{"open brackets", "a=" + strings.Repeat("[", 250<<10), "levels deep"},
		{"closed brackets", "a=" + strings.Repeat("[", 5000) + strings.Repeat("]", 5000), "nested more than 100 levels deep"},
		{"open braces", "a=" + strings.Repeat("{a=", 80_000), "levels deep"},
		{"dotted key", strings.Repeat("a.", 120_000) + "a = 1", "tool.toml:1:201: nested more than 100 levels deep"},
		{"dotted header", "[" + strings.Repeat("a.", 120_000) + "a]", "levels deep"},
		{"keys", keys.String(), "more than 4096 keys"},
		{"headers", strings.Repeat("[[a.b.c]]\n", 25_000), "more than 4096 keys"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Decode("tool.toml", []byte(tc.text))
			var errs Errors
			if !errors.As(err, &errs) || len(errs) != 1 || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("error = %.300v, want one with %q", err, tc.want)
			}
			if len(err.Error()) > 1000 {
				t.Errorf("error has %d bytes", len(err.Error()))
			}
		})
	}
}

// A key of one ABI is refused in the manifest of another ABI.
func TestDecodeForms(t *testing.T) {
	const head = "manifest = 1\nname = \"x\"\nversion = \"1.0.0\"\ndescription = \"d\"\n[module]\npath = \"x.wasm\"\n"
	for keys, want := range map[string]string{
		`abi = "command"`:                     "",
		"abi = \"reactor\"\nentry = \"run\"":  "",
		`entry = "run"`:                       "",
		"abi = \"command\"\nentry = \"call\"": `module.entry: a command starts at _start; remove entry, or write abi = "reactor"`,
		"abi = \"reactor\"\nargs = []":        "module.args: a reactor has no command line",
		"entry = \"run\"\nargs = []":          "module.args: a reactor has no command line",
		"abi = \"extism\"\nentry = \"run\"\nconfig = { key = \"value\", \"a key\" = \"\" }": "",
		"config = { key = \"value\" }":                    "",
		"abi = \"command\"\nconfig = { key = \"value\" }": `module.config: only an Extism plug-in has a configuration; remove config, or write abi = "extism"`,
		"abi = \"reactor\"\nconfig = {}":                  `module.config: only an Extism plug-in has a configuration`,
		"abi = \"extism\"\nwarm = {}":                     "module.warm: an Extism plug-in has no warm-up",
		"abi = \"extism\"\nargs = []":                     "module.args: an Extism plug-in has no command line",
	} {
		_, err := Decode("tool.toml", []byte(head+keys))
		if (err == nil) != (want == "") || (err != nil && !strings.Contains(err.Error(), want)) {
			t.Errorf("%s\ngives %v, want %q", keys, err, want)
		}
	}
}
