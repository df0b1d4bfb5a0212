package stricttoml

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"strconv"
	"strings"
	"testing"

	tomltest "github.com/toml-lang/toml-test/v2"
)

// differences maps names of toml-test files to the reason why this package differs from the suite
// for that file.
var differences = map[string]string{
	"invalid/datetime/offset-overflow-minute.toml": "the library accepts the offset +12:60; no format here has a date, so none is read",
}

// TestTOML11 reads the test suite of TOML 1.1.
func TestTOML11(t *testing.T) {
	suite := tomltest.TestCases()
	for _, name := range suiteFiles(t, "files-toml-1.1.0") {
		text, err := fs.ReadFile(suite, name)
		if err != nil {
			t.Fatal(err)
		}
		doc := newDocument(text)
		root, err := parse(doc, "")
		valid := strings.HasPrefix(name, "valid/")
		if differs := valid != (err == nil); differs != (differences[name] != "") {
			t.Errorf("%s: error %v; listed as different: %q\n%s", name, err, differences[name], text)
			continue
		}
		var syntax *syntaxError
		if errors.As(err, &syntax) {
			if line, column := doc.position(syntax.offset); line < 1 || column < 1 {
				t.Errorf("%s: %v is at %d:%d", name, err, line, column)
			}
		}
		if !valid || err != nil {
			continue
		}
		text, err = fs.ReadFile(suite, strings.TrimSuffix(name, ".toml")+".json")
		if err != nil {
			t.Fatal(err)
		}
		var want any
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		compareTagged(t, name, root, want)
	}
}

// TestTOML10 checks that all valid files of TOML 1.0 are valid here.
func TestTOML10(t *testing.T) {
	suite := tomltest.TestCases()
	for _, name := range suiteFiles(t, "files-toml-1.0.0") {
		text, err := fs.ReadFile(suite, name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parse(newDocument(text), ""); err != nil && strings.HasPrefix(name, "valid/") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// suiteFiles returns the TOML files in one of the suite's lists.
func suiteFiles(t *testing.T, list string) []string {
	t.Helper()
	text, err := fs.ReadFile(tomltest.TestCases(), list)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range strings.Lines(string(text)) {
		if name = strings.TrimSpace(name); strings.HasSuffix(name, ".toml") {
			names = append(names, name)
		}
	}
	if len(names) < 500 {
		t.Fatalf("%s lists %d files", list, len(names))
	}
	return names
}

// compareTagged compares a tree with the suite's JSON, where a scalar is an object of its type
// and its value.
func compareTagged(t *testing.T, at string, n *Node, want any) {
	t.Helper()
	if items, ok := want.([]any); ok {
		if n.Kind != KindList || len(n.Items) != len(items) {
			t.Errorf("%s: got %v with %d elements, want a list with %d", at, n.Kind, len(n.Items), len(items))
			return
		}
		for i, item := range items {
			compareTagged(t, at+"["+strconv.Itoa(i)+"]", n.Items[i], item)
		}
		return
	}
	table := want.(map[string]any)
	if kind, ok := table["type"].(string); ok {
		if value := table["value"].(string); !equalsTagged(n, kind, value) {
			t.Errorf("%s: got %v %q, want %s %q", at, n.Kind, n.Text, kind, value)
		}
		return
	}
	if n.Kind != KindTable || len(n.Members) != len(table) {
		t.Errorf("%s: got %v with %d keys, want a table with %d", at, n.Kind, len(n.Members), len(table))
		return
	}
	for name, value := range table {
		if member := n.Get(name); member != nil {
			compareTagged(t, at+"."+name, member, value)
		} else {
			t.Errorf("%s: no key %q", at, name)
		}
	}
}

func equalsTagged(n *Node, kind, value string) bool {
	switch kind {
	case "string":
		return n.Kind == KindString && n.Text == value
	case "bool":
		return n.Kind == KindBoolean && n.Text == value
	case "integer":
		number, _ := Number(n.Text)
		return n.Kind == KindInteger && number == value
	case "float":
		got, err := floatOf(n.Text)
		want, wantErr := strconv.ParseFloat(value, 64)
		return n.Kind == KindFloat && err == nil && wantErr == nil && (got == want || math.IsNaN(got) && math.IsNaN(want))
	}
	return n.Kind == KindTime
}

// floatOf returns the value of a float's literal. Package strconv does not know a NaN with a sign.
func floatOf(literal string) (float64, error) {
	literal = strings.ReplaceAll(literal, "_", "")
	if unsigned := strings.TrimLeft(literal, "+-"); unsigned == "nan" {
		literal = unsigned
	}
	return strconv.ParseFloat(literal, 64)
}
