package main

import (
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/standard"
)

const manifest = `
manifest = 1
name = "demo"
version = "1.0.0"
title = "Show *stars*"
description = "Finds **/*.go, or what ` + "`*.c`" + ` names."
aliases = ["other"]
dangerous = true
timeout = "90s"

[module]
path = "demo.wasm"

[limits]
fuel = 10_000

[permissions]
env = ["LANG"]
kv = "write"
clock = true
random = true

[[permissions.fs]]
mount = "workspace"
mode = "write"
deny = ["**/.git/**"]
[[permissions.fs]]
mount = "tmp"
mode = "write"
[[permissions.net]]
url = "https://api.example.com/v1"
[[permissions.net.secrets]]
name = "TOKEN"
header = "X-Token"

[parameters]
type = "object"
required = ["edits"]
[parameters.properties.edits]
type = "array"
minItems = 1
maxItems = 9
description = "The edits, first|last."
[parameters.properties.edits.items]
type = "object"
required = ["new"]
[parameters.properties.edits.items.properties]
new = { type = "string", minLength = 1, x-aliases = ["newText", "after"] }
count = { type = "integer", maximum = 5, default = 2 }
[parameters.properties.mode]
enum = ["a", "b"]
[parameters.properties.where]
type = "object"
[parameters.properties.where.properties]
line = { type = "integer", minimum = 0, maximum = 7 }

[result]
type = "object"
required = ["found"]
[result.properties.found]
type = "array"
description = "The files."
[result.properties.found.items]
type = "object"
required = ["path"]
[result.properties.found.items.properties]
path = { type = "string" }
line = { type = "integer", minimum = 1 }

[[examples]]
title = "All that there is"
arguments = { edits = [{ new = "x" }] }
before = [{ edits = [{ new = "y" }] }]
files = { "a.md" = "` + "```\\ncode\\n```" + `", "empty" = "" }
contains = ["one", "two"]
after = { "a.md" = "x" }
gone = ["empty"]
now = "2026-01-31T15:04:05Z"
network = true
[[examples]]
title = "Fails"
arguments = { edits = [{ new = "x" }] }
contains = ["why"]
error = "timeout"
[[examples]]
title = "Nothing"
arguments = { edits = [{ new = "x" }] }
output = ""
`

func decode(t *testing.T, text string) standard.LoadedManifest {
	t.Helper()
	m, err := manifests.Decode("tool.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return standard.LoadedManifest{Manifest: m}
}

// The page contains everything that the manifest says, escaped for Markdown.
func TestPage(t *testing.T) {
	text, err := page(decode(t, manifest))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n# demo: Show \\*stars\\*\n",
		"Finds \\*\\*/\\*.go, or what `*.c` names.\n",
		"Other names: `other`.\n",
		"| `edits` | array | required | The edits, first\\|last. 1 to 9 elements |\n" +
			"| `edits[].new` | string | required | Not empty. Also called `after`, `newText` |\n" +
			"| `edits[].count` | integer | `2` | At most 5 |\n",
		"| `mode` | string |  | One of `\"a\"`, `\"b\"` |\n",
		"| `where.line` | integer |  | 0 to 7 |\n",
		"\n## Structured result\n\n| name | type | present | description |\n| --- | --- | --- | --- |\n| `found` | array | always | The files |\n" +
			"| `found[].path` | string | always |  |\n" +
			"| `found[].line` | integer |  | At least 1 |\n\n## Permissions\n",
		"- Reading and writing files of the mount `workspace`, except `**/.git/**`.\n",
		"- An empty private directory for each call, at `/tmp`.\n",
		"- HTTP requests (GET) to `https://api.example.com/v1`, to which the host adds the secret `TOKEN`.\n",
		"- The environment variables `LANG`.\n", "- Reading from and writing to a store of its own, which persists", "- The current time.\n", "- Random numbers.\n",
		"Each call needs approval.\n",
		"`--allow write:workspace --allow net:https://api.example.com/v1 --allow secret:TOKEN --allow env:LANG --allow kv:write`",
		"| time | 1m30s |\n", "| fuel | 10000 |\n", "| open files | 64 |\n", "| HTTP requests | 20 |\n",
		"\n### All that there is\n\nThe file `a.md` contains:\n\n````text\n```\ncode\n```\n````\n\nThe file `empty` is empty.\n\nThe current time is 2026-01-31T15:04:05Z.\n\nThis example needs the network.\n",
		"```json demo\n{\n  \"edits\": [\n    {\n      \"new\": \"y\"\n    }\n  ]\n}\n```\n\n```json demo\n",
		"\nThe result contains:\n\n```text\none\ntwo\n```\n\nAfter the call, the file `a.md` contains:\n\n```text\nx\n```\n\nAfter the call, `empty` does not exist.\n",
		"\nThe call fails with the error `timeout` and this message:\n\n```text\nwhy\n```\n",
		"\nThe call returns an empty result.\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
}

// The page of a tool without parameters and permissions says that there are none.
func TestPageWithoutParameters(t *testing.T) {
	text, err := page(decode(t, "manifest = 1\nname = \"demo\"\nversion = \"1.0.0\"\ndescription = \"A demo.\"\nmodule.path = \"demo.wasm\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"The tool takes no parameters.\n", "None: the tool works only on its arguments.\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	for _, other := range []string{"## Examples", "--allow", "Category", "open files"} {
		if strings.Contains(text, other) {
			t.Errorf("the page has %q:\n%s", other, text)
		}
	}
}

func TestIndex(t *testing.T) {
	named := func(name, category string) standard.LoadedManifest {
		m := decode(t, manifest)
		m.Name, m.Title, m.Category = name, "Title of "+name, category
		return m
	}
	text := index([]standard.LoadedManifest{named("z", "files"), named("b", ""), named("a", "files"), named("y", "web")})
	var order []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "## ") || strings.HasPrefix(line, "| [") {
			order = append(order, strings.Fields(strings.NewReplacer("[", "", "]", " ").Replace(line))[1])
		}
	}
	if got, want := strings.Join(order, " "), "files a z other b web y"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !strings.Contains(text, "| [z](z.md) | Title of z |\n") {
		t.Errorf("no link to z:\n%s", text)
	}
}
