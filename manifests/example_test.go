package manifests

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// exampleHead declares the parameters and permissions that the examples of these tests need.
const exampleHead = head + `
module.path = "demo.wasm"
permissions.clock = true
permissions.random = true
permissions.kv = "write"
permissions.fs = [{ mount = "workspace", mode = "write" }, { mount = "data", mode = "read" }, { mount = "tmp", mode = "write" }]
permissions.net = [{ url = "https://api.example.com", secrets = [{ name = "TOKEN", header = "Authorization" }] }]
parameters.type = "object"
parameters.required = ["text"]
parameters.properties.text = { type = "string" }
parameters.properties.limit = { type = "integer", default = 20 }
`

func TestDecodeExamples(t *testing.T) {
	m := mustDecode(t, exampleHead+`
[[examples]]
title = "All keys"
arguments = { text = "a", limit = 1_0 }
before = [{ text = "b" }, { text = "c" }]
files = { "a/b.txt" = "x\n", "data:c.txt" = "" }
contains = ["one", "two"]
after = { "a/b.txt" = "y" }
gone = ["a/c.txt", "data:d"]
error = "execution"
now = "2026-01-31T15:04:05+01:00"
network = true

[[examples]]
title = "Without a server"
output = ""
arguments.text = "a"
seed = 7
secrets = { TOKEN = "test-token" }
store = { a = "1" }
store_after = {}
[[examples.http]]
method = "POST"
url = "https://API.example.com:443/a b?q=1"
sends.headers = { Authorization = "test-token" }
sends.body = "x"
status = 404
headers = { ETag = "e" }
body = "none"
[[examples.http]]
url = "https://api.example.com"
body = { items = [1.50] }
[[examples.http]]
url = "https://api.example.com/"
sends.body = { a = 1 }
body_file = "page.html"

[[examples]]
title = "Few keys"
arguments.text = "a"
output = ""

[[examples]]
title = "Arguments that do not fit"
error = "invalid_argument"
`)
	in := func(mount, path string) ExamplePath { return ExamplePath{mount, path} }
	want := []Example{
		{
			Title: "All keys", Arguments: json.RawMessage(`{"text":"a","limit":10}`),
			Before: []json.RawMessage{json.RawMessage(`{"text":"b"}`), json.RawMessage(`{"text":"c"}`)},
			Files:  []ExampleFile{{in("workspace", "a/b.txt"), "x\n"}, {in("data", "c.txt"), ""}},
			After:  []ExampleFile{{in("workspace", "a/b.txt"), "y"}}, Gone: []ExamplePath{in("workspace", "a/c.txt"), in("data", "d")},
			Contains: []string{"one", "two"}, Error: "execution", Network: true,
			Now: time.Date(2026, time.January, 31, 14, 4, 5, 0, time.UTC),
		},
		{
			Title: "Without a server", Arguments: json.RawMessage(`{"text":"a"}`), HasOutput: true, Seed: 7,
			Secrets: map[string]string{"TOKEN": "test-token"}, Store: map[string]string{"a": "1"}, StoreAfter: map[string]string{},
			HTTP: []ExampleRequest{
				{
					Method: "POST", URL: "https://api.example.com/a%20b?q=1", Status: 404,
					SendsHeaders: map[string]string{"Authorization": "test-token"}, SendsBody: ExampleBody{Text: "x", Set: true},
					Headers: map[string]string{"ETag": "e"}, Body: ExampleBody{Text: "none", Set: true},
				},
				{Method: "GET", URL: "https://api.example.com/", Status: 200, Body: ExampleBody{Text: `{"items":[1.50]}`, JSON: true, Set: true}},
				{Method: "GET", URL: "https://api.example.com/", Status: 200, SendsBody: ExampleBody{Text: `{"a":1}`, JSON: true, Set: true}, BodyFile: "page.html"},
			},
		},
		{Title: "Few keys", Arguments: json.RawMessage(`{"text":"a"}`), HasOutput: true},
		{Title: "Arguments that do not fit", Error: "invalid_argument"},
	}
	if !reflect.DeepEqual(m.Examples, want) {
		t.Errorf("got  %+v\nwant %+v", m.Examples, want)
	}
	if got := m.Examples[0].Files[1].String() + " " + m.Examples[0].Files[0].String(); got != "data:c.txt a/b.txt" {
		t.Errorf("the paths are written %s", got)
	}
}

func TestDecodeInvalidExamples(t *testing.T) {
	line := strings.Count(exampleHead, "\n") + 2
	many := func(n int, element string) string { return strings.Repeat(element+", ", n) }
	var files strings.Builder
	for i := range MaxExampleFiles + 1 {
		files.WriteString("f" + strconv.Itoa(i) + " = '', ")
	}
	for _, tc := range []struct{ keys, want string }{
		{`arguments = { text = "a" }`, `0:3: examples[0].title: missing; add a title`},
		{`title = "a\nb"`, `1:9: examples[0].title: contains U+000A, a line break`},
		{`title = "a"`, `0:3: examples[0]: says nothing about the result of the call; add output, contains, after, gone, store_after or error`},
		{"title = 'a'\nseed = 0", `2:8: examples[0].seed: 0 is out of range; write a whole number from 1 to 1_000_000_000`},
		{"title = 'a'\noutput = ''\nnetwork = true\nsecrets = { TOKEN = 'test-token' }", `4:11: examples[0].secrets: are test values, which are never sent to a server`},
		{"title = 'a'\noutput = ''\nsecrets = { TOKEN = 'short' }", `3:21: examples[0].secrets.TOKEN: has 5 bytes; write at least 8`},
		{"title = 'a'\noutput = ''\nsecrets = { OTHER = 'test-token' }", `3:21: examples[0].secrets.OTHER: the tool does not ask for this secret`},
		{"title = 'a'\noutput = ''\nnetwork = true\nhttp = [{ url = 'https://api.example.com' }]", `3:11: examples[0].network: the example has the answers in http and needs no network`},
		{"title = 'a'\noutput = ''\nhttp = [{}]", `3:9: examples[0].http[0].url: missing; add a URL`},
		{"title = 'a'\noutput = ''\nhttp = [{ url = 'api.example.com' }]", `3:17: examples[0].http[0].url: the scheme`},
		{"title = 'a'\noutput = ''\nhttp = [{ url = 'https://a.example/#x' }]", `examples[0].http[0].url: has a fragment, which is never sent`},
		{"title = 'a'\noutput = ''\nhttp = [{ url = 'https://me:x@a.example/' }]", `examples[0].http[0].url: there is a name or password before the host`},
		{"title = 'a'\noutput = ''\nhttp = [{ url = 'https://a.example', status = 100 }]", `examples[0].http[0].status: 100 is out of range`},
		{"title = 'a'\noutput = ''\nhttp = [{ url = 'https://a.example', headers = { Content-Length = '1' } }]", `examples[0].http[0].headers.Content-Length: the header Content-Length may not be set`},
		{"title = 'a'\noutput = ''\nhttp = [{ url = 'https://a.example', headers = { content-encoding = 'gzip' } }]", `the body of an example is not encoded`},
		{"title = 'a'\noutput = ''\nhttp = [{ url = 'https://a.example', body = [1] }]", `examples[0].http[0].body: expected a string or a table, got a list; write the body in quotes`},
		{"title = 'a'\noutput = ''\nhttp = [{ url = 'https://a.example', body = '', body_file = 'a' }]", `examples[0].http[0].body_file: the answer also has body; keep one of the two`},
		{"title = 'a'\noutput = ''\nhttp = [{ url = 'https://a.example', body_file = '../a' }]", `leaves the manifest's directory`},
		{"title = 'a'\noutput = ''\nhttp = [" + many(41, "{ url = 'https://a.example' }") + "]", `3:8: examples[0].http: has 41 answers; the limit is 40`},
		{"title = 'a'\noutput = 'x'\ncontains = ['y']", `examples[0]: has output and contains; output is the whole text`},
		{"title = 'a'\narguments = { text = 'x', limit = 'many' }\noutput = ''", `2:35: examples[0].arguments.limit: parameter "limit" must be an integer`},
		{"title = 'a'\noutput = ''", `parameter "text" is required`},
		{"title = 'a'\narguments = { text = 'x', limt = 1 }\noutput = ''", `2:13: examples[0].arguments: the tool would not receive all arguments: parameter "limt" is not declared`},
		{"title = 'a'\nbefore = [{ text = 'x' }, { txt = 1 }]\nerror = 'invalid_argument'", `2:27: examples[0].before[1]: parameter "text" is required`},
		{"title = 'a'\nbefore = {}", `2:10: examples[0].before: expected a list, got a table; write the arguments of each call in braces: [{ ... }]`},
		{"title = 'a'\nbefore = [1]", `2:11: examples[0].before[0]: expected a table, got an integer; write the arguments of a call in braces`},
		{"title = 'a'\nbefore = [" + many(21, "{}") + "]", `2:10: examples[0].before: has 21 calls; the limit is 20`},
		{"title = 'a'\nbefore = [{ text = inf }]", `JSON has no inf`},
		{"title = 'a'\nfiles = { x = 1 }", `2:15: examples[0].files.x: expected a string, got an integer`},
		{"title = 'a'\nfiles = { '../x' = '' }", `2:11: examples[0].files."../x": "../x" is not a plain path below the mount`},
		{"title = 'a'\nfiles = { '/x' = '' }", `is not a plain path below the mount`},
		{"title = 'a'\nfiles = { 'x/' = '' }", `is not a plain path below the mount`},
		{"title = 'a'\nfiles = { '' = '' }", `is empty; write a path below the mount`},
		{"title = 'a'\nfiles = { '.' = '' }", `is not a plain path below the mount`},
		{"title = 'a'\nfiles = { 'data:' = '' }", `is empty; write a path below the mount`},
		{"title = 'a'\nfiles = { 'C:x' = '' }", `"C:x" does not begin with a mount; write "mount:path"`},
		{"title = 'a'\nfiles = { 'data:x:y' = '' }", `contains a character that a path in an example must not have`},
		{"title = 'a'\nfiles = { 'a\\b' = '' }", `contains a character that a path in an example must not have`},
		{"title = 'a'\nfiles = { \"a\\u0000\" = '' }", `the key contains U+0000`},
		{"title = 'a'\nfiles = { " + strings.Repeat("x", 256) + " = '' }", `is 256 bytes long; the limit is 255`},
		{"title = 'a'\nfiles = { " + files.String() + " }", `2:9: examples[0].files: has 65 files; the limit is 64`},
		{"title = 'a'\nfiles = { a = '', 'a/b' = '' }", `2:9: examples[0].files: "a" cannot be a file, because "a/b" is below it`},
		{"title = 'a'\nfiles = { a = '', 'workspace:a' = '' }", `2:9: examples[0].files: has "a" twice`},
		{"title = 'a'\nfiles = { 'other:a' = '' }\noutput = ''", `examples[0]: "other:a" is in the mount "other", which the tool does not ask for`},
		{"title = 'a'\ngone = ['tmp:a']", `examples[0]: "tmp:a" is in the mount "tmp"`},
		{"title = 'a'\nafter = { a = '' }\ngone = ['a']", `examples[0]: has a file both in after and in gone`},
		{"title = 'a'\ncontains = ['']", `2:13: examples[0].contains[0]: is empty`},
		{"title = 'a'\nerror = 'executon'", `2:9: examples[0].error: "executon" is not a valid value; did you mean "execution"?`},
		{"title = 'a'\nnow = '2026-01-31'", `2:7: examples[0].now: "2026-01-31" is not a time of RFC 3339`},
		{"title = 'a'\nnow = '1969-12-31T23:59:59Z'", `out of range; write a time in the years 1970 to 2200`},
		{"title = 'a'\nnow = 2026-01-31T00:00:00Z", `2:7: examples[0].now: expected a string, got a date or time; write "2026-01-31T00:00:00Z"`},
		{"title = 'a'\nerror = 'invalid_argument'\n[[examples]]\ntitle = 'a'\nerror = 'invalid_argument'", `4:9: examples[1].title: "a" is the title of an earlier example`},
		{"titel = 'a'", `1:1: examples[0].titel: unknown key; did you mean "title"?`},
	} {
		_, err := Decode("tool.toml", []byte(exampleHead+"[[examples]]\n"+tc.keys))
		place, message, positioned := strings.Cut(tc.want, ":")
		if at, convErr := strconv.Atoi(place); positioned && convErr == nil {
			message = strconv.Itoa(line-1+at) + ":" + message
		} else {
			message = tc.want
		}
		if err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s\ngives %v\nwant  %s", tc.keys, err, message)
		}
	}
}

// An example must not need a permission that the tool does not ask for.
func TestDecodeExampleNeedsPermissions(t *testing.T) {
	_, err := Decode("tool.toml", []byte(minimal+`
[[examples]]
title = "a"
files = { a = "" }
now = "2026-01-31T00:00:00Z"
network = true
seed = 7
store = {}
store_after = {}
output = ""
[[examples]]
title = "b"
http = [{ url = "https://a.example" }]
output = ""
`))
	for _, want := range []string{
		`"a" is in the mount "workspace"`,
		`examples[0].now: the tool does not ask for the clock`,
		`examples[0].network: the tool does not ask for the network`,
		`examples[1].http: the tool does not ask for the network`,
		`examples[0].seed: the tool does not ask for randomness`,
		`examples[0]: has store or store_after, but the tool does not ask for a store`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	_, err = Decode("tool.toml", []byte(minimal+strings.Repeat("[[examples]]\ntitle = 'a'\noutput = ''\n", MaxExamples+1)))
	if err == nil || !strings.Contains(err.Error(), "examples: has 21 examples; the limit is 20") {
		t.Errorf("21 examples: %v", err)
	}
}

// Examples are also checked against the parameters of a parameters_file.
func TestReadExamplesWithParametersFile(t *testing.T) {
	const text = minimal + "parameters_file = \"p.json\"\n[[examples]]\ntitle = \"a\"\narguments = { n = \"x\" }\noutput = \"\"\n"
	m := mustDecode(t, text)
	if got := string(m.Examples[0].Arguments); got != `{"n":"x"}` {
		t.Errorf("got %s", got)
	}
	directory := EmbeddedDirectory(fstest.MapFS{
		"tool.toml": {Data: []byte(text)}, "demo.wasm": {},
		"p.json": {Data: []byte(`{"type":"object","properties":{"n":{"type":"integer"}}}`)},
	})
	if _, err := Read(directory, "tool.toml"); err == nil || !strings.Contains(err.Error(), `examples[0].arguments.n: parameter "n" must be an integer`) {
		t.Errorf("got %v", err)
	}
}
