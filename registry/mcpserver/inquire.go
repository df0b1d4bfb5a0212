package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Fields in the form of an inquiry.
const (
	choiceField = "choice"
	wordsField  = "words"
	optionField = "option_" // before an option's number, if several may be chosen
)

// inquire sends the question of a tool to the user.
func (c *servedCall) inquire(ctx context.Context, q tool.Inquiry) (tool.Reply, error) {
	form, err := inquiryForm(q)
	if err != nil {
		return tool.Reply{}, err
	}
	result, err := c.elicit(ctx, inquiryInput, form)
	if err != nil {
		return tool.Reply{}, err
	}
	return replyOf(result, q), nil
}

// inquiryForm returns an inquiry as a form. All clients support string, enum and boolean fields,
// so if several options may be chosen, each option is a boolean field.
func inquiryForm(q tool.Inquiry) (*mcp.ElicitParams, error) {
	var b strings.Builder
	b.WriteString("The agent asks")
	if q.Header != "" {
		fmt.Fprintf(&b, " (%s)", plaintext.OneLine(q.Header))
	}
	fmt.Fprintf(&b, ": %s", plaintext.OneLine(q.Text))
	properties := map[string]any{}
	var labels []string
	for n, o := range q.Options {
		fmt.Fprintf(&b, "\n%d. %s", n+1, plaintext.OneLine(o.Label))
		if o.Description != "" {
			fmt.Fprintf(&b, ": %s", plaintext.OneLine(o.Description))
		}
		labels = append(labels, o.Label)
		if q.Multiple {
			properties[optionField+strconv.Itoa(n+1)] = map[string]any{"type": "boolean", "title": o.Label, "default": false}
		}
	}
	own := map[string]any{"type": "string", "title": "Answer"}
	if len(labels) > 0 {
		own["title"] = "Or in your own words"
	}
	properties[wordsField] = own
	if len(labels) > 0 && !q.Multiple {
		properties[choiceField] = map[string]any{"type": "string", "title": "Choice", "enum": labels}
	}
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties})
	if err != nil {
		return nil, err
	}
	return &mcp.ElicitParams{Mode: "form", Message: b.String(), RequestedSchema: json.RawMessage(schema)}, nil
}

// replyOf reads the user's answer. It ignores choices that are not options.
func replyOf(result *mcp.ElicitResult, q tool.Inquiry) tool.Reply {
	switch {
	case result == nil, result.Action == "cancel":
		return tool.Reply{Status: tool.ReplyCancelled}
	case result.Action != "accept":
		return tool.Reply{Status: tool.ReplyDeclined}
	}
	reply := tool.Reply{Status: tool.ReplyAnswered}
	for n, o := range q.Options {
		if result.Content[choiceField] == o.Label && !q.Multiple || q.Multiple && result.Content[optionField+strconv.Itoa(n+1)] == true {
			reply.Chosen = append(reply.Chosen, o.Label)
		}
	}
	reply.Text, _ = result.Content[wordsField].(string)
	return reply
}
