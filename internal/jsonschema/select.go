package jsonschema

import (
	"encoding/json"
	"math"
)

// Select parses a document strictly, as [ParseStrict] does, and returns what stands at
// the tokens of a JSON pointer, all of it for none: without insignificant space, its
// literals as they were written. It is nil where nothing stands.
func Select(doc []byte, tokens []string) (json.RawMessage, error) {
	v, fault := parse(string(doc), documentBounds("the document"))
	if fault != nil {
		return nil, Faults{*fault}
	}
	found := v.at(tokens)
	if found == nil {
		return nil, nil
	}
	return found.appendJSON(nil, math.MaxInt), nil
}
