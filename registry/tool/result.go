package tool

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// Result is what a call gives back, also when it fails: then IsError is set and
// the content is a text that a model can act on. TextResult, JSONResult and ImageResult
// make the usual ones.
type Result struct {
	// Content are the blocks of the answer, in order.
	Content []Content `json:"content"`
	// Structured is the answer as one JSON value, when the tool gives one. Its numbers are
	// as the tool wrote them.
	Structured json.RawMessage `json:"structured,omitempty"`
	// IsError tells that the content describes a failure.
	IsError bool `json:"is_error"`
	// Title is a short line for people, such as "Found 3 files"; may be empty.
	Title string `json:"title,omitempty"`
	// Metadata is what a program may want to know about the answer beside it. Values are
	// what encoding/json writes; read from JSON, numbers are a json.Number. See MetaTruncated.
	Metadata map[string]any `json:"metadata,omitempty"`
	// Attachments are files that come with the answer, for people more than for a model.
	Attachments []Content `json:"attachments,omitempty"`
	// Pending tells that the work goes on elsewhere and that the content says only so; the
	// answer comes by Invocation.Complete.
	Pending bool `json:"-"`
	// Warnings say what was odd about the call without failing it, such as a
	// field that the tool does not know.
	Warnings []string `json:"-"`
	// Call tells about the call itself.
	Call CallInfo `json:"-"`
}

// Keys of Metadata of a result that was cut.
const (
	// MetaTruncated is true when a text was cut.
	MetaTruncated = "truncated"
	// MetaOmittedBytes is how many bytes of text were left out.
	MetaOmittedBytes = "omitted_bytes"
	// MetaHandles are the handles of the texts that were cut, whole, where they are kept.
	MetaHandles = "handles"
)

// CallInfo tells about a finished call.
type CallInfo struct {
	CallRef
	// Duration is the time from asking to answer.
	Duration time.Duration
	// Waited is the part of Duration in which the call waited for others, in all attempts: for
	// a place and memory of its tenant, for calls that change the same files, and in the
	// executor. An executor sets what it is of that.
	Waited time.Duration
	// Fuel is what the guest used, in the units of limits.fuel, and Memory how many bytes
	// it had in the end. Both are 0 when there was no guest, or it hangs.
	Fuel, Memory uint64
	// Usage is what the tool reached, in all attempts.
	Usage capability.Usage
	// Attempts is how often the tool was run.
	Attempts int
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

// Clone returns a copy that shares no memory with r, but for values of Metadata that are
// neither lists nor objects as encoding/json reads them.
func (r Result) Clone() Result {
	r.Content, r.Attachments = cloneBlocks(r.Content), cloneBlocks(r.Attachments)
	r.Structured, r.Warnings = slices.Clone(r.Structured), slices.Clone(r.Warnings)
	if r.Metadata != nil {
		r.Metadata = cloneValue(r.Metadata).(map[string]any)
	}
	return r
}

func cloneBlocks(blocks []Content) []Content {
	blocks = slices.Clone(blocks)
	for i := range blocks {
		blocks[i].Data = slices.Clone(blocks[i].Data)
		if resource := blocks[i].Resource; resource != nil {
			blocks[i].Resource = new(*resource)
			blocks[i].Resource.Blob = slices.Clone(resource.Blob)
		}
	}
	return blocks
}

func cloneValue(value any) any {
	switch v := value.(type) {
	case map[string]any:
		own := make(map[string]any, len(v))
		for name := range v {
			own[name] = cloneValue(v[name])
		}
		return own
	case []any:
		own := make([]any, len(v))
		for i := range v {
			own[i] = cloneValue(v[i])
		}
		return own
	}
	return value
}
