package standard_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// docs/embedding.md shows exactly the code that the examples run.
func TestEmbeddingDocument(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "embedding.md"))
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_embedding_test.go")
	if err != nil {
		t.Fatal(err)
	}
	// These lines of the document are not in the examples: the declarations of a whole program, and
	// the line that sets the workspace.
	other := map[string]bool{"package main": true, "func main() {": true, `tools, err := standard.New(standard.Options{Workspace: "."})`: true}
	blocks := strings.Split(string(doc), "```go\n")[1:]
	if len(blocks) < 5 {
		t.Fatalf("the document shows %d programs", len(blocks))
	}
	for _, block := range blocks {
		code, _, _ := strings.Cut(block, "```")
		for line := range strings.Lines(code) {
			if line = strings.TrimSpace(line); !other[line] && !strings.Contains(string(source), line) {
				t.Errorf("no example has the line %s", line)
			}
		}
	}
}
