package examples

import (
	"testing"

	"github.com/wasmtool/wasmtool/registry/standard"
)

// leastExamples is how many examples a built-in tool has.
const leastExamples = 2

// Every built-in tool has examples. testdata/script/builtin_examples.txtar runs them, with a
// program that has no race detector in it, under which compiling modules takes long.
func TestBuiltinsHaveExamples(t *testing.T) {
	loaded, err := standard.Manifests(standard.Options{})
	if err != nil || len(loaded) == 0 {
		t.Fatalf("got %d tools, %v", len(loaded), err)
	}
	for _, m := range loaded {
		if len(m.Examples) < leastExamples {
			t.Errorf("%s has %d examples, want at least %d; write [[examples]] into guest-examples/tools/%[1]s/tool.toml and run make guests", m.Name, len(m.Examples), leastExamples)
		}
	}
}
