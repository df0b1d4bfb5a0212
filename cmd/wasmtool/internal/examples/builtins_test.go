package examples

import (
	"testing"

	"github.com/wasmtool/wasmtool/registry/standard"
)

// minExamples is the number of examples that each built-in tool must have.
const minExamples = 2

// Every built-in tool has examples. testdata/script/builtin_examples.txtar runs the examples with a
// binary built without the race detector, which makes compiling modules slow.
func TestBuiltinsHaveExamples(t *testing.T) {
	loaded, err := standard.Manifests(standard.Options{})
	if err != nil || len(loaded) == 0 {
		t.Fatalf("got %d tools, %v", len(loaded), err)
	}
	for _, m := range loaded {
		if len(m.Examples) < minExamples {
			t.Errorf("%s has %d examples, want at least %d; write [[examples]] into guest-examples/tools/%[1]s/tool.toml and run make guests", m.Name, len(m.Examples), minExamples)
		}
	}
}
