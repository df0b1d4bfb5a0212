package tooltest

import (
	"bytes"
	"encoding/json"
)

// Output collects the output of a tool that writes a result, and returns its text. The zero value
// is empty.
type Output struct{ raw bytes.Buffer }

// Write appends a part of the output.
func (o *Output) Write(part []byte) (int, error) { return o.raw.Write(part) }

// String returns the text of the result. It returns "" if nothing was written, and the written
// bytes if they are not a result.
func (o *Output) String() string {
	var result Result
	if o.raw.Len() > 0 && json.Unmarshal(o.raw.Bytes(), &result) != nil {
		return "not a result: " + o.raw.String()
	}
	return result.Text()
}

// Len returns the length of String.
func (o *Output) Len() int { return len(o.String()) }

// Result returns the whole result; it is empty if none was written.
func (o *Output) Result() Result {
	var result Result
	_ = json.Unmarshal(o.raw.Bytes(), &result) // String shows output that is not a result
	return result
}
