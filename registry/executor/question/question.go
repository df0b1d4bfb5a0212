// Package question provides the tool "question". A model uses it to ask the user something. The
// embedding program decides how the question reaches the user; see [tool.Asker].
package question

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Name is the name of the tool.
const Name = "question"

// DefaultTimeout limits how long the user may take to answer.
const DefaultTimeout = 10 * time.Minute

const parameters = `{
  "type": "object",
  "required": ["question"],
  "properties": {
    "question": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "The question, understandable without context"},
    "header": {"type": "string", "maxLength": 40, "description": "The topic in a word or two"},
    "options": {
      "type": "array", "maxItems": 20, "description": "Answers to choose from; leave out for a free-text answer",
      "items": {
        "type": "object", "required": ["label"],
        "properties": {
          "label": {"type": "string", "minLength": 1, "maxLength": 200, "description": "The answer, in a few words"},
          "description": {"type": "string", "maxLength": 1000, "description": "What choosing it means"}
        }
      }
    },
    "multiple": {"type": "boolean", "default": false, "description": "Whether more than one option may be chosen"}
  }
}`

// Define returns the tool in the form that registry.Register expects.
func Define(asker tool.Asker) (tool.Spec, tool.Executor, error) {
	return native.DefineCall(native.Options{Spec: tool.Spec{
		Name: Name, Title: "Ask the user", Category: "planning", Tags: []string{"ask", "user", "choice"}, Version: "1.0.0", Source: "host",
		Description: "Asks the user something that only the user can decide, and waits for the answer. The user may always answer in words of their own, or not at all.",
		Timeout:     DefaultTimeout, Parameters: json.RawMessage(parameters),
		Declared: &capability.Effects{ReadOnly: true}, // the tool only asks the user
	}}, func(ctx context.Context, call tool.Call, a arguments) (tool.Result, error) {
		return ask(ctx, asker, call, a)
	})
}

type arguments struct {
	Question string               `json:"question"`
	Header   string               `json:"header"`
	Options  []tool.InquiryOption `json:"options"`
	Multiple bool                 `json:"multiple"`
}

func ask(ctx context.Context, asker tool.Asker, call tool.Call, a arguments) (tool.Result, error) {
	labels := make(map[string]bool)
	for _, o := range a.Options {
		if labels[o.Label] {
			return tool.Result{}, tool.Errorf(tool.CodeInvalidArgument, "options: the label %q occurs twice; give each option its own label", o.Label)
		}
		labels[o.Label] = true
	}
	reply, err := asker.Inquire(ctx, tool.Inquiry{
		CallRef: call.Ref(),
		Text:    a.Question, Header: a.Header, Options: a.Options, Multiple: a.Multiple,
	})
	switch {
	case errors.Is(err, tool.ErrNoApprover):
		return tool.Result{}, &tool.Error{Code: tool.CodeApprovalRequired, Message: "no user is available to answer; continue with what you know, and list your assumptions at the end"}
	case err != nil:
		return tool.Result{}, err
	}
	result, err := tool.TextResult(words(reply), reply)
	if reply.Status == tool.ReplyAnswered {
		result.Title = "Answered"
	}
	return result, err
}

// words returns the reply as text for a model.
func words(r tool.Reply) string {
	switch r.Status {
	case tool.ReplyDeclined:
		return "The user declined to answer. Do not ask again; continue without the answer, or stop."
	case tool.ReplyCancelled:
		return "The user dismissed the question without answering."
	}
	var parts []string
	if len(r.Chosen) > 0 {
		parts = append(parts, "The user chose: "+strings.Join(r.Chosen, "; "))
	}
	if r.Text != "" {
		parts = append(parts, "The user says: "+r.Text)
	}
	if len(parts) == 0 {
		return "The user chose none of the options."
	}
	return strings.Join(parts, "\n")
}
