package tool

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// Result is the result of a call. A failed call also has one: IsError is set, and the content is
// a message that a model can act on. [TextResult], [JSONResult] and [ImageResult] create the
// common results.
type Result struct {
	// Content are the blocks of the answer, in order.
	Content []Content `json:"content"`
	// Structured is the answer as one JSON value, or details of it if [Spec.Details] is set; empty
	// if the tool returns none. Its numbers are as the tool wrote them.
	Structured json.RawMessage `json:"structured,omitempty"`
	// IsError is set if the content describes a failure.
	IsError bool `json:"is_error"`
	// Title is a short line for people, such as "Found 3 files"; may be empty.
	Title string `json:"title,omitempty"`
	// Metadata is data about the answer for programs. The values must encode as JSON. In a
	// result that was read from JSON, numbers are json.Number. See [MetaTruncated].
	Metadata map[string]any `json:"metadata,omitempty"`
	// Attachments are files that accompany the answer, for people rather than for a model.
	Attachments []Content `json:"attachments,omitempty"`
	// Pending means that the work continues elsewhere, and that the content only says so. The
	// answer follows through Invocation.Complete.
	Pending bool `json:"-"`
	// Warnings report problems that did not fail the call, such as an unknown argument.
	Warnings []string `json:"-"`
	// Call describes the call itself.
	Call CallInfo `json:"-"`
}

// Keys of Metadata in a truncated result.
const (
	// MetaTruncated is true if a text was cut.
	MetaTruncated = "truncated"
	// MetaOmittedBytes is the number of bytes of text that were left out.
	MetaOmittedBytes = "omitted_bytes"
	// MetaHandles lists the handles under which the complete texts are stored, if they are.
	MetaHandles = "handles"
)

// CallInfo describes a finished call.
type CallInfo struct {
	CallRef
	// Duration is the time from the request to the result.
	Duration time.Duration
	// Waited is the part of Duration that the call spent waiting, in all attempts: for a slot and
	// memory of its tenant, for calls that change the same files, and in the executor. The executor
	// reports its own part.
	Waited time.Duration
	// Fuel is the fuel that the guest used, in the units of limits.fuel. Memory is the size of
	// its memory at the end, in bytes. Both are 0 without a guest, or if the guest hangs.
	Fuel, Memory uint64
	// Usage is what the tool accessed, in all attempts.
	Usage capability.Usage
	// Attempts is the number of times that the tool ran.
	Attempts int
}

// Text joins the text blocks of the result. Each begins on a new line.
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

// Clone returns a copy that shares no memory with r, except for values in Metadata of types that
// decoding with encoding/json never returns.
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
