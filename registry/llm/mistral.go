package llm

import "github.com/wasmtool/wasmtool/internal/jsontype"

// mistralSubset: Mistral documents JSON Schema without saying which parts, and checks that
// a schema is one of draft 7. It documents no rules of a strict mode.
func mistralSubset(strict bool) *subset {
	if strict {
		return nil
	}
	return &subset{
		provider:  "Mistral",
		names:     nameRule{most: 64, marks: "_-"},
		limit:     anyLimit,
		format:    anyFormat,
		others:    true,
		notes:     true,
		typeLists: true,
		enums:     jsontype.Any,
	}
}

// mistralAnswer: a message of a tool may hold images, and no message of the user may follow
// it.
func mistralAnswer(calls []Call, results []outcome) []any {
	var messages []any
	for i, call := range calls {
		m := (&object{}).addText("role", "tool").add("tool_call_id", literal(call.ID)).addText("name", call.Name)
		if len(results[i].images) == 0 {
			messages = append(messages, m.add("content", literal(results[i].marked())))
			continue
		}
		content := []any{textBlock("text", results[i].marked())}
		for _, image := range results[i].images {
			content = append(content, (&object{}).addText("type", "image_url").addText("image_url", dataURL(image)))
		}
		messages = append(messages, m.add("content", content))
	}
	return messages
}
