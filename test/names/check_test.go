package names

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// find has the index of this module.
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
		"test/names.CheckKeys":              "no test", // a function, but no test
		"test/names.TestCheck/" + row + "s": `does not say "a row of a tables"`,
		"guest.TestServe_output":            "no test", // of another module
		"testdata/script/nothing.txtar":     "no script",
	} {
		err := index.Check(name)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
}

// tables are those that name a test for each key of a format.
var tables = []string{"../../registry/config/testdata/keys.txt", "../../manifests/testdata/keys.txt"}

// No key of a file is without a test that shows by calls what it does.
func TestKeysHaveTests(t *testing.T) {
	index := find(t)
	for _, table := range tables {
		text, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range checkRows(index, string(text)) {
			t.Errorf("%s: %s", table, fault)
		}
	}
}

// checkRows says what is wrong with the tests of a table.
func checkRows(index *Index, text string) (faults []string) {
	for key, test := range rows(text) {
		if err := index.Check(test); err != nil {
			faults = append(faults, key+": "+err.Error())
		}
	}
	return faults
}

// recorder notes failures in place of failing.
type recorder struct {
	testing.TB
	said []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

func TestCheckFields(t *testing.T) {
	const table = "testdata/fields.txt"
	r := &recorder{TB: t}
	CheckKeys(r, table, []stricttoml.Key{
		{Name: "name", Want: stricttoml.WantText},
		{Name: "forgotten", Want: stricttoml.WantFlag},
		{Name: "limits", Want: stricttoml.WantTable, Members: func() []stricttoml.Key {
			return []stricttoml.Key{{Name: "fuel", Want: stricttoml.WantInteger}}
		}},
		{Name: "tools", Want: stricttoml.WantNamed, Entry: func(string) stricttoml.Key {
			return stricttoml.Key{Want: stricttoml.WantText}
		}},
	})
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	got := append(checkRows(find(t), string(text)), r.said...)
	want := []string{
		"limits.fuel: there is no test runtime.TestThatWasRenamed",
		table + ": the format has no key gone",
		table + ": no test is named that shows what forgotten does",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
