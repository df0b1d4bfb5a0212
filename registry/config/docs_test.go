package config

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/test/names"
)

func readDoc(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../docs/operator.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestDocKeys compares the rows of the table of keys with the keys that are read.
func TestDocKeys(t *testing.T) {
	var documented []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-zA-Z0-9_.]+)` \\| [^|]+\\|[^|]*\\|[^|]*\\|[^|]+\\|$").FindAllStringSubmatch(readDoc(t), -1) {
		documented = append(documented, row[1])
	}
	var read []string
	var collect func(path string, k stricttoml.Key)
	collect = func(path string, k stricttoml.Key) {
		if !slices.Contains(read, path) { // another form of the key may have added the path
			read = append(read, path)
		}
		if k.Members != nil {
			for _, m := range k.Members() {
				collect(path+"."+m.Name, m)
			}
		}
		if k.Entry != nil {
			collect(path+"."+stricttoml.AnyName, k.Entry(stricttoml.AnyName))
		}
		if k.Or != nil {
			collect(path, *k.Or)
		}
	}
	for _, k := range formatKeys() {
		collect(k.Name, k)
	}
	slices.Sort(documented)
	slices.Sort(read)
	if !slices.Equal(documented, read) {
		t.Errorf("docs/operator.md lists %q\nthe format has      %q", documented, read)
	}
}

// TestDocExample checks that the example in the document has every key.
func TestDocExample(t *testing.T) {
	_, rest, _ := strings.Cut(readDoc(t), "```toml\n")
	example, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("docs/operator.md has no example")
	}
	c := mustDecode(t, example)
	if _, err := policy.Compile(c.PolicyConfig(), policy.Known{NotLoaded: []string{"issues"}}); err != nil {
		t.Error(err)
	}
	root := stricttoml.New(FileName, []byte(example), stricttoml.Format{MaxBytes: MaxFileBytes}).Root()
	for _, key := range names.Leaves(formatKeys()) {
		if !has(root, strings.Split(key, ".")) {
			t.Errorf("the example lacks %s", key)
		}
	}
}

// All examples in the document are valid on their own.
func TestDocExamples(t *testing.T) {
	blocks := strings.Split(readDoc(t), "```toml\n")[1:]
	if len(blocks) < 4 {
		t.Errorf("the document has only %d examples", len(blocks))
	}
	for _, block := range blocks {
		text, _, _ := strings.Cut(block, "```")
		mustDecode(t, text)
	}
}

// has reports whether a node contains a key. An element stricttoml.AnyName of the key matches any
// name. has also searches the elements of lists.
func has(n *stricttoml.Node, key []string) bool {
	if n == nil {
		return false
	}
	if slices.ContainsFunc(n.Items, func(item *stricttoml.Node) bool { return has(item, key) }) {
		return true
	}
	if len(key) == 0 {
		return true
	}
	if key[0] == stricttoml.AnyName {
		return slices.ContainsFunc(n.Members, func(m *stricttoml.Member) bool { return has(m.Value, key[1:]) })
	}
	return has(n.Get(key[0]), key[1:])
}

// The document lists every place where the program looks for the operator's file.
func TestDocPlaces(t *testing.T) {
	doc := readDoc(t)
	for _, name := range []string{PathVariable, filepath.ToSlash(filepath.Join("wasmtool", FileName)), "256 KiB"} {
		if !strings.Contains(doc, name) {
			t.Errorf("docs/operator.md does not name %s", name)
		}
	}
}

// The error that the document shows is an actual error of the program.
func TestDocFault(t *testing.T) {
	_, err := decode(strings.Repeat("\n", 12) + "[grants]\nallow = [\"wriet:workspace\"]")
	if err == nil || !strings.Contains(readDoc(t), err.Error()) {
		t.Errorf("docs/operator.md does not show %v", err)
	}
}

// Every key at a fixed place has the default that the document gives.
func TestDocDefaults(t *testing.T) {
	doc := readDoc(t)
	row := regexp.MustCompile("(?m)^\\| `([a-z_.]+)` \\| [^|]+\\| *([^|]*?) *\\|")
	documented := make(map[string]string)
	for _, m := range row.FindAllStringSubmatch(doc, -1) {
		key, text := m[1], strings.ReplaceAll(m[2], "`", "")
		if text != "" && text != "required" && !strings.HasPrefix(key, "policy.rules.") {
			documented[key] = strings.ReplaceAll(text, "_", "")
		}
	}
	if !maps.Equal(documented, defaults) {
		t.Errorf("docs/operator.md has the defaults %q\nwant %q", documented, defaults)
	}
}
