package names

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// Leaves lists the keys of a format that hold a value, with the tables that they are in,
// such as "limits.fuel". A key of a free choice is stricttoml.AnyName.
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
	case stricttoml.WantNamed:
		list = leavesOf(path+"."+stricttoml.AnyName, k.Entry(stricttoml.AnyName))
	default:
		list = []string{path}
	}
	if k.Or != nil {
		list = append(list, leavesOf(path, *k.Or)...)
	}
	return slices.Compact(list)
}

// CheckFields fails t unless a table names, for each key of a format that holds a value and
// for no other one, tests that exist. Each line of the table is a key and a test as in
// Index.Check; lines that begin with # are remarks. root is the folder of the module.
func CheckFields(t testing.TB, root, table string, keys []stricttoml.Key) {
	t.Helper()
	index, err := Find(root)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	shown, faults := checkLines(index, string(text))
	for _, key := range Leaves(keys) {
		if !shown[key] {
			faults = append(faults, fmt.Sprintf("no test is named that shows what %s does", key))
		}
		delete(shown, key)
	}
	for _, key := range slices.Sorted(maps.Keys(shown)) {
		faults = append(faults, fmt.Sprintf("the format has no key %s", key))
	}
	for _, fault := range faults {
		t.Errorf("%s: %s", table, fault)
	}
}

// checkLines returns the keys of a table, and what is wrong with its tests.
func checkLines(index *Index, text string) (shown map[string]bool, faults []string) {
	shown = make(map[string]bool)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, name, _ := strings.Cut(line, " ")
		if err := index.Check(strings.TrimSpace(name)); err != nil {
			faults = append(faults, key+": "+err.Error())
		}
		shown[key] = true
	}
	return shown, faults
}
