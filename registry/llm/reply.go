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
	text  []byte
	calls []Call
	said  int // the part of text that the calls so far follow, in bytes
	// refused and truncated are as in [Message].
	refused, truncated bool
	usage              Usage
}

// noMessage returns the error for a body without a model's message.
func noMessage(format Format, body *jsontree.Value, want string) error {
	if e := body.Member("error"); !e.IsNull() { // in the answers of all providers to a bad request
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
func (r reply) ended(format Format, why, details *jsontree.Value) (reply, error) {
	reason := why.Text()
	refused := slices.Contains(refusals, reason)
	if len(r.text) == 0 && len(r.calls) == 0 && !slices.Contains(completions, reason) {
		return reply{}, &StopError{Format: format, Reason: assemble.Short(reason), Details: assemble.Short(details.Text()), Refused: refused}
	}
	r.refused = r.refused || refused
	r.truncated = slices.Contains(truncations, reason)
	return r, nil
}

// parse reads the body of a response, or a model's message.
func (f Format) parse(p provider, body []byte) (reply, error) {
	v, err := jsontree.Parse(body, jsontree.Message())
	if err != nil {
		return reply{}, fmt.Errorf("this is not a response of %s: %w", f, err)
	}
	r, err := p.parse(&v)
	r.usage = f.usage(&v)
	return r, err
}

func (r *reply) addText(text *jsontree.Value) { r.text = append(r.text, text.Text()...) }

// addRefusal adds what the model says instead of an answer.
func (r *reply) addRefusal(text *jsontree.Value) {
	r.addText(text)
	r.refused = r.refused || text.Text() != ""
}

// addParts adds the text of content that is a string or a list of parts.
func (r *reply) addParts(content *jsontree.Value) {
	r.addText(content)
	parts := content.List()
	for i := range parts {
		r.addPart(&parts[i])
	}
}

// addPart adds the text of a part, unless it is a thought of the model.
func (r *reply) addPart(part *jsontree.Value) {
	if !is(part.Member("thought"), "true") {
		r.addText(part.Member("text"))
		r.addRefusal(part.Member("refusal"))
	}
}

// addCall adds a call. Some providers send the arguments as a string that contains JSON, and others
// as an object. Arguments that are neither are replaced by empty in the model's message: the APIs
// refuse them, and then no further turn would be possible.
func (r *reply) addCall(id, name, arguments, empty *jsontree.Value) {
	call := Call{ID: id.Text(), Name: name.Text(), Before: string(r.text[r.said:])}
	r.said = len(r.text)
	if arguments != nil {
		call.Arguments = arguments.JSON()
		if arguments.Kind == jsontree.String {
			call.Arguments = json.RawMessage(arguments.Text())
		}
		switch {
		case !isObject(call.Arguments):
			*arguments = *empty
		case empty.Kind == jsontree.Object: // not a string, which the API refuses as well
			*arguments = *jsontree.NewRaw(call.Arguments)
		}
	}
	r.calls = append(r.calls, call)
}

// isObject reports whether a call's arguments are a JSON object.
func isObject(arguments json.RawMessage) bool {
	var o map[string]json.RawMessage
	return json.Unmarshal(arguments, &o) == nil && o != nil
}
