package names

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// find returns the index of the main module.
func find(t *testing.T) *Index {
	t.Helper()
	index, err := Find("../..")
	if err != nil {
		t.Fatal(err)
	}
	return index
}

func TestCheck(t *testing.T) {
	index := find(t)
	const row = "a row of a table"
	for name, want := range map[string]string{
		"test/names.TestCheck":          "",
		"test/names.TestCheck/" + row:   "",
		"runtime.FuzzLoad":              "",
		"testdata/script/sandbox.txtar": "",

		"":                                  "no test",
		"test/names.TestNothing":            "no test test/names.TestNothing",
		"test/names.CheckKeys":              "no test", // a function that is not a test
		"test/names.TestCheck/" + row + "s": `has no string "a row of a tables"`,
		"guest.TestServe_output":            "no test", // of another module
		"testdata/script/nothing.txtar":     "no script",
	} {
		err := index.Check(name)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
}

// tables are the files that name a test for each key of a format.
var tables = []string{"../../registry/config/testdata/keys.txt", "../../manifests/testdata/keys.txt"}

// TestKeysHaveTests checks that the tests named for the keys of each format exist.
func TestKeysHaveTests(t *testing.T) {
	index := find(t)
	for _, table := range tables {
		text, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range checkRows(index, string(text)) {
			t.Errorf("%s: %s", table, problem)
		}
	}
}

// checkRows returns an error message for each row of a table whose test does not exist.
func checkRows(index *Index, text string) (problems []string) {
	for key, test := range rows(text) {
		if err := index.Check(test); err != nil {
			problems = append(problems, key+": "+err.Error())
		}
	}
	return problems
}

// recorder collects failures instead of failing.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func TestCheckFields(t *testing.T) {
	const table = "testdata/fields.txt"
	r := &recorder{TB: t}
	CheckKeys(r, table, []stricttoml.Key{
		{Name: "name", Want: stricttoml.WantString},
		{Name: "forgotten", Want: stricttoml.WantBool},
		{Name: "limits", Want: stricttoml.WantTable, Members: func() []stricttoml.Key {
			return []stricttoml.Key{{Name: "fuel", Want: stricttoml.WantInteger}}
		}},
		{Name: "tools", Want: stricttoml.WantMap, Entry: func(string) stricttoml.Key {
			return stricttoml.Key{Want: stricttoml.WantString}
		}},
	})
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	got := append(checkRows(find(t), string(text)), r.failures...)
	want := []string{
		"limits.fuel: there is no test runtime.TestThatWasRenamed",
		table + ": the format has no key gone",
		table + ": names no test for the key forgotten",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
