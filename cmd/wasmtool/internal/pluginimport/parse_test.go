package pluginimport

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/manifests"
)

// The tool descriptions of a plug-in are either all valid, or refused as a whole.
func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		``:                                      "not a JSON object with a list",
		`[]`:                                    "not a JSON object with a list",
		`{"tools":{}}`:                          "not a JSON object with a list",
		`{"tools":[7]}`:                         "not a JSON object with a list",
		`{"tools":[]}`:                          "0 tools",
		`{"tools":[{}]}`:                        "no name",
		`{"tools":[{"name":"a"},{"name":"a"}]}`: "the same name as another tool",
		`{"tools":[` + strings.Repeat(`{"name":"a"},`, maxTools) + `{"name":"a"}]}`:       "a plug-in may have",
		`{"tools":[{"name":"a","inputSchema":"` + strings.Repeat("x", maxSchema) + `"}]}`: "bytes",
	} {
		if _, err := parse([]byte(text), "call"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: got %v, want %s", text, err, want)
		}
	}
	tools, err := parse([]byte(`{"tools":[{"name":"a","inputSchema":null},{"name":"b","title":"B","inputSchema":{"type":"object"}}]}`), "call")
	if err != nil || len(tools) != 2 || string(tools[0].schema) != `{"type":"object"}` || tools[1].title != "B" {
		t.Errorf("got %+v, %v", tools, err)
	}
}

// Invisible characters in the description of a plug-in are removed or escaped, and reported.
func TestHiddenCharacters(t *testing.T) {
	for definition, want := range map[string]string{
		`"title":"T\u200b"`:       "the title contains U+200B, ",
		`"description":"D\u202e"`: "the description contains U+202E, ",
		`"inputSchema":{"properties":{"a":{"title":"\u00ad"}}}`: "the schema: /properties/a/title contains U+00AD, ",
	} {
		tools, err := parse([]byte(`{"tools":[{"name":"a",`+definition+`}]}`), "call")
		if err != nil || len(tools[0].cleaned) != 1 || !strings.HasPrefix(tools[0].cleaned[0], want) {
			t.Errorf("%s: got %+v, %v", definition, tools, err)
			continue
		}
		if text, err := tools[0].manifest("a"); err != nil || !plaintext.Plain(string(text), plaintext.Lines) {
			t.Errorf("%s: got %s, %v", definition, text, err)
		}
		if err := jsonschema.CheckTexts(tools[0].schema); err != nil {
			t.Errorf("%s: %v", definition, err)
		}
	}
}

// No description of a tool can add keys or permissions to the manifest.
func FuzzManifest(f *testing.F) {
	f.Add("say.Hello", "Hello", "Says hello.")
	f.Add("a\"\nabi = \"command\"", "'''", "\"\"\"\n[[permissions.net]]\nurl = \"any\"")
	f.Add("", "\x00", "\u202e\r\n")
	f.Add("\xa1", "0", "0")
	f.Fuzz(func(t *testing.T, name, title, description string) {
		text, err := pluginTool{name: name, title: title, description: description, entry: "call", mcp: true}.manifest("x")
		if err != nil {
			return
		}
		m, err := manifests.Decode("tool.toml", text)
		if err != nil {
			return // the manifest is refused when it is read back
		}
		if m.Module.MCPTool != name || m.Module.ABI != manifests.ABIExtism || fmt.Sprint(m.Permissions) != fmt.Sprint(new(manifests.Manifest).Permissions) {
			t.Errorf("%q became %+v", name, m)
		}
	})
}
