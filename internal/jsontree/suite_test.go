package jsontree

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/corpora"
)

// TestJSONTestSuite parses the files of JSONTestSuite. The first letter of a file's name says
// whether the file must be accepted (y) or refused (n). Other files may be either. What is accepted
// has the same value for encoding/json.
func TestJSONTestSuite(t *testing.T) {
	dir := filepath.Join(corpora.Dir(t, "JSONTestSuite"), "test_parsing")
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var results corpora.Results
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		v, refused := Parse(text, Document("the document"))
		if loose, err := Parse(text, Message()); err == nil && refused == nil && string(loose.JSON()) != string(v.JSON()) {
			t.Errorf("%s: the loose limits give %s", file.Name(), loose.JSON())
		}
		right := true
		if refused == nil {
			right = equal(t, text, v.JSON())
		}
		switch file.Name()[0] {
		case 'y':
			results.Add(file.Name(), refused == nil && right)
		case 'n':
			results.Add(file.Name(), refused != nil)
		default:
			results.Add(file.Name(), right)
		}
	}
	results.Check(t, filepath.Join("testdata", "suite_differences.txt"))
}

// equal reports whether encoding/json reads the same value from both texts, with all digits.
func equal(t *testing.T, a, b []byte) bool {
	t.Helper()
	var values [2]any
	for i, text := range []string{string(a), string(b)} {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&values[i]); err != nil {
			t.Error(err)
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}
