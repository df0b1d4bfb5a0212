package markdown

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/wasmtool/wasmtool/guest-examples/internal/corpora"
)

// TestSpec converts the examples of the CommonMark specification to HTML. Apart from the IDs of
// headings, the result must be as there. Exactly the examples in testdata/spec.txt differ.
func TestSpec(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(corpora.Dir(t, "commonmark-spec"), "spec.txt"))
	if err != nil {
		t.Fatal(err)
	}
	fence := strings.Repeat("`", 32)
	example := regexp.MustCompile(`(?ms)^#{1,6} ([^\n]*)$|^` + fence + ` example\n(.*?)^\.\n(.*?)^` + fence + `$`)
	id := regexp.MustCompile(`(<h[1-6]) id="[^"]*"`)
	section, number := "", 0
	var results corpora.Results
	for _, found := range example.FindAllStringSubmatch(string(content), -1) {
		if found[1] != "" {
			section = found[1]
			continue
		}
		number++
		name := fmt.Sprintf("%s %d", section, number)
		text, want := strings.ReplaceAll(found[2], "→", "\t"), strings.ReplaceAll(found[3], "→", "\t")
		want = strings.ReplaceAll(want, " />", ">") // the tool writes HTML, not XHTML
		var out strings.Builder
		err := Run(fstest.MapFS{"a.md": {Data: []byte(text)}}, Args{Operation: HTML, FilePath: "a.md"}, &out)
		got := id.ReplaceAllString(out.String(), "$1")
		if err != nil || got != want {
			t.Logf("%s: %q gives %q, %v; want %q", name, text, got, err, want)
		}
		results.Add(name, err == nil && got == want)
	}
	if number < 600 {
		t.Fatalf("there are only %d examples", number)
	}
	corpora.Check(t, filepath.Join("testdata", "spec.txt"), results)
}
