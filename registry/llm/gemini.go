package llm

import (
	"encoding/json"

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

// geminiContent is a message.
type geminiContent struct {
	Role  string          `json:"role"`
	Parts json.RawMessage `json:"parts"`
}

func (gemini) parse(message []byte) (reply, error) {
	var body struct {
		geminiContent
		Candidates []struct {
			Content       json.RawMessage `json:"content"`
			FinishReason  string          `json:"finishReason"`
			FinishMessage string          `json:"finishMessage"`
		} `json:"candidates"`
		PromptFeedback struct {
			BlockReason        string `json:"blockReason"`
			BlockReasonMessage string `json:"blockReasonMessage"`
		} `json:"promptFeedback"`
	}
	if err := json.Unmarshal(message, &body); err != nil {
		return reply{}, notJSON(Gemini, err)
	}
	if len(body.Candidates) == 0 {
		switch feedback := body.PromptFeedback; {
		case feedback.BlockReason != "":
			return reply{}.ended(Gemini, feedback.BlockReason, feedback.BlockReasonMessage)
		case body.Parts == nil:
			return reply{}, noMessage(Gemini, message, "candidates")
		}
		return geminiReply(message, body.geminiContent)
	}
	candidate := body.Candidates[0]
	var content geminiContent
	if len(candidate.Content) > 0 {
		if err := json.Unmarshal(candidate.Content, &content); err != nil {
			return reply{}, notJSON(Gemini, err)
		}
	}
	r, err := geminiReply(candidate.Content, content)
	if err != nil {
		return reply{}, err
	}
	return r.ended(Gemini, candidate.FinishReason, candidate.FinishMessage)
}

// geminiReply reads a message. raw is the message as it was sent.
func geminiReply(raw json.RawMessage, content geminiContent) (reply, error) {
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
	text, _ := joinTexts(content.Parts)
	r := reply{text: text}
	for _, part := range parts {
		if call := part.FunctionCall; call != nil {
			r.calls = append(r.calls, Call{ID: call.ID, Name: call.Name, Arguments: argumentsOf(call.Args)})
		}
	}
	// Signatures in the message are only valid if it is sent back unchanged.
	r.own = []*jsontree.Value{sendable(raw, r.calls, jsontree.NewObject(), "parts", "*", "functionCall", "args")}
	return r, nil
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
