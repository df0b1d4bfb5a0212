package llm

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsontree"
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

// notJSON returns the error for a response that cannot be parsed.
func notJSON(format Format, err error) error {
	return fmt.Errorf("this is not a response of %s: %w", format, err)
}

// textPart is a part of a message's content.
type textPart struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
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
			b.WriteString(part.Text)
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
