package typeschema_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/cmd/wasmtool/internal/typeschema"
)

const head = "package main\n\nimport (\n\t\"context\"\n\t\"encoding/json\"\n\t\"time\"\n\n\t\"github.com/wasmtool/wasmtool/guest\"\n)\n\nvar _ json.Number\nvar _ time.Time\n\n"

// tool returns a directory with a tool in Go.
func tool(t *testing.T, source, manifest string) string {
	t.Helper()
	dir := t.TempDir()
	if err := errors.Join(
		os.WriteFile(filepath.Join(dir, "main.go"), []byte(head+source), 0o600),
		os.WriteFile(filepath.Join(dir, "tool.toml"), []byte(manifest), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestSchemasOfTypes(t *testing.T) {
	const run = "\nfunc main() { guest.Run(run) }\n"
	for name, test := range map[string]struct{ source, parameters, result string }{
		"fields": {
			`type in struct {
	// Text is the text
	// to count.
	Text  string ` + "`json:\"text\"`" + ` // not this
	Limit *int ` + "`json:\"limit\"`" + ` // how many
	Ratio float64 ` + "`json:\"ratio,omitempty\"`" + `
	Big   int64 ` + "`json:\"big,string,omitzero\"`" + `
	Data  []byte
	When  time.Time ` + "`json:\",omitempty\"`" + `
	A, B  bool ` + "`json:\",omitempty\"`" + `
	Any   any ` + "`json:\"any\"`" + `
	Skip  int ` + "`json:\"-\"`" + `
	hidden int
}
func run(_ context.Context, _ in) (string, error) { return "", nil }`,
			`{"properties":{"A":{"type":"boolean"},"B":{"type":"boolean"},"Data":{"contentEncoding":"base64","type":"string"},"When":{"format":"date-time","type":"string"},"any":{},"big":{"type":"string"},"limit":{"description":"how many","type":"integer"},"ratio":{"type":"number"},"text":{"description":"Text is the text to count.","type":"string"}},"required":["text","Data","any"],"type":"object"}`,
			"null",
		},
		"nested": {
			`type unit string
const (
	metre unit = "m"
	foot  unit = "ft"
)
type base struct { Name string ` + "`json:\"name\"`" + ` }
type point struct { X, Y float64 }
type in struct {
	base
	*extra
	Points []point ` + "`json:\"points\"`" + `
	By map[string][]unit ` + "`json:\"by\"`" + `
	Inline struct { N int } ` + "`json:\"inline\"`" + `
}
type extra struct { More string ` + "`json:\"more,omitempty\"`" + ` }
type level int
func (l *level) UnmarshalText([]byte) error { return nil }
type out struct { Level level; Raw json.RawMessage }
func run(_ context.Context, _ in) (out, error) { return out{}, nil }`,
			`{"properties":{"by":{"additionalProperties":{"items":{"enum":["m","ft"],"type":"string"},"type":"array"},"type":"object"},"inline":{"properties":{"N":{"type":"integer"}},"required":["N"],"type":"object"},"more":{"type":"string"},"name":{"type":"string"},"points":{"items":{"properties":{"X":{"type":"number"},"Y":{"type":"number"}},"required":["X","Y"],"type":"object"},"type":"array"}},"required":["name","points","by","inline"],"type":"object"}`,
			`{"properties":{"Level":{"type":"string"},"Raw":{}},"required":["Level","Raw"],"type":"object"}`,
		},
		"text":   {"func run(_ context.Context, text string) (guest.Result, error) { return guest.Result{}, nil }", "null", "null"},
		"number": {"func run(context.Context, struct{}) (float64, error) { return 0, nil }", `{"properties":{},"type":"object"}`, `{"type":"number"}`},
	} {
		got, err := typeschema.Of(tool(t, test.source+run, ""))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for what, pair := range map[string][2]any{"parameters": {got.Parameters, test.parameters}, "result": {got.Result, test.result}} {
			if text, _ := json.Marshal(pair[0]); string(text) != pair[1] {
				t.Errorf("%s: the %s are\n%s, want\n%s", name, what, text, pair[1])
			}
		}
	}
}

// What no schema is derived from says where and why.
func TestSourcesWithoutSchemas(t *testing.T) {
	for source, want := range map[string]string{
		"func main() {}": "the source has no call of guest.Run",
		"var f = func(){}\nfunc main() { guest.Run(f) }":                                                                                                      "main.go:15:25: pass a function literal",
		"func main() { guest.Run(func(context.Context) (string, error) { return \"\", nil }) }":                                                               "main.go:14:25: the function for guest.Run has a context and the arguments",
		"type in struct { Next *in }\nfunc main() { guest.Run[in, string](func(context.Context, in) (string, error) { return \"\", nil }) }":                  "main.go:14:24: the type in contains itself",
		"type in struct { F func() }\nfunc main() { guest.Run(func(context.Context, in) (string, error) { return \"\", nil }) }":                              "main.go:14:20: a function or channel",
		"type box[T any] struct { V T }\ntype in struct { B box }\nfunc main() { guest.Run(func(context.Context, in) (string, error) { return \"\", nil }) }": "main.go:15:20: no schema is derived from a generic type",
		"func main() {": "main.go has an error; run 'go build' to see it",
	} {
		if _, err := typeschema.Of(tool(t, source, "")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", source, err, want)
		}
	}
}

const source = `type in struct {
	// The text to count.
	Text string ` + "`json:\"text\"`" + `
	Max float64 ` + "`json:\"max,omitempty\"`" + `
	Modes []string ` + "`json:\"modes\"`" + `
	Any any ` + "`json:\"any,omitempty\"`" + `
}
type out struct { Words int ` + "`json:\"words\"`" + ` }
func main() { guest.Run(func(context.Context, in) (out, error) { return out{}, nil }) }`

// A manifest that is brought in step keeps what the types do not say.
func TestManifestIsBroughtInStep(t *testing.T) {
	const before = `manifest = 1 # kept
name = "n"

[parameters]
type = "object"
required = ["text", "old"]
[parameters.properties.text] # goes
type = "integer"
maxLength = 10
description = "replaced"
[parameters.properties.max]
type = "integer"
default = 3
[parameters.properties.old]
type = "string"

# The limits are kept.
[limits]
memory = "64MiB"

[[examples]]
title = """
[parameters]
"""
`
	dir := tool(t, source, before)
	schemas, err := typeschema.Of(dir)
	if err != nil {
		t.Fatal(err)
	}
	step, err := schemas.InStep(dir)
	if err == nil || !strings.Contains(err.Error(), "written in a form that cannot be changed") {
		t.Fatalf("a text that looks like a table: %v", err)
	}
	dir = tool(t, source, strings.ReplaceAll(before, "\"\"\"\n[parameters]\n\"\"\"", `"an example"`))
	if step, err = schemas.InStep(dir); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`parameters: has no "any", which the source has`,
		`parameters: has no "modes", which the source has`,
		`parameters.text: has the type integer, and the type string in the source`,
		`parameters: has "old", which the source does not have`,
	}
	if got := strings.Join(step.Differences, "\n"); !strings.HasPrefix(got, strings.Join(want, "\n")) {
		t.Errorf("got %s", got)
	}
	got := string(step.Files["tool.toml"])
	if want := `manifest = 1 # kept
name = "n"

[parameters]
required = ["modes", "text"]
type = "object"
[parameters.properties.any]
[parameters.properties.max]
default = 3
type = "integer"
[parameters.properties.modes]
type = "array"
[parameters.properties.modes.items]
type = "string"
[parameters.properties.text]
description = "The text to count."
maxLength = 10
type = "string"

# The limits are kept.
[limits]
memory = "64MiB"

[[examples]]
title = "an example"

[result]
required = ["words"]
type = "object"
[result.properties.words]
type = "integer"
`; got != want {
		t.Errorf("got\n%s", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "tool.toml"), []byte(got), 0o600); err != nil {
		t.Fatal(err)
	}
	if step, err = schemas.InStep(dir); err != nil || len(step.Differences)+len(step.Files) > 0 {
		t.Errorf("afterwards: %+v, %v", step, err)
	}
}

func TestSchemaFileIsBroughtInStep(t *testing.T) {
	dir := tool(t, source, "parameters_file = \"p.json\"\n[result]\ntype = \"object\"\n[result.properties.words]\ntype = \"number\"\n")
	if err := os.WriteFile(filepath.Join(dir, "p.json"), []byte(`{"type": "object", "properties": {"text": {"type": ["string", "null"]}}, "maxProperties": 7}`), 0o600); err != nil {
		t.Fatal(err)
	}
	schemas, err := typeschema.Of(dir)
	if err != nil {
		t.Fatal(err)
	}
	step, err := schemas.InStep(dir)
	if err != nil {
		t.Fatal(err)
	}
	var compact strings.Builder
	for _, word := range strings.Fields(string(step.Files["p.json"])) {
		compact.WriteString(word)
	}
	if got, want := compact.String(), `{"maxProperties":7,"properties":{"any":{},"max":{"type":"number"},"modes":{"items":{"type":"string"},"type":"array"},"text":{"description":"Thetexttocount.","type":["string","null"]}},"required":["modes","text"],"type":"object"}`; got != want {
		t.Errorf("got %s", got)
	}
	if got := strings.Join(step.Differences, "\n"); !strings.Contains(got, "result.words: has the type number, and the type integer in the source") {
		t.Errorf("got %s", got)
	}
}
