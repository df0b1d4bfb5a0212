package llm

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// anthropic is the Messages API: contents of blocks, and all results in one message.
type anthropic struct{}

// subset: JSON Schema as a whole, but for alternatives at the top and names of properties.
// Strict mode knows about as little as the structured outputs that it is made of.
func (anthropic) subset(strict bool) *subset {
	s := &subset{
		provider:  "Anthropic",
		names:     nameRule{most: 64, marks: "_-"},
		fields:    nameRule{most: 64, marks: "_.-"},
		limit:     anyLimit,
		format:    anyFormat,
		others:    true,
		notes:     true,
		typeLists: true,
		enums:     jsontype.Any,
		tuples:    true,
	}
	if strict {
		s.provider = "Anthropic's strict mode"
		s.limit, s.format = anthropicStrictLimit, anthropicStrictFormat
		s.others, s.notes, s.tuples = false, false, false
		s.typed, s.items = true, true
		s.enums = jsontype.String | jsontype.Number | jsontype.Boolean | jsontype.Null
		s.strict = &strictRules{tools: 20, optional: 24, unions: 16}
	}
	return s
}

// anthropicStrictLimit: of all limits strict mode knows that a list has an item at least.
func anthropicStrictLimit(name string, value any) bool {
	return name == "minItems" && (number(value) == 0 || number(value) == 1)
}

func anthropicStrictFormat(name string) bool {
	return openAIFormat(name) || name == "uri"
}

func (anthropic) definition(d definition) *object {
	o := (&object{}).addText("name", d.name).addText("description", d.description)
	if d.strict {
		o.add("strict", true)
	}
	return o.add("input_schema", d.parameters)
}

func (anthropic) list(definitions []any) any { return list(definitions) }

// anthropicBlock is what is looked at of a block.
type anthropicBlock struct {
	Type  string          `json:"type"`
	Text  string          `json:"text"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

func (anthropic) parse(message []byte) (reply, error) {
	var body struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(message, &body); err != nil {
		return reply{}, notJSON(Anthropic, err)
	}
	if body.Role != "assistant" || len(body.Content) == 0 {
		return reply{}, noMessage(Anthropic, message, "the assistant's content")
	}
	own := (&object{}).addText("role", "assistant").add("content", body.Content)
	var text string
	if json.Unmarshal(body.Content, &text) == nil {
		return reply{own: []any{own}, text: text}, nil
	}
	var blocks []anthropicBlock
	if err := json.Unmarshal(body.Content, &blocks); err != nil {
		return reply{}, notJSON(Anthropic, err)
	}
	r := reply{own: []any{own}}
	if len(blocks) == 0 {
		r.own = nil // which may be answered, and not be sent
	}
	for _, b := range blocks {
		switch b.Type {
		case "text":
			r.text += b.Text
		case "tool_use":
			r.calls = append(r.calls, Call{ID: b.ID, Name: b.Name, Arguments: b.Input})
		}
	}
	return r, nil
}

func (anthropic) answer(calls []Call, results []outcome) []any {
	var blocks []any
	for i, call := range calls {
		content := []any{textBlock("text", results[i].text)}
		for _, image := range results[i].images {
			content = append(content, anthropicImage(image.MIMEType, base64Of(image)))
		}
		block := (&object{}).addText("type", "tool_result").add("tool_use_id", literal(call.ID)).add("content", content)
		if results[i].isError {
			block.add("is_error", true)
		}
		blocks = append(blocks, block)
	}
	return []any{(&object{}).addText("role", "user").add("content", blocks)}
}

// anthropicImage returns the block of an image, or one that says that it is left out.
func anthropicImage(mimeType string, data json.RawMessage) *object {
	if !slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, mimeType) {
		return textBlock("text", fmt.Sprintf("(an image of the type %q is left out, which cannot be shown)", mimeType))
	}
	source := (&object{}).addText("type", "base64").addText("media_type", mimeType).add("data", data)
	return (&object{}).addText("type", "image").add("source", source)
}
