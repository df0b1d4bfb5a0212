package llm

import (
	"encoding/json"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/jsontype"
)

// gemini is generateContent: contents of parts, and calls that may have no names.
type gemini struct{}

// subset is what Google documents for JSON Schema (parametersJsonSchema, as for structured
// output), and for names what Vertex AI asks for.
func (gemini) subset(strict bool) *subset {
	if strict {
		return nil
	}
	return &subset{
		provider: "Gemini",
		names:    nameRule{most: 64, marks: "_-", letterFirst: true},
		fields:   nameRule{most: 64, marks: "_", letterFirst: true},
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

// list: an empty list of declarations is refused, an empty list of tools is not.
func (gemini) list(definitions []*jsontree.Value) *jsontree.Value {
	if len(definitions) == 0 {
		return jsontree.NewArray()
	}
	return jsontree.NewArray(jsontree.NewObject().Add("functionDeclarations", jsontree.NewArray(definitions...)))
}

// geminiContent is a message.
type geminiContent struct {
	Role  string          `json:"role"`
	Parts json.RawMessage `json:"parts"`
}

func (gemini) parse(message []byte) (reply, error) {
	var body struct {
		geminiContent
		Candidates []struct {
			Content json.RawMessage `json:"content"`
		} `json:"candidates"`
	}
	if err := json.Unmarshal(message, &body); err != nil {
		return reply{}, notJSON(Gemini, err)
	}
	raw, content := json.RawMessage(message), body.geminiContent
	if len(body.Candidates) > 0 {
		if raw = body.Candidates[0].Content; len(raw) == 0 {
			return reply{}, nil // it was stopped before it said anything
		}
		if err := json.Unmarshal(raw, &content); err != nil {
			return reply{}, notJSON(Gemini, err)
		}
	} else if content.Parts == nil {
		return reply{}, noMessage(Gemini, message, "candidates")
	}
	if len(content.Parts) == 0 {
		return reply{}, nil
	}
	var parts []struct {
		FunctionCall *struct {
			ID   string          `json:"id"`
			Name string          `json:"name"`
			Args json.RawMessage `json:"args"`
		} `json:"functionCall"`
	}
	if err := json.Unmarshal(content.Parts, &parts); err != nil {
		return reply{}, notJSON(Gemini, err)
	}
	// As it came: the signatures in it must go back unchanged.
	r := reply{own: []*jsontree.Value{jsontree.NewRaw(raw)}, text: joinTexts(content.Parts)}
	for _, part := range parts {
		if call := part.FunctionCall; call != nil {
			r.calls = append(r.calls, Call{ID: call.ID, Name: call.Name, Arguments: call.Args})
		}
	}
	return r, nil
}

func (gemini) answer(calls []Call, results []outcome) []*jsontree.Value {
	var parts []*jsontree.Value
	for i, call := range calls {
		response := jsontree.NewObject().AddText("id", call.ID).Add("name", jsontree.NewString(call.Name))
		// A text, also where it is JSON: a result that has "$ref" in it would be refused.
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
