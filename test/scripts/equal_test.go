package scripts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/internal/testlevel"
	"github.com/wasmtool/wasmtool/runtime"
)

// A call from a saved start equals a call in a new interpreter: in its result, its error and its
// fuel. The arguments change from call to call, so that something left over would show. A script
// whose first line is a comment "program" reads its input; the others are functions.
func TestEqual(t *testing.T) {
	for _, l := range []language{python, javaScript} {
		t.Run(l.name, func(t *testing.T) {
			l.needs(t)
			if l == python {
				testlevel.Long(t, "Python starts a hundred times, each in half a second")
			}
			tools := make(map[string]map[string]string)
			for name, script := range corpus(t, l) {
				more := "\n[limits]\nmemory = \"8MiB\""
				if l == python {
					more = "\n[limits]\nmemory = \"192MiB\""
				}
				if first, _, _ := strings.Cut(script, "\n"); strings.HasSuffix(first, " program") {
					more = "program = true" + more
				}
				tools[name] = l.tool(name, script, more)
			}
			saved, anew := open(t, setup{}, tools), open(t, newEachTime(), tools)
			calls := []string{`{"n": 7, "text": "some words, naïve ones"}`, `{"n": 3, "text": "other words"}`}
			for name := range tools {
				var want [2]outcome
				for i, arguments := range calls {
					want[i] = anew.call(t, "", name, arguments)
					if want[i].fuel == 0 {
						t.Errorf("%s: a call used no fuel: %+v", name, want[i])
					}
				}
				// The third call is the first one that can begin with the saved start.
				for n := range testlevel.Size(4, 10) {
					if got := saved.call(t, "", name, calls[n%2]); got != want[n%2] {
						t.Errorf("%s, call %d:\n got %+v\nwant %+v", name, n+1, got, want[n%2])
					}
				}
			}
			if lines := saved.unsaved(); lines != nil {
				t.Errorf("%d starts were not saved: %s", len(lines), lines[0])
			}
		})
	}
}

// newEachTime is the setup in which each call has a new interpreter.
func newEachTime() (s setup) {
	s.Runtime = runtime.Options{MaxIdleBytes: -1}
	return s
}

// corpus returns the scripts of testdata/equal in a language, by name.
func corpus(t *testing.T, l language) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/equal/*." + l.end)
	if err != nil || len(files) < 20 {
		t.Fatalf("the corpus has %d scripts: %v", len(files), err)
	}
	scripts := make(map[string]string)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		scripts[strings.TrimSuffix(filepath.Base(file), "."+l.end)] = string(text)
	}
	return scripts
}
