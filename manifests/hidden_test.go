package manifests

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// A hidden character in any string of a manifest is reported. The test inserts a zero-width
// character into one string at a time. Together, its manifests have every key.
func TestHiddenCharactersInEveryString(t *testing.T) {
	var texts []string
	for _, block := range strings.Split(readDoc(t), "```toml\n")[1:] {
		if text, _, _ := strings.Cut(block, "```"); strings.HasPrefix(text, "manifest = 1") {
			texts = append(texts, text)
		}
	}
	for _, directory := range []string{"../guest-examples", "../guest-examples/tools"} {
		files, err := filepath.Glob(directory + "/*/tool.toml")
		if err != nil || len(files) == 0 {
			t.Fatalf("no manifests in %s: %v", directory, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(text))
		}
	}
	tried := make(map[string]bool)
	for _, text := range texts {
		c := newChecker("tool.toml", []byte(text))
		eachString(c.Root(), "", func(key string, offset int) {
			if tried[key] {
				return // an earlier manifest of this test has the same key
			}
			tried[key] = true
			line, column := c.Position(stricttoml.Place{Offset: offset})
			inside := offset + 1
			if strings.HasPrefix(text[offset:], `"""`) || strings.HasPrefix(text[offset:], "'''") {
				inside = offset + 3
			}
			_, err := Decode("tool.toml", []byte(text[:inside]+"\u200b"+text[inside:]))
			where := fmt.Sprintf("tool.toml:%d:%d: ", line, column)
			if err == nil || !strings.Contains("\n"+err.Error(), "\n"+where) || !strings.Contains(err.Error(), "contains U+200B, ") {
				t.Errorf("%s: got %v, want one with %s and U+200B", key, err, where)
			}
		})
	}
	if len(tried) < 80 {
		t.Errorf("tried %d keys", len(tried))
	}
}

// eachString visits strings with their paths, without indices.
func eachString(n *stricttoml.Node, path string, visit func(key string, offset int)) {
	if n.Kind == stricttoml.KindString {
		visit(path, n.Offset)
	}
	for _, m := range n.Members {
		eachString(m.Value, path+"."+m.Name, visit)
	}
	for _, item := range n.Items {
		eachString(item, path+"[]", visit)
	}
}

func TestHiddenCharactersInParametersFile(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"tool.toml": strings.Replace(head, "description", "parameters_file = \"p.json\"\ndescription", 1) + "[module]\npath = \"m.wasm\"\n",
		"m.wasm":    "\x00asm\x01\x00\x00\x00",
		"p.json":    `{"type":"object","properties":{"a":{"enum":["x\u200b"]}}}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	directory, err := OpenDirectory(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer directory.Close()
	const want = `tool.toml:4:19: parameters_file: "p.json": /properties/a/enum/0 contains U+200B, `
	if _, err := Read(directory, FileName); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}
