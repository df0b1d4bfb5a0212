package llm

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/jsontype"
	"github.com/wasmtool/wasmtool/registry/llm/internal/assemble"
)

// anthropic is the Messages API. A message contains blocks, and all results are sent back in one
// message.
type anthropic struct{ plainList }

// subset returns all of JSON Schema, except alternatives at the top level and some names of
// properties. Strict mode is based on structured outputs, and supports about as little as they do.
func (anthropic) subset(strict bool) *subset {
	s := &subset{
		provider:  "Anthropic",
		names:     nameRule{maxLen: 64, marks: "_-"},
		fields:    nameRule{maxLen: 64, marks: "_.-"},
		others:    true,
		notes:     true,
		typeLists: true,
		enums:     jsontype.Any,
		tuples:    true,
	}
	if strict {
		s.provider = "Anthropic's strict mode"
		s.limits, s.shortMinItems = []string{"minItems"}, true
		s.formats = append(slices.Clip(openAIFormats), "uri")
		s.others, s.notes, s.tuples = false, false, false
		s.typed, s.items = true, true
		s.enums = jsontype.String | jsontype.Number | jsontype.Boolean | jsontype.Null
		s.strict = &strictRules{tools: 20, optional: 24, unions: 16}
	}
	return s
}

func (anthropic) definition(d definition) *jsontree.Value {
	o := jsontree.NewObject().AddText("name", d.name).AddText("description", d.description)
	if d.strict {
		o.Add("strict", jsontree.NewBoolean(true))
	}
	return o.Add("input_schema", d.parameters)
}

// anthropicBlock has the fields of a block that this package reads.
type anthropicBlock struct {
	Type  string          `json:"type"`
	Text  string          `json:"text"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

func (anthropic) parse(message []byte) (reply, error) {
	var body struct {
		Role       string          `json:"role"`
		Content    json.RawMessage `json:"content"`
		StopReason string          `json:"stop_reason"`
	}
	if err := json.Unmarshal(message, &body); err != nil {
		return reply{}, notJSON(Anthropic, err)
	}
	if body.Role != "assistant" || len(body.Content) == 0 {
		return reply{}, noMessage(Anthropic, message, "the assistant's content")
	}
	own := func(content *jsontree.Value) []*jsontree.Value {
		return []*jsontree.Value{jsontree.NewObject().AddText("role", "assistant").Add("content", content)}
	}
	var text string
	if json.Unmarshal(body.Content, &text) == nil {
		return reply{own: own(jsontree.NewRaw(body.Content)), text: text}, nil
	}
	var blocks []anthropicBlock
	if err := json.Unmarshal(body.Content, &blocks); err != nil {
		return reply{}, notJSON(Anthropic, err)
	}
	var r reply
	for _, b := range blocks {
		switch b.Type {
		case "text":
			r.text += b.Text
		case "tool_use":
			r.calls = append(r.calls, Call{ID: b.ID, Name: b.Name, Arguments: argumentsOf(b.Input)})
		}
	}
	if len(blocks) > 0 { // the API may return an empty message, but refuses it in a request
		r.own = own(sendable(body.Content, r.calls, jsontree.NewObject(), "*", "input"))
	}
	return r.ended(Anthropic, body.StopReason, "")
}

func (anthropic) stream() assemble.Assembler { return assemble.Anthropic() }

func (anthropic) answer(calls []Call, results []outcome) []*jsontree.Value {
	var blocks []*jsontree.Value
	for i, call := range calls {
		content := []*jsontree.Value{textBlock("text", results[i].text)}
		for _, image := range results[i].images {
			content = append(content, anthropicImage(image.MIMEType, base64Of(image)))
		}
		block := jsontree.NewObject().AddText("type", "tool_result").Add("tool_use_id", jsontree.NewString(call.ID)).Add("content", jsontree.NewArray(content...))
		if results[i].isError {
			block.Add("is_error", jsontree.NewBoolean(true))
		}
		blocks = append(blocks, block)
	}
	return []*jsontree.Value{jsontree.NewObject().AddText("role", "user").Add("content", jsontree.NewArray(blocks...))}
}

// anthropicImage returns an image block, or a text block if the API does not accept the type.
func anthropicImage(mimeType string, data *jsontree.Value) *jsontree.Value {
	if !slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, mimeType) {
		return textBlock("text", fmt.Sprintf("(an image is left out: the type %q cannot be shown)", mimeType))
	}
	source := jsontree.NewObject().AddText("type", "base64").AddText("media_type", mimeType).Add("data", data)
	return jsontree.NewObject().AddText("type", "image").Add("source", source)
}
