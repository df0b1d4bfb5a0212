package llm_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// corpus is the tools of one published MCP server; see testdata/README.md.
type corpus struct {
	Package string `json:"package"`
	Tools   []struct {
		Name   string          `json:"name"`
		Schema json.RawMessage `json:"schema"`
	} `json:"tools"`
	file string
}

// corpora returns all files of testdata/schemas.
func corpora(t *testing.T) []corpus {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "schemas", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []corpus
	total := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c := corpus{file: filepath.Base(file)}
		if err := json.Unmarshal(text, &c); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		total += len(c.Tools)
		all = append(all, c)
	}
	if total < 100 {
		t.Fatalf("there are %d schemas, want 100", total)
	}
	return all
}

func (c corpus) infos() []catalogue.Info {
	var infos []catalogue.Info
	for _, one := range c.Tools {
		infos = append(infos, info(one.Name, string(one.Schema)))
	}
	return infos
}

// info returns a tool with a name and a schema for its arguments.
func info(name, schema string) catalogue.Info {
	return catalogue.Info{Spec: tool.Spec{Name: name, Description: "A tool.", Parameters: json.RawMessage(schema)}}
}
