// Package tooltest decodes the output of tools for their tests.
package tooltest

import (
	"encoding/json"
	"testing"
)

// Result is the result of a tool whose manifest has output = "result" or "details".
type Result struct {
	Content []struct {
		Type, Text, MIMEType string
		Data                 []byte
	}
	Title      string
	Metadata   map[string]any
	Structured json.RawMessage
}

// Parse decodes a result; "" gives an empty result, as for a failed call.
func Parse(t *testing.T, output string) Result {
	t.Helper()
	var result Result
	if output == "" {
		return result
	}
	if err := json.Unmarshal([]byte(output), &result); err != nil {
		t.Fatalf("%v: %q", err, output)
	}
	return result
}

// Text returns the text of all text blocks.
func (r Result) Text() string {
	var text string
	for _, block := range r.Content {
		text += block.Text
	}
	return text
}
