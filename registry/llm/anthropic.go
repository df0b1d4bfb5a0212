package llm

import (
	"fmt"
	"slices"

	"github.com/wasmtool/wasmtool/internal/each"
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
	if len(d.callers) > 0 {
		o.Add("allowed_callers", jsontree.NewArray(each.Of(d.callers, jsontree.NewString)...))
	}
	return d.addLoading(o).Add("input_schema", d.parameters)
}

func (anthropic) parse(body *jsontree.Value) (reply, error) {
	content := body.Member("content")
	if body.Member("role").Text() != "assistant" || content == nil {
		return reply{}, noMessage(Anthropic, body, "the assistant's content")
	}
	var r reply
	r.addText(content)
	blocks := content.List()
	for i := range blocks {
		switch b := &blocks[i]; b.Member("type").Text() {
		case "text":
			r.addText(b.Member("text"))
		case "tool_use":
			r.addCall(b.Member("id"), b.Member("name"), b.Member("input"), jsontree.NewObject())
		}
	}
	if len(blocks) > 0 || len(r.text) > 0 { // the API may return an empty message, but refuses it
		r.own = []*jsontree.Value{jsontree.NewObject().AddText("role", "assistant").Add("content", content)}
	}
	return r.ended(Anthropic, body.Member("stop_reason"), nil)
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
