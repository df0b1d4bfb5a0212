package manifests

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
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
	var collect func(prefix string, keys []key)
	collect = func(prefix string, keys []key) {
		for _, k := range keys {
			read = append(read, prefix+k.name)
			if k.members != nil {
				if k.path != prefix+k.name {
					t.Errorf("table %s has the path %q", prefix+k.name, k.path)
				}
				collect(prefix+k.name+".", k.members())
			}
		}
	}
	collect("", (&checker{}).keys(new(Manifest)))
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
	root, err := parse(newDocument([]byte(example)))
	if err != nil {
		t.Fatal(err)
	}
	var missing []string
	var compare func(n *node, prefix string, keys []key)
	compare = func(n *node, prefix string, keys []key) {
		for _, k := range keys {
			value := n.get(k.name)
			switch {
			case value == nil:
				missing = append(missing, prefix+k.name)
			case k.want == wantTable:
				compare(value, k.path+".", k.members())
			case k.want == wantTables:
				compare(value.items[0], k.path+".", k.members())
			}
		}
	}
	compare(root, "", (&checker{}).keys(new(Manifest)))
	// These are for tools that are not like the example.
	if !slices.Equal(missing, []string{"module.entry", "module.warm", "parameters_file"}) {
		t.Errorf("the example lacks %q", missing)
	}
}
