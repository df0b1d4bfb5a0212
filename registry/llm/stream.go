package llm

import (
	"encoding/json"
)

// Chunk is a piece of a streamed response. Exactly one field is set.
type Chunk struct {
	// Text is a piece of the answer's text, and Reasoning a piece of the model's reasoning, as far
	// as the provider shows it.
	Text, Reasoning string
	// Call is a call that the stream has completed, for display: Name and Arguments are as the
	// model wrote them, and may be invalid. To run calls, read the whole response with
	// [Tools.Read].
	Call *Call
	// End is the whole response. It is the last chunk.
	End *Response
}

// Response is a complete response of a provider.
type Response struct {
	// Body is the body that the provider would have sent without streaming, for [Tools.Read] and
	// [Tools.Answer]. Everything that must go back to the provider unchanged, such as signatures of
	// reasoning, is in it.
	Body json.RawMessage
	// Usage is what the response cost; the zero value if the provider did not say.
	Usage Usage
}

// Usage counts the tokens of a request and its response.
type Usage struct {
	// Input are the tokens of the request, including Cached, those that the provider had cached.
	Input  int64 `json:"input_tokens"`
	Cached int64 `json:"cached_tokens,omitempty"`
	// Output are the tokens of the response, including reasoning.
	Output int64 `json:"output_tokens"`
}

// Plus returns the sum of two counts.
func (u Usage) Plus(other Usage) Usage {
	return Usage{Input: u.Input + other.Input, Cached: u.Cached + other.Cached, Output: u.Output + other.Output}
}
