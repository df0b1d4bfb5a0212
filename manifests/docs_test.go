package manifests

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/test/names"
)

func readDoc(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../docs/manifest.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestDocKeys checks that the table of keys in the document has a row for exactly those keys that
// this package reads.
func TestDocKeys(t *testing.T) {
	var documented []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z0-9_.]+)` \\|").FindAllStringSubmatch(readDoc(t), -1) {
		documented = append(documented, row[1])
	}
	var read []string
	var collect func(prefix string, keys []stricttoml.Key)
	collect = func(prefix string, keys []stricttoml.Key) {
		for _, k := range keys {
			read = append(read, prefix+k.Name)
			if k.Members != nil {
				if k.Path != prefix+k.Name {
					t.Errorf("table %s has the path %q", prefix+k.Name, k.Path)
				}
				collect(prefix+k.Name+".", k.Members())
			}
		}
	}
	collect("", formatKeys())
	if !slices.Equal(documented, read) {
		t.Errorf("docs/manifest.md lists %q\nthe format has     %q", documented, read)
	}
}

// TestDocExample checks that the example in the document has every key that a command can have.
func TestDocExample(t *testing.T) {
	_, rest, _ := strings.Cut(readDoc(t), "```toml\n")
	example, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("docs/manifest.md has no example")
	}
	mustDecode(t, example)
	var missing []string
	// compare records the keys that are missing. In a list of tables, one element with the key is
	// enough.
	var compare func(nodes []*stricttoml.Node, prefix string, keys []stricttoml.Key)
	compare = func(nodes []*stricttoml.Node, prefix string, keys []stricttoml.Key) {
		for _, k := range keys {
			var values []*stricttoml.Node
			for _, n := range nodes {
				value := n.Get(k.Name)
				if k.Want == stricttoml.WantTables {
					values = append(values, value.Elements()...)
				} else if value != nil {
					values = append(values, value)
				}
			}
			switch {
			case len(values) == 0:
				missing = append(missing, prefix+k.Name)
			case k.Members != nil:
				compare(values, k.Path+".", k.Members())
			}
		}
	}
	compare([]*stricttoml.Node{newChecker("tool.toml", []byte(example)).Root()}, "", formatKeys())
	// The tool in the example cannot have these keys, because they are for other kinds of tools.
	if !slices.Equal(missing, []string{"module.runtime", "module.entry", "module.mcp_tool", "module.config", "module.warm", "script", "rest", "mcp", "describe", "parameters_file"}) {
		t.Errorf("the example lacks %q", missing)
	}
}

// Each key has a test which shows how the key affects calls.
func TestKeysHaveTests(t *testing.T) {
	names.CheckKeys(t, "testdata/keys.txt", formatKeys())
}

// TestDocManifests reads the complete manifests in the document, and the example file with a
// request.
func TestDocManifests(t *testing.T) {
	read := 0
	for _, block := range strings.Split(readDoc(t), "```toml\n")[1:] {
		text, _, _ := strings.Cut(block, "```")
		if strings.HasPrefix(text, "manifest = 1") {
			mustDecode(t, text)
			read++
		}
	}
	if read < 2 {
		t.Errorf("read %d manifests", read)
	}
	example, err := os.ReadFile("../guest-examples/issues/tool.toml")
	if err != nil {
		t.Fatal(err)
	}
	if asks := mustDecode(t, string(example)).Permissions.String(); asks != "net:https://api.github.com/search/issues, secret:GITHUB_TOKEN" {
		t.Errorf("the example asks for %s", asks)
	}
}
