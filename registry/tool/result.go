package tool

import (
	"encoding/json"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// Result is what a call gives back, also when it fails: then IsError is set and
// the content is a text that a model can act on.
type Result struct {
	// Content are the blocks of the answer, in order.
	Content []Content `json:"content"`
	// Structured is the answer as one JSON value, when the tool gives one.
	Structured json.RawMessage `json:"structured,omitempty"`
	// IsError tells that the content describes a failure.
	IsError bool `json:"is_error"`
	// Warnings say what was odd about the call without failing it, such as a
	// field that the tool does not know.
	Warnings []string `json:"-"`
	// Call tells about the call itself.
	Call CallInfo `json:"-"`
}

// CallInfo identifies a finished call.
type CallInfo struct {
	ID string
	// Tool is the name as resolved.
	Tool string
	// Duration is the time from asking to answer.
	Duration time.Duration
	// Fuel is what the guest used, in the units of limits.fuel, and Memory how many bytes
	// it had in the end. Both are 0 when there was no guest, or it hangs.
	Fuel, Memory uint64
	// Usage is what the tool reached, in all attempts.
	Usage capability.Usage
	// Attempts is how often the tool was run.
	Attempts int
}

// ContentType is the kind of a content block.
type ContentType string

// The kinds of content blocks.
const (
	ContentText  ContentType = "text"
	ContentImage ContentType = "image"
)

// Content is one block of a result.
type Content struct {
	Type ContentType `json:"type"`
	// Text is the text of a text block.
	Text string `json:"text,omitempty"`
	// Data is the file of an image block; base64 in JSON.
	Data []byte `json:"data,omitempty"`
	// MIMEType is the type of Data, such as "image/png".
	MIMEType string `json:"mimeType,omitempty"`
}

// TextContent returns a text block.
func TextContent(text string) Content { return Content{Type: ContentText, Text: text} }

// MarshalJSON writes the fields of the block's kind, also when they are empty: a
// text block always has a text.
func (c Content) MarshalJSON() ([]byte, error) {
	if c.Type == ContentText {
		return json.Marshal(struct {
			Type ContentType `json:"type"`
			Text string      `json:"text"`
		}{c.Type, c.Text})
	}
	return json.Marshal(struct {
		Type     ContentType `json:"type"`
		Data     []byte      `json:"data"`
		MIMEType string      `json:"mimeType"`
	}{c.Type, c.Data, c.MIMEType})
}

// Text joins the text blocks of the result, each on lines of its own.
func (r Result) Text() string {
	text := ""
	for _, c := range r.Content {
		if c.Type != ContentText {
			continue
		}
		if text != "" && text[len(text)-1] != '\n' {
			text += "\n"
		}
		text += c.Text
	}
	return text
}
