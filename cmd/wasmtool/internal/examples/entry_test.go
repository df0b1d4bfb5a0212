package examples

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/manifests"
)

// A manifest with the text of Entry has the same example again.
func TestEntryReadsBack(t *testing.T) {
	want := manifests.Example{
		Title: "All of it", Arguments: json.RawMessage(`{"a b":[1,-0.5,true,{}],"text":"it's \"x\"\\\n\ttwo"}`),
		Before: []json.RawMessage{json.RawMessage(`{"a b":[]}`)},
		Files:  []manifests.ExampleFile{{ExamplePath: manifests.ExamplePath{Mount: "workspace", Path: "a/b.txt"}, Text: "one\n'two'\n"}},
		Output: "x", HasOutput: true, Now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Seed: 3,
		HTTP:    []manifests.ExampleRequest{{Method: "POST", URL: "https://x.example/a", Status: 404, Headers: map[string]string{"Content-Type": "text/plain"}, Body: manifests.ExampleBody{Text: "no", Set: true}}},
		Secrets: map[string]string{"TOKEN": "test-token"}, Store: map[string]string{"a b": "c"},
	}
	entry, err := Entry(want)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	manifest := "manifest = 1\nname = \"x\"\nversion = \"1.0.0\"\ndescription = \"X.\"\nmodule.path = \"x.wasm\"\nparameters = { type = \"object\", additionalProperties = true }\n" + `
[permissions]
clock = true
random = true
kv = "write"
fs = [{ mount = "workspace", mode = "read" }]
net = [{ url = "https://x.example/", methods = ["POST"], secrets = [{ name = "TOKEN", query = "t" }] }]
` + entry
	if err := os.WriteFile(filepath.Join(dir, manifests.FileName), []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	directory, err := manifests.OpenDirectory(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer directory.Close()
	m, err := manifests.ReadUnbuilt(directory, manifests.FileName)
	if err != nil {
		t.Fatalf("%v\n%s", err, entry)
	}
	if got := m.Examples[0]; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v\n%s", got, want, entry)
	}
}

// An example that no manifest can have is refused with the reason.
func TestEntryRefusesNullAndHiddenCharacters(t *testing.T) {
	for _, arguments := range []string{`{"a":[null]}`, `{"a":"\u200b"}`, `{"a":"\u0000"}`} {
		if text, err := Entry(manifests.Example{Title: "x", Arguments: json.RawMessage(arguments)}); err == nil {
			t.Errorf("%s: got %s", arguments, text)
		}
	}
}
