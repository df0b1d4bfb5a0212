package llm

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

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
	// Compatible is set if the server is not the provider's own, but has the same API. In the
	// format OpenAI, MaxTokens is then sent in the older field max_tokens: some servers ignore the
	// newer field, and OpenAI's models refuse the older one.
	Compatible bool
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

// RequestBody returns the body of the HTTP request for a model's next message, which the provider
// answers with a stream. The body does not name the model in the format Gemini, where the URL does.
// RequestBody fails for the format MCP, and for a Request that is not valid in every API.
func (f Format) RequestBody(model string, r Request) (json.RawMessage, error) {
	messages, tools, err := r.parts(f, model)
	if err != nil {
		return nil, err
	}
	limit := jsontree.NewInteger(int64(cmp.Or(r.MaxTokens, DefaultMaxTokens)))
	o := jsontree.NewObject()
	choiceField, choice := "tool_choice", jsontree.NewString("none")
	switch f {
	case OpenAI, Mistral:
		if r.System != "" {
			system := jsontree.NewObject().AddText("role", "system").AddText("content", r.System)
			messages = append([]*jsontree.Value{system}, messages...)
		}
		o.AddText("model", model).Add("messages", jsontree.NewArray(messages...))
		limitField := "max_tokens"
		if f == OpenAI { // Mistral always sends the usage, and refuses fields that it does not know
			o.Add("stream_options", jsontree.NewObject().Add("include_usage", jsontree.NewBoolean(true)))
			if !r.Compatible {
				limitField = "max_completion_tokens"
			}
		}
		o.Add(limitField, limit)
	case OpenAIResponses:
		o.AddText("model", model).AddText("instructions", r.System).Add("input", jsontree.NewArray(messages...)).
			Add("max_output_tokens", limit).Add("store", jsontree.NewBoolean(false))
		if reasons(model) { // the next request must contain the reasoning, since it is not stored
			o.Add("include", jsontree.NewArray(jsontree.NewString("reasoning.encrypted_content")))
		}
	case Anthropic:
		o.AddText("model", model).AddText("system", r.System).Add("messages", jsontree.NewArray(messages...)).
			Add("max_tokens", limit)
		choice = jsontree.NewObject().AddText("type", "none")
	case Gemini:
		if r.System != "" {
			o.Add("systemInstruction", jsontree.NewObject().Add("parts", jsontree.NewArray(jsontree.NewObject().AddText("text", r.System))))
		}
		o.Add("contents", jsontree.NewArray(messages...)).Add("generationConfig", jsontree.NewObject().Add("maxOutputTokens", limit))
		choiceField, choice = "toolConfig", jsontree.NewObject().Add("functionCallingConfig", jsontree.NewObject().AddText("mode", "NONE"))
	}
	if f != Gemini { // in Gemini, the method in the URL asks for a stream
		o.Add("stream", jsontree.NewBoolean(true))
	}
	if tools != nil {
		o.Add("tools", tools)
		if r.NoCalls {
			o.Add(choiceField, choice)
		}
	}
	return o.JSON(), nil
}

// parts checks r, and returns its messages and its tools. The tools are nil if there are none.
func (r Request) parts(f Format, model string) (messages []*jsontree.Value, tools *jsontree.Value, err error) {
	_, err = f.provider()
	switch {
	case err != nil:
		return nil, nil, err
	case f == MCP:
		return nil, nil, errors.New("the format mcp has no requests to a model; name the format of a model provider")
	case model == "":
		return nil, nil, errors.New("a request needs the name of a model")
	case r.MaxTokens < 0:
		return nil, nil, errors.New("MaxTokens is negative; 0 means the default")
	case len(r.Messages) == 0:
		return nil, nil, errors.New("a request needs at least one message")
	}
	for i, m := range r.Messages {
		if !json.Valid(m) {
			return nil, nil, fmt.Errorf("message %d of the conversation is not valid JSON", i+1)
		}
		messages = append(messages, jsontree.NewRaw(m))
	}
	var list []json.RawMessage
	if len(r.Tools) > 0 && json.Unmarshal(r.Tools, &list) != nil {
		return nil, nil, errors.New("the tools of a request must be a JSON array, as Tools.Definitions returns it")
	}
	if len(list) > 0 { // some APIs refuse an empty list
		tools = jsontree.NewRaw(r.Tools)
	}
	return messages, tools, nil
}

// reasons reports whether a model of OpenAI can return its reasoning in encrypted form. The API
// refuses to include it for the models that do not reason. These are older, so a model with an
// unknown name is one that reasons.
func reasons(model string) bool {
	older := []string{"gpt-3", "gpt-4", "chatgpt-", "gpt-5-chat"}
	return !slices.ContainsFunc(older, func(name string) bool { return strings.Contains(model, name) })
}
