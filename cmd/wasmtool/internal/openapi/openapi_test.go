package openapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/tooldir"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/manifests"
)

// document30 and document31 each contain the beginning of a document. Tests append operations to
// it.
const (
	document30 = "openapi: 3.0.3\ninfo: {version: 2.1.0}\nservers: [{url: 'https://api.example.com/v1'}]\n"
	document31 = "openapi: 3.1.0\nservers: [{url: 'https://api.example.com/v1'}]\n"
)

// imported converts a document, writes its tools, and loads their manifests again. tools holds the
// manifests by name.
func imported(t *testing.T, text string) (tools map[string]*manifests.Manifest, all []tooldir.Tool, refused stricttoml.Errors) {
	t.Helper()
	converted, refused, err := Convert("doc", []byte(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	written, faulty, err := tooldir.Write(dir, converted)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := manifests.OpenDirectory(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.Close() })
	tools = make(map[string]*manifests.Manifest)
	for _, w := range written {
		m, err := manifests.Read(folder, w.Name+"/"+manifests.FileName)
		if err != nil {
			t.Fatal(err)
		}
		tools[m.Name] = m
	}
	return tools, written, append(refused, faulty...)
}

// one returns the manifest of the only tool of a document.
func one(t *testing.T, text string) *manifests.Manifest {
	t.Helper()
	tools, _, refused := imported(t, text)
	if len(tools) != 1 || len(refused) > 0 {
		t.Fatalf("got %d tools, refused %v", len(tools), refused)
	}
	for _, m := range tools {
		return m
	}
	return nil
}

func compact(t *testing.T, m *manifests.Manifest) string {
	t.Helper()
	return string(m.Parameters.JSON())
}

func TestOperation(t *testing.T) {
	m := one(t, document30+`
security: [{unknown: [], mtls: []}, {key: [], session: []}]
paths:
  /a/{b-c}/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: integer}}
      - {name: page, in: query, schema: {type: string}}
    post:
      operationId: Pets.createOne
      summary: "Create\n  one"
      description: "Creates\x1b one.\r\n\tReally."
      tags: [Pets & more, "!"]
      parameters:
        - {name: b-c, in: path, required: true, schema: {type: string}}
        - {name: page, in: query, description: Which., schema: {type: integer}}
        - {name: X-Trace, in: header, schema: {type: string}}
        - {name: X-Key, in: header, schema: {type: string}}
        - {name: accept, in: header, schema: {type: string}}
      requestBody:
        required: true
        content:
          application/json; charset=utf-8:
            schema: {$ref: '#/components/schemas/New'}
components:
  securitySchemes:
    mtls: {type: mutualTLS}
    unknown: {type: apiKey, in: header, name: A}
    key: {type: apiKey, in: header, name: X-Key}
    session: {type: apiKey, in: cookie, name: sid}
  schemas:
    New: {type: object, required: [id, made], properties: {id: {type: string}, made: {type: string, readOnly: true}, tag: {$ref: '#/components/schemas/Tag'}}}
    Tag: {type: string, maxLength: 3}
`)
	if m.Name != "pets_create_one" || m.Version != "2.1.0" || m.Title != "Create one" || m.Description != "Creates one.\n\tReally." || !slices.Equal(m.Tags, []string{"pets_more", "call"}) {
		t.Errorf("got %q %q %q %q %q", m.Name, m.Version, m.Title, m.Description, m.Tags)
	}
	r := m.REST
	if r.Method != "POST" || r.BaseURL != "https://api.example.com/v1" || r.Path.String() != "/a/{b-c}/{id_2}" || r.Body.Kind != manifests.BodyRest {
		t.Errorf("got %+v", r)
	}
	if len(r.Query) != 1 || r.Query[0].Value.String() != "{page}" || len(r.Headers) != 2 || r.Headers[0].Name != "Content-Type" || r.Headers[1].Name != "X-Trace" {
		t.Errorf("query %v, headers %v", r.Query, r.Headers)
	}
	const want = `{"type":"object","properties":{"id_2":{"type":"integer"},"page":{"description":"Which.","type":"integer"},"b-c":{"type":"string"},` +
		`"X-Trace":{"type":"string"},"id":{"type":"string"},"tag":{"$ref":"#/$defs/Tag"}},"required":["id_2","b-c","id"],"$defs":{"Tag":{"type":"string","maxLength":3}}}`
	if got := compact(t, m); got != want {
		t.Errorf("parameters %s\nwant       %s", got, want)
	}
	// Secrets are named after the server, so that the server of another document cannot get them.
	if asks := strings.Join(m.Permissions.Describe(), "; "); !strings.Contains(asks, "API_EXAMPLE_COM___KEY in the header X-Key and API_EXAMPLE_COM___SESSION in the header Cookie") {
		t.Errorf("asks for %s", asks)
	}
}

func TestSchemas(t *testing.T) {
	const operation = "paths:\n  /x:\n    get:\n      parameters:\n        - {name: p, in: query, schema: %s}\n"
	const rest = "components: {schemas: {A: {$ref: '#/components/schemas/B'}, B: {type: object, properties: {b: {$ref: '#/components/schemas/B'}}, description: D}, S: {type: string}, a/b~: {type: number}}}\n"
	for _, tc := range []struct{ version, schema, want, defs string }{
		{document30, `{type: string, nullable: true}`, `{"type":["string","null"]}`, ""},
		{document30, `{type: string, nullable: true, enum: [a, null]}`, `{"type":["string","null"],"enum":["a",null]}`, ""},
		{document30, `{type: string, nullable: false}`, `{"type":"string"}`, ""},
		{document30, `{nullable: true, oneOf: [{type: string}]}`, `{"anyOf":[{"oneOf":[{"type":"string"}]},{"type":"null"}]}`, ""},
		{document30, `{type: number, minimum: 1.10, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: false}`, `{"type":"number","exclusiveMinimum":1.10,"maximum":5}`, ""},
		{document30, `{type: number, exclusiveMinimum: true}`, `{"type":"number"}`, ""},
		{document30, `{type: string, example: x, xml: {}, x-foo: 1, externalDocs: {}, default: "2020-01-01"}`, `{"type":"string","default":"2020-01-01"}`, ""},
		{document30, `{$ref: '#/components/schemas/S', maxLength: 1}`, `{"$ref":"#/$defs/S"}`, `{"S":{"type":"string"}}`},
		{document31, `{$ref: '#/components/schemas/S', maxLength: 1}`, `{"$ref":"#/$defs/S","maxLength":1}`, `{"S":{"type":"string"}}`},
		{document31, `{enum: [010, -089, 0o10, 0x10, +12, .5, -.5, 1., 1.e3, 1e3]}`, `{"enum":[10,-89,8,16,12,0.5,-0.5,1,1e3,1e3]}`, ""},
		{document31, `{enum: [1_000, 0b11, 0X1F, -0x10, yes]}`, `{"enum":["1_000","0b11","0X1F","-0x10","yes"]}`, ""},
		{document31, `{type: [integer, 'null'], exclusiveMinimum: 9007199254740993, const: 0x10}`, `{"type":["integer","null"],"exclusiveMinimum":9007199254740993,"const":16}`, ""},
		{document31, `{$ref: '#/components/schemas/a~1b~0'}`, `{"$ref":"#/$defs/a_b"}`, `{"a_b":{"type":"number"}}`},
		{document31, `{type: array, items: {anyOf: [true, {not: {$ref: '#/components/schemas/S'}}]}}`, `{"type":"array","items":{"anyOf":[true,{"not":{"$ref":"#/$defs/S"}}]}}`, `{"S":{"type":"string"}}`},
	} {
		m := one(t, tc.version+fmt.Sprintf(operation, tc.schema)+rest)
		want := `{"type":"object","properties":{"p":` + tc.want + `}`
		if tc.defs != "" {
			want += `,"$defs":` + tc.defs
		}
		if got := compact(t, m); got != want+"}" {
			t.Errorf("%s\ngives %s\nwant  %s", tc.schema, got, want+"}")
		}
	}
}

func TestBody(t *testing.T) {
	const operation = "paths:\n  /x:\n    put:\n      requestBody: %s\n"
	for _, tc := range []struct{ body, kind, contentType, properties string }{
		{`{content: {application/json: {schema: {type: object, properties: {a: {}}}}}}`, "json", "", `{"a":{}}`},
		{`{content: {application/json: {schema: {type: object, required: [a], properties: {a: {}}}}}}`, "{body}", "application/json", `{"body":{"type":"object","required":["a"],"properties":{"a":{}}}}`},
		{`{required: true, content: {application/json: {schema: {type: object, properties: {a b: {}}}}}}`, "{body}", "application/json", `{"body":{"type":"object","properties":{"a b":{}}}}`},
		{`{required: true, content: {application/json: {schema: {type: object, additionalProperties: true, properties: {a: {}}}}}}`, "{body}", "application/json", `{"body":{"type":"object","additionalProperties":true,"properties":{"a":{}}}}`},
		{`{required: true, description: All., content: {application/json: {schema: {type: array}}}}`, "{body}", "application/json", `{"body":{"description":"All.","type":"array"}}`},
		{`{required: true, content: {text/plain: {schema: {type: string}}, application/merge-patch+json: {}}}`, "{body}", "application/merge-patch+json", `{"body":{}}`},
		{`{required: true, content: {text/plain: {schema: {type: string}}}}`, "{body}", "text/plain", `{"body":{"type":"string"}}`},
	} {
		m := one(t, document31+fmt.Sprintf(operation, tc.body))
		contentType, kind := "", "json"
		for _, h := range m.REST.Headers {
			contentType = h.Value.String()
		}
		if m.REST.Body.Kind == manifests.BodyParameter {
			kind = "{" + m.REST.Body.Parameters[0] + "}"
		}
		if kind != tc.kind || contentType != tc.contentType || !strings.Contains(compact(t, m), `"properties":`+tc.properties) {
			t.Errorf("%s\ngives %s as %q with %s", tc.body, kind, contentType, compact(t, m))
		}
	}
}

// Each document has one operation. The operation is refused, or becomes a tool that lacks a part of
// it.
func TestNotMade(t *testing.T) {
	const parameter = "paths:\n  /x:\n    get:\n      parameters:\n        - "
	for _, tc := range []struct {
		text, want string
		made       bool
	}{
		{parameter + `{name: p, in: query, schema: {type: object}}`, `doc:8:11: GET /x: the parameter "p" is an object outside of the body, and is left out`, true},
		{parameter + `{name: p, in: query, required: true, schema: {type: object}}`, `the parameter "p" is an object outside of the body; a manifest cannot express that`, false},
		{parameter + `{name: p, in: query, style: pipeDelimited, schema: {type: array}}`, `has the style "pipeDelimited", and is left out`, true},
		{parameter + `{name: p, in: query, explode: false, schema: {type: array}}`, `is a list that is sent as one value, and is left out`, true},
		{parameter + `{name: p, in: query, content: {application/json: {}}}`, `is sent with a media type of its own, and is left out`, true},
		{parameter + `{name: Host, in: header}`, `cannot be sent: the header Host may not be set`, true},
		{parameter + `{name: p, in: body}`, `is in "body", and is left out`, true},
		{parameter + `{in: query}`, `has no name, and is left out`, true},
		{parameter + `{$ref: 'other.yaml#/p'}`, `the reference "other.yaml#/p" points outside the document`, false},
		{parameter + `{$ref: '#/nowhere'}`, `doc:8:18: GET /x: the reference "#/nowhere" has no target`, false},
		{parameter + `{name: p, in: query, schema: {$ref: '#'}}`, `the reference "#" has no target`, false},
		{parameter + `{name: p, in: query, schema: {$ref: '#/a%zz'}}`, `has no target`, false},
		{parameter + `{$ref: '#/paths/~1x/get/parameters/0'}`, `the references here are circular`, false},
		{parameter + `{name: p, in: query, schema: {$ref: 'https://example.com/s'}}`, `points outside the document`, false},
		{parameter + `{name: p, in: query, schema: {$id: 'https://example.com/s'}}`, `$id is not supported in a schema`, false},
		{parameter + `{name: p, in: query, schema: {pattern: '(?=a)'}}`, `GET /x: parts of the schema of its parameters are left out: property "p": pattern uses (?=...)`, true},
		{parameter + `{name: p, in: query, schema: {enum: null, type: any}}`, `property "p": enum: is null`, true},
		{parameter + `{name: p, in: query, requierd: true}`, `doc:8:42: GET /x: a parameter has the unknown key "requierd", which is ignored`, true},
		{"paths:\n  /x:\n    get:\n      parameters: {p: {in: query}}", `doc:7:19: GET /x: parameters must be a list`, false},
		{"paths:\n  /x:\n    put: {requestbody: {}}", `doc:6:24: PUT /x: the operation has the unknown key "requestbody", which is ignored`, true},
		{"paths:\n  /x:\n    put: {requestBody: {content: {application/json: {scheme: {}}}}}", `the media type "application/json" has the unknown key "scheme"`, true},
		{"paths:\n  /x:\n    put: {requestBody: {contents: {}, content: {application/json: {}}}}", `the body has the unknown key "contents"`, true},
		{"paths:\n  /x:\n    get: {$ref: '#/o', parameters: []}\no: {}", `doc:6:36: GET /x: the key "parameters" next to a reference is ignored`, true},
		{"paths:\n  /x:\n    get: {$ref: 'other.yaml'}", `doc:6:17: GET /x: the reference "other.yaml" points outside the document; copy its target into the document`, false},
		{"paths:\n  /x:\n    get: {$ref: '#/nowhere'}", `has no target`, false},
		{parameter + `{name: p, in: query, schema: 5}`, `is not a schema: a schema is an object`, false},
		{"paths:\n  /x/{y}:\n    get: {}", `the path names "{y}", but no path parameter has that name`, false},
		{"paths:\n  x:\n    get: {}", `the path "x" does not begin with a slash`, false},
		{"paths:\n  '/x?a={b}':\n    get: {}", `the path has the query "?a={b}"; only a query with fixed values can be sent`, false},
		{"paths:\n  '/x?a=1&a=2':\n    get: {}", `the path has a value for the parameter "a", which has another value already; remove one of the two`, false},
		{"paths:\n  '/x?a=1':\n    get: {parameters: [{name: a, in: query}]}", `the path has a value for the parameter "a", which has another value already; remove one of the two`, false},
		{"paths:\n  /x#y:\n    get: {}", `the fragment "#y" of the path is left out`, true},
		{"paths:\n  /../x:\n    get: {}", `has "." or ".." between slashes`, false},
		{"paths:\n  /x:\n    trace: {}", `TRACE requests are not supported`, false},
		{"paths:\n  /x:\n    get: 5", `is not an operation`, false},
		{"paths:\n  /x: {$ref: 'other.yaml'}", `doc:5:14: the reference "other.yaml" points outside`, false},
		{"paths:\n  /x:\n    get: {security: [{a: []}]}", `there is no security scheme "a"`, false},
		{"components: {securitySchemes: {a: {type: http, scheme: Digest}}}\npaths:\n  /x:\n    get: {security: [{a: []}]}", `a manifest cannot express the security scheme "a" (http digest)`, false},
		{"paths:\n  /x:\n    get: {servers: [{url: /v2}]}", `the server "/v2" has no host; name one with --server`, false},
		{"paths:\n  /x:\n    get: {servers: [{url: 'https://a.example/?b=c'}]}", `base_url: a pattern has no query`, false},
		{"paths:\n  /x:\n    get: {requestBody: {content: {application/json: {}}}}", `the body of a request with GET, and is left out`, true},
		{"paths:\n  /x:\n    put: {requestBody: {required: true, content: {application/json: {schema: {type: string}}}}}", `the body is a JSON string; a manifest cannot express that`, false},
		{"paths:\n  /x:\n    put: {requestBody: {required: true, content: {application/xml: {}}}}", `the body is "application/xml" and not JSON`, false},
	} {
		tools, written, refused := imported(t, document31+"\n"+tc.text+"\n")
		var texts []string
		for _, w := range written {
			texts = append(texts, w.Notes.Error())
		}
		got := strings.Join(append(texts, refused.Error()), "\n")
		if !strings.Contains(got, tc.want) || len(tools) == 1 != tc.made || len(refused) == 1 == tc.made {
			t.Errorf("%s\ngives %d tools, %s\nwant  %s", tc.text, len(tools), got, tc.want)
		}
	}
}

// An operation that is a reference is the operation that the reference leads to.
func TestReferencedOperation(t *testing.T) {
	m := one(t, document31+`
paths:
  /jobs/{id}:
    post: {$ref: '#/components/ops/createJob'}
components:
  ops:
    createJob:
      operationId: createJob
      parameters:
        - {name: id, in: path, required: true, schema: {type: string}}
        - {name: queue, in: query, required: true, schema: {type: string}}
`)
	if got := compact(t, m); m.Name != "create_job" || !strings.Contains(got, `"required":["id","queue"]`) {
		t.Errorf("%s has %s", m.Name, got)
	}
}

// A fragment of a path is not sent, and a query with fixed values is always sent.
func TestPathWithQueryAndFragment(t *testing.T) {
	m := one(t, document31+"paths:\n  '/x?a=b%20c&beta=true#update':\n    get: {parameters: [{name: q, in: query}]}\n")
	var query []string
	for _, q := range m.REST.Query {
		query = append(query, q.Name+"="+q.Value.String())
	}
	if got := m.REST.Path.String() + " " + strings.Join(query, "&"); got != "/x a=b c&beta=true&q={q}" {
		t.Errorf("got %s", got)
	}
}

// A key of a path that is not a method is reported, because its operation would be lost.
func TestUnknownMethodIsReported(t *testing.T) {
	_, tools, refused := imported(t, document31+"\npaths:\n  /x:\n    x-note: 5\n    psot: {}\n    get: {}\n")
	if len(tools) != 1 || len(refused) != 1 || !strings.Contains(refused.Error(), `doc:7:11: /x: the path has the unknown key "psot"`) {
		t.Errorf("got %d tools, refused %v", len(tools), refused)
	}
}

func TestBadDocument(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "doc: is empty",
		"[]":                                    "is not an OpenAPI document",
		"{}":                                    "is not an OpenAPI document: it needs the key openapi",
		`{"swagger":"2.0"}`:                     "doc:1:12: Swagger 2.0 is not supported",
		`{"openapi":"4.0.0"}`:                   `OpenAPI "4.0.0" is not supported`,
		`{"openapi":"3.1.0"}`:                   "has no paths",
		`{"openapi":"3.1.0","paths":{}}`:        "has no operation",
		`{"openapi":"3.1.0","openapi":"3.1.0"}`: `doc:1:20: the key "openapi" occurs twice`,
		"openapi: 3.1.0\nopenapi: 3.1.0":        "twice",
		"a: &a [*a]":                            "alias",
		"a: &a {b: 1}\nc: {<<: *a}":             "merge key",
		"\t- x: [":                              "is neither JSON nor YAML",
		"a: !!int 0x" + strings.Repeat("f", 2000): "is not a valid JSON number",
		"a: .inf":                "is not a valid JSON number",
		"\xff":                   "is not UTF-8",
		strings.Repeat("[", 300): "is neither JSON nor YAML",
		strings.Repeat("[", 300) + strings.Repeat("]", 300): "more than 200 levels deep",
	} {
		_, _, err := Convert("doc", []byte(text), Options{})
		var list stricttoml.Errors
		if !errors.As(err, &list) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q gives %v, want %q", text, err, want)
		}
	}
}

// A document whose YAML aliases expand without limit is refused because of its size or depth.
func TestGrowth(t *testing.T) {
	for level, want := range map[string]string{
		"a%[1]d: &a%[1]d {allOf: [*a%[2]d, *a%[2]d]}\n": "larger than 256KiB",
		"a%[1]d: &a%[1]d {not: *a%[2]d}\n":              "nest more than 128 levels deep",
		"a%[1]d: &a%[1]d {const: {x: *a%[2]d}}\n":       "nest more than 128 levels deep",
	} {
		text := document31 + "a0: &a0 {type: string}\n"
		levels := 40
		if strings.Contains(want, "deep") {
			levels = 200
		}
		for i := range levels {
			text += fmt.Sprintf(level, i+1, i)
		}
		text += fmt.Sprintf("paths:\n  /x:\n    get: {parameters: [{name: p, in: query, schema: *a%d}]}\n", levels)
		if _, _, refused := imported(t, text); len(refused) != 1 || !strings.Contains(refused.Error(), want) {
			t.Errorf("%s gives %v, want %q", level, refused, want)
		}
	}
}

// A JSON document may contain escapes and tabs that YAML does not allow. Its errors still have the
// right line and column.
func TestJSON(t *testing.T) {
	text := "{\n\t\"openapi\": \"3.1.0\",\n\t\"servers\": [{\"url\": \"https:\\/\\/api.example.com\"}],\n\t\"paths\": {\"/x\": {\"get\": {\"summary\": \"é \\ud83d\\ude00\"}, \"trace\": {}}}\n}"
	tools, _, refused := imported(t, text)
	if m := tools["get_x"]; m == nil || m.Title != "é 😀" {
		t.Errorf("got %+v", m)
	}
	if len(refused) != 1 || refused[0].Line != 4 || refused[0].Column != 66 {
		t.Errorf("refused %v, want one at 4:66", refused)
	}
}

// A server cannot get the secret of another server, regardless of its name and its document.
func TestSecretNamesDifferByServer(t *testing.T) {
	type use struct{ url, scheme string }
	long := strings.Repeat("a", 60) + ".example.com"
	seen := make(map[string]use)
	for _, u := range []use{
		{"https://api.example.com/v1", "appKey"},
		{"http://api.example.com/v1", "appKey"},
		{"https://api.example.com:8443/v1", "appKey"},
		{"http://api.example.com:8443/v1", "appKey"},
		{"https://api.example.com.evil/", "appKey"},
		{"https://api.example.com.app/", "key"},
		{"https://api-example.com/", "appKey"},
		{"https://api.example/", "com_appKey"},
		{"https://api.example.com-.evil.com/", "appKey"},
		{"https://api.example.com_app/", "key"},
		{"https://api.example.com./", "appKey"},
		{"https://[::1]/", "appKey"},
		{"https://1/", "appKey"},
		{"https://host/", "1___appKey"},
		{"https://" + long + "/", "appKey"},
		{"https://" + long + ".evil/", "appKey"},
		{"https://" + long + "/", "otherKey"},
	} {
		name := secretName(serverName(u.url), u.scheme)
		if other, taken := seen[name]; taken {
			t.Errorf("%v has the secret of %v: %s", u, other, name)
		}
		if strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" || len(name) > tooldir.MaxName || name != strings.Trim(name, "_") {
			t.Errorf("%v: the name is %q", u, name)
		}
		seen[name] = u
	}
	for url, want := range map[string]string{
		"https://API.example.com:443/v1": "API_EXAMPLE_COM___BEARER_AUTH",
		"http://localhost:3000":          "LOCALHOST_HTTP_3000___BEARER_AUTH",
		"http://127.0.0.1:3000":          "HOST___127_0_0_1_HTTP_3000___BEARER_AUTH",
	} {
		if got := secretName(serverName(url), "bearerAuth"); got != want {
			t.Errorf("%s: got %s, want %s", url, got, want)
		}
	}
}

func TestWriteOverwritesNothing(t *testing.T) {
	dir := t.TempDir()
	tools, _, err := Convert("doc", []byte(document31+"paths:\n  /a: {get: {}}\n  /b: {get: {}}\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "get_b"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if written, _, err := tooldir.Write(dir, tools); !errors.Is(err, tooldir.ErrExists) || len(written) > 0 {
		t.Errorf("got %v, %v", written, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("there are %v, %v", entries, err)
	}
}

func FuzzConvert(f *testing.F) {
	f.Add([]byte(document30 + "paths:\n  /a/{b}:\n    post: {parameters: [{name: b, in: path, schema: {nullable: true}}], requestBody: {content: {application/json: {schema: {type: object, properties: {x: {}}}}}}}\n"))
	f.Add([]byte(document31 + "security: [{a: []}]\ncomponents: {securitySchemes: {a: {type: http, scheme: basic}}}\npaths: {/x: {get: {servers: [{url: 'http://{h}', variables: {h: {default: h.example}}}]}}}\n"))
	f.Add([]byte(`{"openapi":"3.1.0","paths":{"/x":{"get":{"operationId":"a"},"put":{"operationId":"a"}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		tools, _, err := Convert("doc", data, Options{Server: "https://api.example.com"})
		if err != nil {
			return
		}
		seen := make(map[string]bool)
		for _, tool := range tools {
			if seen[tool.Name] || !json.Valid(tool.Files[tooldir.SchemaFile]) {
				t.Errorf("%s twice, or with the schema %q", tool.Name, tool.Files[tooldir.SchemaFile])
			}
			seen[tool.Name] = true
			// An invalid value below "rest" is allowed here, because it is found when the manifest
			// is read back. Any other error means that Convert wrote wrong keys.
			if _, err := manifests.Decode("tool.toml", tool.Manifest); err != nil && !strings.Contains(err.Error(), "rest.") {
				t.Errorf("%v\n%s", err, tool.Manifest)
			}
		}
	})
}
