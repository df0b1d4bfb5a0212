package llm

import (
	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/registry/llm/internal/assemble"
)

// responses is OpenAI's Responses API, in which a conversation is a list of items.
type responses struct{ plainList }

func (responses) subset(strict bool) *subset { return openAISubset(strict) }

// definition always sets "strict", because the API assumes true if the field is missing.
func (responses) definition(d definition) *jsontree.Value {
	o := jsontree.NewObject().AddText("type", "function").AddText("name", d.name).AddText("description", d.description)
	return d.addLoading(o).Add("strict", jsontree.NewBoolean(d.strict)).Add("parameters", d.parameters)
}

func (responses) parse(body *jsontree.Value) (reply, error) {
	items := body // a plain array of items
	if body.Kind == jsontree.Object {
		items = body.Member("output")
	}
	if items == nil || items.Kind != jsontree.Array || body.Member("status").Text() == "failed" {
		return reply{}, noMessage(OpenAIResponses, body, "output")
	}
	var r reply
	for i := range items.Items {
		item := &items.Items[i]
		switch item.Member("type").Text() {
		case "message":
			r.addParts(item.Member("content"))
		case "function_call":
			r.addCall(item.Member("call_id"), item.Member("name"), item.Member("arguments"), jsontree.NewString("{}"))
		}
		r.own = append(r.own, item)
	}
	return r.ended(OpenAIResponses, body.Member("incomplete_details").Member("reason"), nil)
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
