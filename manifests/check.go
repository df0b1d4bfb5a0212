package manifests

import (
	"encoding/json"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// maxItems limits the elements of every list in a manifest.
const maxItems = 64

// checker collects the errors of one manifest.
type checker struct {
	*stricttoml.Checker
	// uses are the placeholders read so far. They are checked once the parameters are known.
	uses []use
	// warm has the arguments of the warm-up, or is nil. They are checked once the parameters are
	// known.
	warm json.RawMessage
	// request is the network permission of a tool with [rest], as far as it has been read so far.
	request capability.Net
}

// use is a value whose placeholders name parameters.
type use struct {
	at    stricttoml.Place
	names []string
	kind  string // the type that the parameters must have; "" is any
}

func newChecker(file string, data []byte) *checker {
	return &checker{Checker: stricttoml.New(file, data, stricttoml.Format{
		Name: "a manifest", MaxBytes: MaxManifestBytes, MaxItems: maxItems,
		Shrink: "move a large schema to a parameters_file", Keys: formatKeys, OtherNames: otherNames,
	})}
}

// formatKeys returns the keys at the top level of the format. Their readers must not be called,
// because they fill a manifest that is dropped.
func formatKeys() []stricttoml.Key { return new(checker).keys(new(Manifest)) }

// placeholders records the parameters that the value at a place names.
func (c *checker) placeholders(at stricttoml.Place, names ...string) {
	c.uses = append(c.uses, use{at: at, names: names})
}
