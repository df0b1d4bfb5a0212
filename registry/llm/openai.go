package llm

import (
	"encoding/json"
	"slices"

	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// dialect is which of the vendors of chat completions is spoken to.
type dialect uint8

const (
	openAIChat dialect = iota
	mistralChat
)

// chat is chat completions: messages with roles, and calls whose arguments are texts.
type chat struct{ dialect dialect }

func (c chat) format() Format {
	if c.dialect == mistralChat {
		return Mistral
	}
	return OpenAI
}

func (c chat) subset(strict bool) *subset {
	if c.dialect == mistralChat {
		return mistralSubset(strict)
	}
	return openAISubset(strict)
}

// openAISubset is what OpenAI documents for structured outputs. Without strict mode more is
// taken, but some of the rules hold all the same: formats and the top level, for two.
func openAISubset(strict bool) *subset {
	s := &subset{
		provider:    "OpenAI",
		names:       nameRule{most: 64, marks: "_-"},
		tools:       128,
		description: 1024,
		limit:       anyLimit,
		format:      openAIFormat,
		notes:       true,
		typeLists:   true,
		items:       true,
		enums:       jsontype.String | jsontype.Number | jsontype.Boolean | jsontype.Null,
	}
	if strict {
		s.provider = "OpenAI's strict mode"
		s.limit, s.notes, s.typed = openAIStrictLimit, false, true
		s.strict = &strictRules{
			allRequired: true, depth: 10, properties: 5000, nameBytes: 120_000,
			enumValues: 1000, longEnum: 250, longEnumBytes: 15_000,
		}
	}
	return s
}

func openAIFormat(name string) bool {
	return slices.Contains([]string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}, name)
}

func openAIStrictLimit(name string, _ any) bool {
	switch name {
	case "pattern", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems":
		return true
	}
	return false
}

func (c chat) definition(d definition) *object {
	function := (&object{}).addText("name", d.name).addText("description", d.description)
	if d.strict {
		function.add("strict", true)
	}
	function.add("parameters", d.parameters)
	return (&object{}).addText("type", "function").add("function", function)
}

func (c chat) list(definitions []any) any { return list(definitions) }

// chatMessage is a model's message.
type chatMessage struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	ToolCalls []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

func (c chat) parse(message []byte) (reply, error) {
	var body struct {
		Choices []struct {
			Message json.RawMessage `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(message, &body); err != nil {
		return reply{}, notJSON(c.format(), err)
	}
	raw := json.RawMessage(message)
	if len(body.Choices) > 0 {
		raw = body.Choices[0].Message
	}
	var m chatMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		return reply{}, notJSON(c.format(), err)
	}
	if m.Role != "assistant" {
		return reply{}, noMessage(c.format(), message, "a message of the assistant")
	}
	r := reply{own: []any{raw}, text: joinTexts(m.Content)}
	for _, call := range m.ToolCalls {
		r.calls = append(r.calls, Call{ID: call.ID, Name: call.Function.Name, Arguments: argumentsOf(call.Function.Arguments)})
	}
	return r, nil
}

func (c chat) answer(calls []Call, results []outcome) []any {
	if c.dialect == mistralChat {
		return mistralAnswer(calls, results)
	}
	var messages, pictures []any
	for i, call := range calls {
		messages = append(messages, (&object{}).addText("role", "tool").add("tool_call_id", literal(call.ID)).
			add("content", literal(results[i].marked())))
		if len(results[i].images) == 0 {
			continue
		}
		pictures = append(pictures, textBlock("text", "Images that "+call.Name+" returned, call "+call.ID+":"))
		for _, image := range results[i].images {
			pictures = append(pictures, (&object{}).addText("type", "image_url").
				add("image_url", (&object{}).addText("url", dataURL(image))))
		}
	}
	// Messages of tools hold texts only, so images follow as the user's.
	if pictures != nil {
		messages = append(messages, (&object{}).addText("role", "user").add("content", pictures))
	}
	return messages
}

// textBlock is a part of a content that is a text.
func textBlock(kind, text string) *object {
	return (&object{}).addText("type", kind).add("text", literal(text))
}
