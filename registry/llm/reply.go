package llm

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// reply is what a provider's response says.
type reply struct {
	own   []*jsontree.Value // the model's messages, as they go back into the conversation
	text  string
	calls []Call
}

// noMessage is the error for what holds no message of the model.
func noMessage(format Format, body []byte, want string) error {
	var failure struct { // as all providers answer when they refuse a request
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &failure) == nil && len(failure.Error) > 0 && string(failure.Error) != "null" {
		return fmt.Errorf("the provider answered with an error: %s", show(jsontree.NewRaw(failure.Error)))
	}
	return fmt.Errorf("this is no response of %s: %s is missing; give the body of the response, not streamed", format, want)
}

// notJSON is the error for a response that cannot be read.
func notJSON(format Format, err error) error {
	return fmt.Errorf("this is no response of %s: %w", format, err)
}

// textPart is a part of a message's content.
type textPart struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Thought bool   `json:"thought"`
}

// joinTexts returns the texts of content that is a text or a list of parts.
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

// written returns arguments that a provider sends as a text, or as JSON.
func argumentsOf(raw json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(raw, &text) == nil && len(raw) > 0 && raw[0] == '"' {
		return json.RawMessage(text)
	}
	return raw
}
