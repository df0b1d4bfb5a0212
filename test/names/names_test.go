package names

import (
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
		"test/names.CheckFields":            "no test", // a function, but no test
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

// recorder notes failures in place of failing.
type recorder struct {
	testing.TB
	said []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	for _, a := range args[1:] {
		r.said = append(r.said, a.(string))
	}
}

func TestCheckFields(t *testing.T) {
	r := &recorder{TB: t}
	CheckFields(r, "../..", "testdata/fields.txt", []stricttoml.Key{
		{Name: "name", Want: stricttoml.WantText},
		{Name: "forgotten", Want: stricttoml.WantFlag},
		{Name: "limits", Want: stricttoml.WantTable, Members: func() []stricttoml.Key {
			return []stricttoml.Key{{Name: "fuel", Want: stricttoml.WantInteger}}
		}},
		{Name: "tools", Want: stricttoml.WantNamed, Entry: func(string) stricttoml.Key {
			return stricttoml.Key{Want: stricttoml.WantText}
		}},
	})
	want := []string{
		"limits.fuel: there is no test runtime.TestThatWasRenamed",
		"no test is named that shows what forgotten does",
		"the format has no key gone",
	}
	if got := strings.Join(r.said, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}
