package llm

import (
	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/jsontype"
	"github.com/wasmtool/wasmtool/registry/llm/internal/assemble"
)

// gemini is the method generateContent. A message contains parts, and calls may have no IDs.
type gemini struct{}

// subset returns the part of JSON Schema that Google documents for parametersJsonSchema and
// structured output. The rules for names are the rules of Vertex AI.
func (gemini) subset(strict bool) *subset {
	if strict {
		return nil
	}
	return &subset{
		provider: "Gemini",
		names:    nameRule{maxLen: 64, marks: "_-", letterFirst: true},
		fields:   nameRule{maxLen: 64, marks: "_", letterFirst: true},
		limits:   []string{"minimum", "maximum", "minItems", "maxItems"},
		formats:  []string{"date-time", "date", "time"},
		typed:    true,
		items:    true,
		enums:    jsontype.String | jsontype.Number,
		tuples:   true,
	}
}

func (gemini) definition(d definition) *jsontree.Value {
	o := jsontree.NewObject().AddText("name", d.name).AddText("description", d.description)
	if !d.empty {
		o.Add("parametersJsonSchema", d.parameters)
	}
	return o
}

// list returns an empty list of tools if there are no definitions, because the API refuses an
// empty list of declarations.
func (gemini) list(definitions []*jsontree.Value) *jsontree.Value {
	if len(definitions) == 0 {
		return jsontree.NewArray()
	}
	return jsontree.NewArray(jsontree.NewObject().Add("functionDeclarations", jsontree.NewArray(definitions...)))
}

func (gemini) parse(body *jsontree.Value) (reply, error) {
	content, reason, details := body, (*jsontree.Value)(nil), (*jsontree.Value)(nil)
	feedback := body.Member("promptFeedback")
	switch candidates := body.Member("candidates").List(); {
	case len(candidates) > 0:
		content, reason, details = candidates[0].Member("content"), candidates[0].Member("finishReason"), candidates[0].Member("finishMessage")
	case feedback.Member("blockReason").Text() != "":
		reason, details = feedback.Member("blockReason"), feedback.Member("blockReasonMessage")
	case body.Member("parts") == nil:
		return reply{}, noMessage(Gemini, body, "candidates")
	}
	var r reply
	parts := content.Member("parts").List()
	for i := range parts {
		r.addPart(&parts[i])
		if call := parts[i].Member("functionCall"); !call.IsNull() {
			r.addCall(call.Member("id"), call.Member("name"), call.Member("args"), jsontree.NewObject())
		}
	}
	if len(parts) > 0 { // signatures in the message are only valid if it is sent back unchanged
		r.own = []*jsontree.Value{content}
	}
	return r.ended(Gemini, reason, details)
}

func (gemini) stream() assemble.Assembler { return assemble.Gemini() }

func (gemini) answer(calls []Call, results []outcome) []*jsontree.Value {
	var parts []*jsontree.Value
	for i, call := range calls {
		response := jsontree.NewObject().AddText("id", call.ID).Add("name", jsontree.NewString(call.Name))
		// A result is sent as a string even if it is JSON: the API refuses results with "$ref".
		key := "output"
		if results[i].isError {
			key = "error"
		}
		response.Add("response", jsontree.NewObject().Add(key, jsontree.NewString(results[i].text)))
		var images []*jsontree.Value
		for _, image := range results[i].images {
			images = append(images, jsontree.NewObject().Add("inlineData",
				jsontree.NewObject().AddText("mimeType", image.MIMEType).Add("data", base64Of(image))))
		}
		if images != nil {
			response.Add("parts", jsontree.NewArray(images...))
		}
		parts = append(parts, jsontree.NewObject().Add("functionResponse", response))
	}
	return []*jsontree.Value{jsontree.NewObject().AddText("role", "user").Add("parts", jsontree.NewArray(parts...))}
}
