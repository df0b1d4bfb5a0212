// Package tooltest reads what a tool wrote, for its tests.
package tooltest

import (
	"encoding/json"
	"testing"
)

// Result is the result of a tool whose manifest has output = "result".
type Result struct {
	Content []struct {
		Type, Text, MIMEType string
		Data                 []byte
	}
	Title    string
	Metadata map[string]any
}

// Parse reads a result; "" is one without anything, of a call that failed.
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

// Text returns the text of the blocks of text.
func (r Result) Text() string {
	var text string
	for _, block := range r.Content {
		text += block.Text
	}
	return text
}
