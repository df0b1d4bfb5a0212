package llm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/llm"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// An agent asks a model, runs the calls that the model requests, and asks again until the model
// is done. The provider here is a test server.
func Example() {
	provider := httptest.NewServer(http.HandlerFunc(fakeProvider))
	defer provider.Close()
	// A real program calls standard.New, which adds the built-in tools.
	reg := registry.New(registry.Options{})
	defer reg.Close()
	if err := reg.Tools().Register(weather, weatherTool{}); err != nil {
		fmt.Println(err)
		return
	}

	tools, err := llm.New(llm.Anthropic, reg.Tools().List(catalogue.Filter{}), llm.Options{})
	messages := []json.RawMessage{json.RawMessage(`{"role":"user","content":"Do I need a coat in Rome or in Oslo?"}`)}
	for err == nil {
		var turn llm.Turn
		reply := ask(provider.URL, messages, tools.Definitions())
		if turn, err = tools.Answer(context.Background(), reg, reply, llm.AnswerOptions{}); err == nil {
			messages = append(messages, turn.Messages...)
			if len(turn.Calls) == 0 {
				fmt.Println(turn.Text)
				return
			}
		}
	}
	fmt.Println(err)
	// Output:
	// The model gets: 21 C in Rome; -5 C in Oslo.
	// Take a coat to Oslo.
}

// ask sends a request to the provider and returns the body of the response.
func ask(url string, messages []json.RawMessage, tools json.RawMessage) []byte {
	request, err := json.Marshal(map[string]any{"model": "a-model", "max_tokens": 1000, "messages": messages, "tools": tools})
	if err != nil {
		return nil
	}
	response, err := http.Post(url, "application/json", bytes.NewReader(request))
	if err != nil {
		return nil
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 10<<20))
	if err != nil {
		return nil
	}
	return body
}

// fakeProvider imitates the Messages API. It answers with two calls first, and with text once it
// has the results.
func fakeProvider(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Tools    []struct{ Name string }
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if json.NewDecoder(r.Body).Decode(&request) != nil || len(request.Tools) != 1 || len(request.Messages) == 0 {
		http.Error(w, `{"type":"error","error":{"type":"invalid_request_error","message":"bad request"}}`, http.StatusBadRequest)
		return
	}
	if len(request.Messages) == 1 {
		fmt.Fprint(w, `{"id":"msg_1","type":"message","role":"assistant","stop_reason":"tool_use","content":[
			{"type":"text","text":"I will look."},
			{"type":"tool_use","id":"toolu_1","name":"weather","input":{"city":"Rome"}},
			{"type":"tool_use","id":"toolu_2","name":"weather","input":{"city":"Oslo"}}]}`)
		return
	}
	var results []struct {
		ToolUseID string `json:"tool_use_id"`
		Content   []struct{ Text string }
	}
	if json.Unmarshal(request.Messages[2].Content, &results) == nil && len(results) == 2 {
		fmt.Printf("The model gets: %s; %s.\n", results[0].Content[0].Text, results[1].Content[0].Text)
	}
	fmt.Fprint(w, `{"id":"msg_2","type":"message","role":"assistant","stop_reason":"end_turn","content":[{"type":"text","text":"Take a coat to Oslo."}]}`)
}

var weather = tool.Spec{
	Name: "weather", Description: "Returns the weather in a city.", Sandboxed: true,
	Parameters: json.RawMessage(`{"type":"object","required":["city"],"properties":{"city":{"type":"string"}}}`),
}

// weatherTool stands in for a tool that runs in the sandbox.
type weatherTool struct{}

func (weatherTool) Prepare(context.Context) error { return nil }

func (weatherTool) Execute(_ context.Context, in tool.Invocation) (tool.Result, error) {
	city, _ := in.Text("city")
	degrees := map[string]int{"Rome": 21, "Oslo": -5}[city]
	return tool.Result{Content: []tool.Content{tool.TextContent(fmt.Sprintf("%d C in %s", degrees, city))}}, nil
}

func (weatherTool) Close() error { return nil }
