package manifests

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

func readDoc(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../docs/manifest.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestDocKeys compares the rows of the table of keys with the keys that are read.
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

// TestDocExample reads the example, which shows every key that a command can have.
func TestDocExample(t *testing.T) {
	_, rest, _ := strings.Cut(readDoc(t), "```toml\n")
	example, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("docs/manifest.md has no example")
	}
	mustDecode(t, example)
	var missing []string
	var compare func(n *stricttoml.Node, prefix string, keys []stricttoml.Key)
	compare = func(n *stricttoml.Node, prefix string, keys []stricttoml.Key) {
		for _, k := range keys {
			value := n.Get(k.Name)
			switch {
			case value == nil:
				missing = append(missing, prefix+k.Name)
			case k.Want == stricttoml.WantTable:
				compare(value, k.Path+".", k.Members())
			case k.Want == stricttoml.WantTables:
				compare(value.Items[0], k.Path+".", k.Members())
			}
		}
	}
	compare(newChecker("tool.toml", []byte(example)).Root(), "", formatKeys())
	// These are for tools that are not like the example.
	if !slices.Equal(missing, []string{"module.entry", "module.warm", "parameters_file"}) {
		t.Errorf("the example lacks %q", missing)
	}
}
