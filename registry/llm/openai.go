package llm

import (
	"fmt"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/jsontype"
	"github.com/wasmtool/wasmtool/registry/llm/internal/assemble"
)

// chat is the Chat Completions API. A message has a role, and the arguments of a call are a string.
// format identifies the vendor.
type chat struct {
	plainList
	format Format
}

func (chat) subset(strict bool) *subset { return openAISubset(strict) }

// openAISubset is what OpenAI documents for structured outputs. Without strict mode the API accepts
// more, but some rules still apply, such as the rules for formats and for the top level.
func openAISubset(strict bool) *subset {
	s := &subset{
		provider:    "OpenAI",
		names:       nameRule{maxLen: 64, marks: "_-"},
		tools:       128,
		description: 1024,
		formats:     openAIFormats,
		notes:       true,
		typeLists:   true,
		items:       true,
		enums:       jsontype.String | jsontype.Number | jsontype.Boolean | jsontype.Null,
	}
	if strict {
		s.provider = "OpenAI's strict mode"
		s.notes, s.typed = false, true
		s.limits = []string{"pattern", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems"}
		s.strict = &strictRules{
			allRequired: true, depth: 10, properties: 5000, nameBytes: 120_000,
			enumValues: 1000, longEnum: 250, longEnumBytes: 15_000,
		}
	}
	return s
}

var openAIFormats = []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}

func (chat) definition(d definition) *jsontree.Value {
	function := jsontree.NewObject().AddText("name", d.name).AddText("description", d.description)
	if d.strict {
		function.Add("strict", jsontree.NewBoolean(true))
	}
	function.Add("parameters", d.parameters)
	return jsontree.NewObject().AddText("type", "function").Add("function", function)
}

func (c chat) parse(body *jsontree.Value) (reply, error) {
	message, finish := body, (*jsontree.Value)(nil)
	if choices := body.Member("choices").List(); len(choices) > 0 {
		message, finish = choices[0].Member("message"), choices[0].Member("finish_reason")
	}
	calls := message.Member("tool_calls").List()
	switch {
	case message.Member("role").Text() != "assistant":
		return reply{}, noMessage(c.format, body, "a message of the assistant")
	case len(calls) == 0 && !message.Member("function_call").IsNull():
		return reply{}, fmt.Errorf("the message of %s has a function_call, the old format that tool_calls replaced; send the definitions as tools, not as functions", c.format)
	}
	r := reply{own: []*jsontree.Value{message}}
	r.addParts(message.Member("content"))
	r.addRefusal(message.Member("refusal"))
	for i := range calls {
		function := calls[i].Member("function")
		r.addCall(calls[i].Member("id"), function.Member("name"), function.Member("arguments"), jsontree.NewString("{}"))
	}
	return r.ended(c.format, finish, nil)
}

func (c chat) stream() assemble.Assembler { return assemble.Chat(c.format == Mistral) }

func (chat) answer(calls []Call, results []outcome) []*jsontree.Value {
	var messages, pictures []*jsontree.Value
	for i, call := range calls {
		messages = append(messages, jsontree.NewObject().AddText("role", "tool").Add("tool_call_id", jsontree.NewString(call.ID)).
			Add("content", jsontree.NewString(results[i].marked())))
		if len(results[i].images) == 0 {
			continue
		}
		pictures = append(pictures, textBlock("text", "Images that "+call.Name+" returned, call "+call.ID+":"))
		for _, image := range results[i].images {
			pictures = append(pictures, jsontree.NewObject().AddText("type", "image_url").
				Add("image_url", jsontree.NewObject().AddText("url", dataURL(image))))
		}
	}
	// A tool's message can contain only text, so the images follow in a user message.
	if pictures != nil {
		messages = append(messages, jsontree.NewObject().AddText("role", "user").Add("content", jsontree.NewArray(pictures...)))
	}
	return messages
}

// textBlock returns a part of a message's content that is text.
func textBlock(kind, text string) *jsontree.Value {
	return jsontree.NewObject().AddText("type", kind).Add("text", jsontree.NewString(text))
}

// mistral is the Chat Completions API as Mistral serves it.
type mistral struct{ chat }

// subset is all of JSON Schema. Mistral documents no restriction, but its API checks that a
// schema is valid in draft 7. Mistral documents no rules for strict mode.
func (mistral) subset(strict bool) *subset {
	if strict {
		return nil
	}
	return &subset{
		provider:  "Mistral",
		names:     nameRule{maxLen: 64, marks: "_-"},
		others:    true,
		notes:     true,
		typeLists: true,
		enums:     jsontype.Any,
	}
}

// answer puts images into the tool's message, because the API refuses a user message after that
// message.
func (mistral) answer(calls []Call, results []outcome) []*jsontree.Value {
	var messages []*jsontree.Value
	for i, call := range calls {
		m := jsontree.NewObject().AddText("role", "tool").Add("tool_call_id", jsontree.NewString(call.ID)).AddText("name", call.Name)
		messages = append(messages, m.Add("content", results[i].content("text", "image_url")))
	}
	return messages
}
