package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/manifests"
)

// Each program has commands that fetch it, a place in both tables, and manifests with examples.
// 'make programs' runs the commands and the examples.
func TestProgramsAreDocumented(t *testing.T) {
	entries, err := os.ReadDir("../programs")
	if err != nil {
		t.Fatal(err)
	}
	readme, page := content(t, "../programs/README.md"), content(t, "programs.md")
	programs := 0
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		programs++
		if !strings.Contains(readme, "```sh "+e.Name()+"\n") {
			t.Errorf("programs/README.md has no commands for %s", e.Name())
		}
		if !strings.Contains(readme, "| ["+e.Name()+"](") || !strings.Contains(page, "](../programs/"+e.Name()) {
			t.Errorf("%s is missing in the table of programs/README.md or of docs/programs.md", e.Name())
		}
	}
	if programs < 5 {
		t.Errorf("only %d programs", programs)
	}
	tools := 0
	err = filepath.WalkDir("../programs", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "tool.toml" {
			return err
		}
		tools++
		m, err := manifests.Decode(path, []byte(content(t, path)))
		if err != nil {
			t.Error(err)
		} else if len(m.Examples) == 0 {
			t.Errorf("%s has no examples", path)
		}
		return nil
	})
	if err != nil || tools < programs {
		t.Errorf("%d manifests, %v", tools, err)
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
