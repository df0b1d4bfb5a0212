package anthropictools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// docs/adapters.md shows only code that the example runs.
func TestDocument(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "adapters.md"))
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Anthropic's SDK\n")
	section, _, _ = strings.Cut(section, "\n## ")
	_, code, _ := strings.Cut(section, "```go\n")
	code, _, closed := strings.Cut(code, "```")
	if !closed || !strings.Contains(code, "anthropictools.Tools(") {
		t.Fatalf("the section shows no program: %q", section)
	}
	// The example has another client and another workspace.
	other := map[string]bool{
		"ctx, client := context.Background(), anthropic.NewClient()": true,
		`reg, err := standard.New(standard.Options{Workspace: "."})`: true,
	}
	for line := range strings.Lines(code) {
		if line = strings.TrimSpace(line); !other[line] && !strings.Contains(string(source), line) {
			t.Errorf("the example has no line %s", line)
		}
	}
}
