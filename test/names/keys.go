package names

import (
	"iter"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// Leaves returns the paths of all keys of a format that have a value, such as "limits.fuel". Where
// the author of a file chooses the name of a key, the path has stricttoml.AnyName.
func Leaves(keys []stricttoml.Key) []string { return leaves("", keys) }

func leaves(prefix string, keys []stricttoml.Key) []string {
	var list []string
	for _, k := range keys {
		list = append(list, leavesOf(prefix+k.Name, k)...)
	}
	return list
}

func leavesOf(path string, k stricttoml.Key) []string {
	var list []string
	switch k.Want {
	case stricttoml.WantTable, stricttoml.WantTables:
		list = leaves(path+".", k.Members())
	case stricttoml.WantMap:
		list = leavesOf(path+"."+stricttoml.AnyName, k.Entry(stricttoml.AnyName))
	default:
		list = []string{path}
	}
	if k.Or != nil {
		list = append(list, leavesOf(path, *k.Or)...)
	}
	return slices.Compact(list)
}

// CheckKeys fails t unless the table file names a test for each key that [Leaves] returns, and for
// no other key. TestKeysHaveTests checks that those tests exist.
func CheckKeys(t testing.TB, table string, keys []stricttoml.Key) {
	t.Helper()
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	shown, leaves := make(map[string]bool), Leaves(keys)
	for key := range rows(string(text)) {
		shown[key] = true
		if !slices.Contains(leaves, key) {
			t.Errorf("%s: the format has no key %s", table, key)
		}
	}
	for _, key := range leaves {
		if !shown[key] {
			t.Errorf("%s: names no test for the key %s", table, key)
		}
	}
}

// rows yields the key and the test of each line of a table. Lines that begin with # are comments.
func rows(text string) iter.Seq2[string, string] {
	return func(yield func(key, test string) bool) {
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if key, test, _ := strings.Cut(line, " "); line != "" && !strings.HasPrefix(line, "#") && !yield(key, strings.TrimSpace(test)) {
				return
			}
		}
	}
}
