package corpora

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recorder records the errors of a test.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper()             {}
func (r *recorder) Logf(string, ...any) {}
func (r *recorder) Errorf(format string, a ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, a...))
}
func (r *recorder) Fatal(a ...any) { r.errors = append(r.errors, fmt.Sprint(a...)) }

func TestResultsMustMatchList(t *testing.T) {
	results := Results{}
	results.Add("right", true)
	results.Add("wrong", false)
	for list, want := range map[string][]string{
		"# Because.\nwrong\n":             nil,
		"# Because.\nwrong\nright\n":      {"passes now"},
		"# Because.\nwrong\nold\n":        {"not in the suite"},
		"# Because.\n":                    {"new failure: wrong"},
		"# Because.\n\nwrong\n":           {"has no reason", "new failure: wrong"},
		"# Because.\nwrong\n\n# And.\n\n": nil,
	} {
		path := filepath.Join(t.TempDir(), "list")
		if err := os.WriteFile(path, []byte(list), 0o600); err != nil {
			t.Fatal(err)
		}
		r := &recorder{}
		results.Check(r, path)
		if len(r.errors) != len(want) {
			t.Errorf("%q: got %q", list, r.errors)
			continue
		}
		for i, part := range want {
			if !strings.Contains(r.errors[i], part) {
				t.Errorf("%q: got %q", list, r.errors)
			}
		}
	}
}
