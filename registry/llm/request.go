package llm

import (
	"encoding/json"

	"github.com/wasmtool/wasmtool/internal/jsontree"
)

// Request is a request for a model's next message. Only Messages is required.
type Request struct {
	// System is the system prompt.
	System string
	// Messages is the conversation: messages of [Format.UserMessage] and of [Tools.Reply].
	Messages []json.RawMessage
	// Tools is the value of [Tools.Definitions]; empty means no tools.
	Tools json.RawMessage
	// NoCalls forbids calls without removing the definitions, which some APIs require as long as
	// the conversation has calls.
	NoCalls bool
	// MaxTokens limits the tokens of the message; 0 means [DefaultMaxTokens].
	MaxTokens int
}

// DefaultMaxTokens is the default of Request.MaxTokens.
const DefaultMaxTokens = 16_384

// UserMessage returns a message of the user, to begin or continue a conversation.
func (f Format) UserMessage(text string) json.RawMessage {
	o := jsontree.NewObject().AddText("role", "user")
	if f == Gemini {
		return o.Add("parts", jsontree.NewArray(jsontree.NewObject().Add("text", jsontree.NewString(text)))).JSON()
	}
	return o.Add("content", jsontree.NewString(text)).JSON()
}
