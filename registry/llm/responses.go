package llm

import (
	"bytes"
	"encoding/json"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/registry/llm/internal/assemble"
)

// responses is OpenAI's Responses API, in which a conversation is a list of items.
type responses struct{ plainList }

func (responses) subset(strict bool) *subset { return openAISubset(strict) }

// definition always sets "strict", because the API assumes true if the field is missing.
func (responses) definition(d definition) *jsontree.Value {
	return jsontree.NewObject().AddText("type", "function").AddText("name", d.name).AddText("description", d.description).
		Add("strict", jsontree.NewBoolean(d.strict)).Add("parameters", d.parameters)
}

// responsesItem has the fields of an item that this package reads.
type responsesItem struct {
	Type      string          `json:"type"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Content   json.RawMessage `json:"content"`
}

func (p responses) parse(message []byte) (reply, error) {
	items, unfinished, err := p.items(message)
	if err != nil {
		return reply{}, err
	}
	var r reply
	for _, raw := range items {
		var item responsesItem
		if err := json.Unmarshal(raw, &item); err != nil {
			return reply{}, notJSON(OpenAIResponses, err)
		}
		own := jsontree.NewRaw(raw)
		switch item.Type {
		case "message":
			text, refused := joinTexts(item.Content)
			r.text, r.refused = r.text+text, r.refused || refused
		case "function_call":
			call := Call{ID: item.CallID, Name: item.Name, Arguments: argumentsOf(item.Arguments)}
			r.calls = append(r.calls, call)
			own = sendable(raw, []Call{call}, jsontree.NewString("{}"), "arguments")
		}
		r.own = append(r.own, own)
	}
	return r.ended(OpenAIResponses, unfinished, "")
}

// items returns the items of a message, which is a response or a plain array of items. unfinished
// is the reason why the response is incomplete, or "".
func (responses) items(message []byte) (items []json.RawMessage, unfinished string, err error) {
	if trimmed := bytes.TrimSpace(message); len(trimmed) > 0 && trimmed[0] == '[' {
		if err := json.Unmarshal(message, &items); err != nil {
			return nil, "", notJSON(OpenAIResponses, err)
		}
		return items, "", nil
	}
	var body struct {
		Status     string            `json:"status"`
		Output     []json.RawMessage `json:"output"`
		Incomplete struct {
			Reason string `json:"reason"`
		} `json:"incomplete_details"`
	}
	if err := json.Unmarshal(message, &body); err != nil {
		return nil, "", notJSON(OpenAIResponses, err)
	}
	if body.Output == nil || body.Status == "failed" {
		return nil, "", noMessage(OpenAIResponses, message, "output")
	}
	return body.Output, body.Incomplete.Reason, nil
}

func (responses) stream() assemble.Assembler { return assemble.Responses() }

func (responses) answer(calls []Call, results []outcome) []*jsontree.Value {
	var items []*jsontree.Value
	for i, call := range calls {
		item := jsontree.NewObject().AddText("type", "function_call_output").Add("call_id", jsontree.NewString(call.ID))
		items = append(items, item.Add("output", results[i].content("input_text", "input_image")))
	}
	return items
}
