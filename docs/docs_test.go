package docs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/wasmtool/wasmtool/docs"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/config"
)

// format is a format of files with a schema.
type format struct {
	page, keys string
	schema     map[string]any
	decode     func(text string) error
	refused    []string
}

func formats() []format {
	return []format{
		{
			"operator.md", "../registry/config/testdata/keys.txt", config.Schema(docs.Keys("operator.md")),
			func(text string) error {
				_, err := config.Decode(config.File{Path: "wasmtool.toml", Name: "wasmtool.toml"}, []byte(text), func(string) (string, bool) { return "/home/me", true })
				return err
			},
			[]string{
				"mount.data = '/x'", "mounts.data = 1", "mounts.data = { mode = 'write' }", "mounts.data = { path = '/x', mode = 'append' }",
				"grants.allow = 'kv:read'", "grants.allow = [1]", "limits.calls = '3'", "limits.calls = 1.5", "policy.ask_outside = 'yes'",
				"policy.profile = 'code'", "policy.rules = [{ tools = ['x'] }]", "[policy.rules]\neffect = 'deny'", "env.A = 1",
				"agent = { provider = 'other', model = 'x' }", "agent = { provider = 'openai' }", "[tenants.a]\ntoken = 'x'", "tools.read = true", "audit = {}",
				"[[policy.rules]]\neffect = 'deny'\ntools = ['x']\narguments = { '/a' = { glob = 'a', globs = 'b' } }",
			},
		},
		{
			"manifest.md", "../manifests/testdata/keys.txt", manifests.Schema(docs.Keys("manifest.md")),
			func(text string) error {
				_, err := manifests.Decode("tool.toml", []byte(text))
				return err
			},
			with(
				"manifest = 1\nname = 'x'\nversion = '1.0.0'\ndescription = 'Does it.'\n",
				"module = 'a.wasm'", "module = { path = 'a.wasm', abi = 'wasm' }", "module = { path = 'a.wasm', arg = [] }", "tags = 'a'", "tags = [true]",
				"dangerous = 1", "limits.fuel = '1'", "permissions.fs = [{ mount = 'a' }]", "permissions.fs = { mount = 'a', mode = 'read' }",
				"permissions.kv = 'all'", "permissions.net = [{ url = 'any', methods = 'GET' }]", "parameters = []", "examples = [{ title = 'a', error = 'oops' }]",
				"rest = { base_url = 'https://a.example', body = 1 }", "settings.a = { description = 'a' }", "mcp = { server = 'a' }",
			),
		},
	}
}

// with returns the texts, each after the text begin, and the text begin without its first line.
func with(begin string, texts ...string) []string {
	all := []string{begin[strings.Index(begin, "\n"):] + "module.path = 'a.wasm'"}
	for _, text := range texts {
		all = append(all, begin+text)
	}
	return all
}

// The schema of each format is valid in the drafts that editors support, and has a description of
// every key.
func TestSchemaOfFormats(t *testing.T) {
	for _, f := range formats() {
		for _, draft := range []string{"http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"} {
			f.schema["$schema"] = draft
			f.compile(t)
		}
		keys, err := os.ReadFile(f.keys)
		if err != nil {
			t.Fatal(err)
		}
		tested := 0
		for line := range strings.Lines(string(keys)) {
			if key := strings.Fields(line); len(key) == 2 && key[0] != "#" {
				tested++
				if !hasKey(f.schema, strings.Split(key[0], ".")) {
					t.Errorf("the schema for %s lacks %s", f.page, key[0])
				}
			}
		}
		if tested < 60 {
			t.Errorf("%s has only %d keys", f.keys, tested)
		}
		undescribed(f.schema, "", func(path string) { t.Errorf("%s: %s has no description", f.page, path) })
	}
}

func (f format) compile(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := json.Marshal(f.schema)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// hasKey reports whether a schema has a key, whose parts are names of properties, or NAME.
func hasKey(schema map[string]any, key []string) bool {
	forms, _ := schema["anyOf"].([]any)
	for _, form := range forms {
		if hasKey(form.(map[string]any), key) {
			return true
		}
	}
	if items, ok := schema["items"].(map[string]any); ok {
		return hasKey(items, key)
	}
	if len(key) == 0 {
		// The schema of any value has only a description.
		return schema["type"] != nil || len(schema) <= 1
	}
	next, ok := schema["additionalProperties"].(map[string]any)
	if properties, table := schema["properties"].(map[string]any); table {
		next, ok = properties[key[0]].(map[string]any)
	}
	return ok && hasKey(next, key[1:])
}

// undescribed calls report for each property without a description.
func undescribed(schema map[string]any, path string, report func(path string)) {
	for name, value := range schema {
		switch value := value.(type) {
		case map[string]any:
			if name != "properties" {
				undescribed(value, path, report)
				continue
			}
			for key, property := range value {
				if property := property.(map[string]any); property["description"] == nil {
					report(path + "." + key)
				}
				undescribed(property.(map[string]any), path+"."+key, report)
			}
		case []any:
			for _, form := range value {
				undescribed(form.(map[string]any), path, report)
			}
		}
	}
}

// The schemas accept every file of the repository that the program accepts, and refuse files that
// the program refuses for their keys and types.
func TestSchemaFitsTheDecoder(t *testing.T) {
	texts := files(t)
	for _, f := range formats() {
		schema, accepted := f.compile(t), 0
		for name, text := range texts {
			if f.decode(text) != nil {
				continue
			}
			accepted++
			if err := schema.Validate(value(t, text)); err != nil {
				t.Errorf("%s is valid, but not by the schema for %s: %v", name, f.page, err)
			}
		}
		if accepted < 20 {
			t.Errorf("only %d files are valid for %s", accepted, f.page)
		}
		for _, text := range f.refused {
			if err := f.decode(text); err == nil {
				t.Errorf("%s: the program accepts %s", f.page, text)
			}
			if schema.Validate(value(t, text)) == nil {
				t.Errorf("%s: the schema accepts %s", f.page, text)
			}
		}
	}
}

// files returns the TOML files of the repository, of its scripts, and of its documentation.
func files(t *testing.T) map[string]string {
	t.Helper()
	texts := make(map[string]string)
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".." {
			return fs.SkipDir
		}
		ext := filepath.Ext(path)
		if ext != ".toml" && ext != ".txtar" && ext != ".md" {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		switch ext {
		case ".toml":
			texts[path] = string(data)
		case ".txtar":
			for _, f := range txtar.Parse(data).Files {
				if filepath.Ext(f.Name) == ".toml" {
					texts[path+": "+f.Name] = string(f.Data)
				}
			}
		case ".md":
			for i, block := range strings.Split(string(data), "```toml\n")[1:] {
				texts[fmt.Sprint(path, ": block ", i)], _, _ = strings.Cut(block, "```")
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// value returns the JSON value of a TOML file.
func value(t *testing.T, text string) any {
	t.Helper()
	c := stricttoml.New("a.toml", []byte(text), stricttoml.Format{MaxBytes: 1 << 20, MaxItems: 1 << 10})
	raw, ok := c.JSON(c.At(), c.Root())
	if !ok {
		t.Fatalf("%v: %s", c.Err(), text)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
