package convert

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/wasmtool/wasmtool/guest-examples/internal/corpora"
	"github.com/wasmtool/wasmtool/guest-examples/internal/jsonvalue"
)

// suiteCase is a case of yaml-test-suite.
type suiteCase struct {
	YAML string
	Fail bool
	JSON yaml.Node // a string; null if the value can't be written as JSON
	Skip bool      // the suite does not run the file
}

// TestSuite runs the cases of yaml-test-suite. Invalid documents must be refused, and the value of
// others must be as the suite has it in JSON. Exactly the cases in testdata/suite.txt fail.
func TestSuite(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(corpora.Dir(t, "yaml-test-suite"), "src", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	var results corpora.Results
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var cases []suiteCase
		if err := yaml.Unmarshal(content, &cases); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for i, c := range cases {
			if cases[0].Skip {
				break
			}
			if i > 0 && c.YAML == "" { // a case without data has the data of the case before it
				c.YAML = cases[i-1].YAML
			}
			if i > 0 && c.JSON.Kind == 0 {
				c.JSON = cases[i-1].JSON
			}
			cases[i] = c
			id := strings.TrimSuffix(filepath.Base(file), ".yaml")
			if len(cases) > 1 {
				id += fmt.Sprintf("/%02d", i)
			}
			err := c.check(unescapeSuite(c.YAML))
			if err != nil {
				t.Logf("%s: %v", id, err)
			}
			results.Add(id, err == nil)
		}
	}
	corpora.Check(t, filepath.Join("testdata", "suite.txt"), results)
}

// check returns an error if the tool does not read the document as the suite demands. By design, it
// refuses several documents, and what JSON lacks.
func (c suiteCase) check(text string) error {
	got, err := readYAML(text)
	if c.Fail {
		if err == nil {
			return errors.New("an invalid document is accepted")
		}
		return nil
	}
	if c.JSON.Kind == 0 || c.JSON.ShortTag() == "!!null" {
		return nil
	}
	want, jsonErr := jsonvalue.ParseText(c.JSON.Value)
	if jsonErr != nil {
		want = []jsonvalue.Value{jsonvalue.NewNull()}
	}
	if len(want) != 1 {
		if err == nil || !strings.Contains(err.Error(), "more than one document") {
			return fmt.Errorf("%d documents: got %v", len(want), err)
		}
		return nil
	}
	if err != nil {
		return err
	}
	if got.Key() != want[0].Key() {
		return fmt.Errorf("got %s, want %s", got, want[0])
	}
	return nil
}

// unescapeSuite replaces the visible characters that the suite writes in place of invisible ones.
func unescapeSuite(text string) string {
	text = strings.NewReplacer("␣", " ", "—", "", "»", "\t", "↵", "", "←", "\r", "⇔", "\ufeff").Replace(text)
	if cut, found := strings.CutSuffix(text, "∎\n"); found {
		return cut
	}
	return text
}
