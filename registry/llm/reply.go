package llm

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/plaintext"
)

// reply is the content of a provider's response.
type reply struct {
	own   []*jsontree.Value // the model's messages, to be appended to the conversation
	text  string
	calls []Call
}

// noMessage returns the error for a body without a model's message.
func noMessage(format Format, body []byte, want string) error {
	var failure struct { // all providers answer a refused request with this field
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &failure) == nil && len(failure.Error) > 0 && string(failure.Error) != "null" {
		return fmt.Errorf("the provider answered with an error: %s", show(jsontree.NewRaw(failure.Error)))
	}
	return fmt.Errorf("this is not a response of %s: %s is missing; pass the body of a complete response, not of a stream", format, want)
}

// noAnswer returns the error for a response in which the model stopped without text and without a
// call. reason is what the provider names as the reason, and details may be empty.
func noAnswer(format Format, reason, details string) error {
	const maxReason = 200
	text := plaintext.Short(reason, maxReason)
	if details = plaintext.Short(details, maxReason); details != "" {
		text += ": " + details
	}
	return fmt.Errorf("%s stopped without an answer, for the reason %s", format, text)
}

// empty reports whether the model wrote no text and requested no calls.
func (r reply) empty() bool { return r.text == "" && len(r.calls) == 0 }

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

// joinTexts returns the text of content that is a string or a list of parts. It leaves out the
// model's thoughts.
func joinTexts(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var raw []json.RawMessage
	if json.Unmarshal(content, &raw) != nil {
		return ""
	}
	var b strings.Builder
	for _, one := range raw {
		var part textPart
		if json.Unmarshal(one, &part) == nil && !part.Thought {
			b.WriteString(part.Text + part.Refusal)
		}
	}
	return b.String()
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
