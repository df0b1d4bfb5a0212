package manifests

import (
	"encoding/json"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// maxItems is the ceiling of every list of the format.
const maxItems = 64

// checker collects the faults of one manifest.
type checker struct {
	*stricttoml.Checker
	// uses are the placeholders met so far, and warm the arguments of the warm-up, nil
	// for none. Both are checked when the parameters are known.
	uses []use
	warm json.RawMessage
	// request is what a tool with [rest] asks for, as far as it is known.
	request capability.Net
}

// use is a place that names parameters.
type use struct {
	at    stricttoml.Place
	names []string
}

func newChecker(file string, data []byte) *checker {
	return &checker{Checker: stricttoml.New(file, data, stricttoml.Format{
		Name: "a manifest", MaxBytes: MaxManifestBytes, MaxItems: maxItems,
		Shrink: "move a large schema to a parameters_file", Keys: formatKeys,
	})}
}

// formatKeys returns the top level of the format, for looking at and not for reading.
func formatKeys() []stricttoml.Key { return new(checker).keys(new(Manifest)) }

// placeholders notes the parameters that the text at a place names.
func (c *checker) placeholders(at stricttoml.Place, names ...string) {
	c.uses = append(c.uses, use{at, names})
}
