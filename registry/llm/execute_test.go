package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/llm"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// A framework gets for a single call what Answer sends to the model: the tool's own names, the
// text of a failure, and nothing else from an error.
func TestExecuteMakesOneCall(t *testing.T) {
	t.Parallel()
	tools, err := llm.New(llm.Anthropic, []catalogue.Info{info("mcp:weather", `{"type":"object","properties":{"the city":{"type":"string"}}}`)}, llm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var definitions []struct {
		Name   string `json:"name"`
		Schema struct {
			Properties map[string]any `json:"properties"`
		} `json:"input_schema"`
	}
	if err := json.Unmarshal(tools.Definitions(), &definitions); err != nil || len(definitions) != 1 {
		t.Fatalf("got %s, %v", tools.Definitions(), err)
	}
	name, arguments := definitions[0].Name, map[string]string{}
	for property := range definitions[0].Schema.Properties {
		arguments[property] = "Rome"
	}
	written, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}

	for about, test := range map[string]struct {
		name    string
		run     func(context.Context, tool.Call) (tool.Result, error)
		text    string
		message string
		code    tool.Code
	}{
		"success": {
			name: name,
			text: `mcp:weather got {"the city":"Rome"}`,
		},
		"failure": {
			name: name,
			run: func(context.Context, tool.Call) (tool.Result, error) {
				return tool.Result{IsError: true, Content: []tool.Content{tool.TextContent("try again")}}, tool.Errorf(tool.CodeServer, "for programs")
			},
			text: "try again", message: "try again", code: tool.CodeServer,
		},
		"failure without a result": {
			name: name,
			run: func(context.Context, tool.Call) (tool.Result, error) {
				return tool.Result{}, tool.Errorf(tool.CodeTimeout, "too slow")
			},
			text: "too slow", message: "too slow", code: tool.CodeTimeout,
		},
		"error of another kind": {
			name: name,
			run: func(context.Context, tool.Call) (tool.Result, error) {
				return tool.Result{}, errors.New("open /home/ann/secret")
			},
			text: "mcp__weather: the call failed", message: "mcp__weather: the call failed", code: tool.CodeInternal,
		},
		"unknown tool": {
			name: "mcp__whether",
			text: `the tool "mcp__whether" does not exist; did you mean mcp__weather?`, message: `the tool "mcp__whether" does not exist; did you mean mcp__weather?`, code: tool.CodeNotFound,
		},
	} {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			e := &executor{run: test.run}
			like := tool.Call{ID: "mine", Session: "s", Tool: "other", Arguments: json.RawMessage(`{"mine":1}`)}
			result, err := tools.Execute(t.Context(), e, test.name, written, like)
			message := ""
			if err != nil {
				message = err.Error()
			}
			if result.Text() != test.text || message != test.message || tool.CodeOf(err) != test.code || result.IsError != (err != nil) {
				t.Errorf("got %q, IsError %t, error %q with code %q", result.Text(), result.IsError, message, tool.CodeOf(err))
			}
			if (test.code == tool.CodeNotFound) != (len(e.calls) == 0) {
				t.Fatalf("%d calls reached the executor", len(e.calls))
			}
			for _, call := range e.calls {
				if call.ID != "" || call.Session != "s" || call.Tool != "mcp:weather" || string(call.Arguments) != `{"the city":"Rome"}` {
					t.Errorf("the executor got %+v", call)
				}
			}
		})
	}
}
