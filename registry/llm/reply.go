package llm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/registry/llm/internal/assemble"
)

// reply is the content of a provider's response.
type reply struct {
	own   []*jsontree.Value // the model's messages, to be appended to the conversation
	text  string
	calls []Call
	// refused and truncated are as in [Message].
	refused, truncated bool
}

// noMessage returns the error for a body without a model's message.
func noMessage(format Format, body []byte, want string) error {
	v, _ := jsontree.Parse(body, jsontree.Message())
	if e := v.Member("error"); !e.IsNull() { // in the answers of all providers to a bad request
		return assemble.ProviderError(e)
	}
	return fmt.Errorf("this is not a response of %s: %s is missing; pass the body of a complete response, not of a stream; ReadStream reads streams", format, want)
}

// ErrorMessage returns the message in the body of a response that reports an error, in the words of
// the provider. It is short and safe to print. It is empty if there is none, as in a web page.
func ErrorMessage(body []byte) string {
	v, err := jsontree.Parse(body, jsontree.Message())
	if err != nil {
		v = *jsontree.NewString(strings.TrimSpace(string(body)))
	}
	if len(v.Items) > 0 { // Gemini
		v = v.Items[0]
	}
	_, text := assemble.ErrorText(&v)
	if strings.HasPrefix(text, "<") {
		return ""
	}
	return text
}

// StopError is the error for a response in which the model stopped without text and without a call.
type StopError struct {
	// Format is the format of the response.
	Format Format
	// Reason is what the provider names as the reason, such as "length". Details may be empty. Both
	// are short and safe to print.
	Reason, Details string
	// Refused is set if the model or the provider refused to answer.
	Refused bool
}

// Error says that there is no answer, and why.
func (e *StopError) Error() string {
	text := e.Reason
	if e.Details != "" {
		text += ": " + e.Details
	}
	return fmt.Sprintf("%s stopped without an answer, for the reason %s", e.Format, text)
}

// refusals are the reasons of all providers for refusing to answer.
var refusals = []string{
	"content_filter", // OpenAI, Mistral
	"refusal",        // Anthropic
	// Gemini
	"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY",
}

// truncations are the reasons of all providers for a message that reached its limit on tokens.
var truncations = []string{
	"length", "model_length", // OpenAI, Mistral
	"max_output_tokens",                           // OpenAI Responses
	"max_tokens", "model_context_window_exceeded", // Anthropic
	"MAX_TOKENS", // Gemini
}

// completions are the reasons of all providers for a message that is complete, although it may be
// empty.
var completions = []string{"", "stop", "tool_calls", "end_turn", "STOP"}

// ended records why the message ended. The error is a StopError.
func (r reply) ended(format Format, reason, details string) (reply, error) {
	refused := slices.Contains(refusals, reason)
	if r.text == "" && len(r.calls) == 0 && !slices.Contains(completions, reason) {
		return reply{}, &StopError{Format: format, Reason: assemble.Short(reason), Details: assemble.Short(details), Refused: refused}
	}
	r.refused = r.refused || refused
	r.truncated = slices.Contains(truncations, reason)
	return r, nil
}

// notJSON returns the error for a response that cannot be parsed.
func notJSON(format Format, err error) error {
	return fmt.Errorf("this is not a response of %s: %w", format, err)
}

// textPart is a part of a message's content.
type textPart struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Refusal string `json:"refusal"` // what the model says instead of an answer
	Thought bool   `json:"thought"`
}

// joinTexts returns the text of content that is a string or a list of parts, and whether a part is
// a refusal. It leaves out the model's thoughts.
func joinTexts(content json.RawMessage) (text string, refused bool) {
	if json.Unmarshal(content, &text) == nil {
		return text, false
	}
	var raw []json.RawMessage
	if json.Unmarshal(content, &raw) != nil {
		return "", false
	}
	var b strings.Builder
	for _, one := range raw {
		var part textPart
		if json.Unmarshal(one, &part) == nil && !part.Thought {
			b.WriteString(part.Text + part.Refusal)
			refused = refused || part.Refusal != ""
		}
	}
	return b.String(), refused
}

// argumentsOf returns the arguments of a call as JSON. Some providers send a string that
// contains JSON, and others send an object.
func argumentsOf(raw json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(raw, &text) == nil && len(raw) > 0 && raw[0] == '"' {
		return json.RawMessage(text)
	}
	return raw
}

// isObject reports whether a call's arguments are a JSON object.
func isObject(arguments json.RawMessage) bool {
	var o map[string]json.RawMessage
	return json.Unmarshal(arguments, &o) == nil && o != nil
}

// sendable returns a model's message in a form that its API accepts. That is the message as it was
// sent, but APIs refuse a call whose arguments are not an object, and then no further turn would be
// possible. So such arguments are replaced by empty. path leads to the arguments in the message;
// "*" stands for each item of an array.
func sendable(message json.RawMessage, calls []Call, empty *jsontree.Value, path ...string) *jsontree.Value {
	if !slices.ContainsFunc(calls, func(c Call) bool { return !isObject(c.Arguments) }) {
		return jsontree.NewRaw(message)
	}
	v, err := jsontree.Parse(message, jsontree.Message())
	if err != nil {
		return jsontree.NewRaw(message)
	}
	replaceArguments(&v, empty, path)
	return &v
}

func replaceArguments(v, empty *jsontree.Value, path []string) {
	switch {
	case v == nil:
	case len(path) == 0:
		if !isObject(argumentsOf(v.JSON())) {
			*v = *empty
		}
	case path[0] == "*":
		for i := range v.Items {
			replaceArguments(&v.Items[i], empty, path[1:])
		}
	default:
		replaceArguments(v.Member(path[0]), empty, path[1:])
	}
}
