package llm_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/llm"
)

// mode is a format, with or without strict mode.
type mode struct {
	format llm.Format
	strict bool
}

func modes() []mode {
	return []mode{
		{llm.OpenAI, false},
		{llm.OpenAI, true},
		{llm.OpenAIResponses, false},
		{llm.OpenAIResponses, true},
		{llm.Anthropic, false},
		{llm.Anthropic, true},
		{llm.Gemini, false},
		{llm.Mistral, false},
		{llm.MCP, false},
	}
}

func (m mode) String() string {
	if m.strict {
		return string(m.format) + "-strict"
	}
	return string(m.format)
}

var update = flag.Bool("update", false, "write the golden files")

// Real schemas are converted to schemas that each provider accepts. The golden files show the
// schemas and losses to the reviewer of a change.
func TestRealSchemas(t *testing.T) {
	t.Parallel()
	for _, m := range modes() {
		t.Run(m.String(), func(t *testing.T) {
			t.Parallel()
			// Responses has the same schemas as OpenAI, and MCP has the schemas of the tools.
			sameAsOther := m.format == llm.OpenAIResponses || m.format == llm.MCP
			all := corpora(t)
			if sameAsOther {
				all = all[:1]
			}
			var golden bytes.Buffer
			for _, c := range all {
				tools, err := llm.New(m.format, c.infos(), llm.Options{Strict: m.strict})
				if err != nil {
					t.Fatalf("%s: %v", c.file, err)
				}
				schemas := checkDefinitions(t, m.format, tools.Definitions())
				if len(schemas) != len(c.Tools) {
					t.Errorf("%s: %d definitions for %d tools", c.file, len(schemas), len(c.Tools))
				}
				writeGolden(t, &golden, c, schemas, tools.Losses())
			}
			if sameAsOther {
				return
			}
			compare(t, filepath.Join("testdata", "golden", m.String()+".txt"), golden.Bytes())
		})
	}
}

// writeGolden writes the schemas of a corpus, with long descriptions cut, and the losses.
func writeGolden(t *testing.T, w *bytes.Buffer, c corpus, schemas map[string]json.RawMessage, losses []llm.Loss) {
	t.Helper()
	for _, one := range c.Tools {
		fmt.Fprintf(w, "# %s %s\n", c.Package, one.Name)
		var v any
		if schema := schemas[one.Name]; schema != nil {
			if err := json.Unmarshal(schema, &v); err != nil {
				t.Fatal(err)
			}
		}
		shorten(v)
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
		for _, l := range losses {
			if l.Tool == one.Name {
				fmt.Fprintf(w, "- %s\n", l)
			}
		}
	}
}

// shorten cuts the beginnings of long descriptions. It keeps the ends, because the converter
// appends its notes there.
func shorten(v any) {
	const limit = 40
	switch v := v.(type) {
	case map[string]any:
		if text, ok := v["description"].(string); ok && len([]rune(text)) > limit {
			runes := []rune(text)
			v["description"] = "..." + string(runes[len(runes)-limit:])
		}
		for _, child := range v {
			shorten(child)
		}
	case []any:
		for _, child := range v {
			shorten(child)
		}
	}
}

func compare(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	was, is := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
	for i := range max(len(was), len(is)) {
		if i >= len(was) || i >= len(is) || was[i] != is[i] {
			t.Fatalf("%s differs from line %d on; look at it with: go test ./registry/llm -update && git diff", file, i+1)
		}
	}
}
