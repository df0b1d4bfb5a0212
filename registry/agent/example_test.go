package agent_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/agent"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// A recording stands in for the model. A real program uses package provider, and standard.New for
// the built-in tools.
const recording = `{"recording":1,"format":"openai"}
{"chunks":[{"end":{"body":{"choices":[{"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}}]}}]},"usage":{"input_tokens":80,"output_tokens":12}}}]}
{"chunks":[{"text":"Take a coat."},{"end":{"body":{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"Take a coat."}}]},"usage":{"input_tokens":99,"output_tokens":4}}}]}
`

func Example() {
	reg := registry.New(registry.Options{})
	defer reg.Close()
	type input struct {
		City string `json:"city"`
	}
	spec, executor, err := native.Define(native.Options{Spec: tool.Spec{Name: "weather", Description: "Returns the weather in a city."}},
		func(_ context.Context, in input) (string, error) { return "-5 C in " + in.City, nil })
	if err == nil {
		err = reg.Tools().Register(spec, executor)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := agent.OpenReplay(strings.NewReader(recording))
	if err != nil {
		fmt.Println(err)
		return
	}

	a := agent.New(agent.Of(reg, "", registry.TenantOptions{}), model, agent.Options{})
	result, err := a.Run(context.Background(), agent.Request{Task: "Do I need a coat in Oslo?"}, agent.Events{
		OnStepComplete: func(s agent.Step) { fmt.Println(s.ToolName, s.Status, s.Result.Output) },
	})
	fmt.Println(result.Summary, result.End, err)
	// Output:
	// weather success -5 C in Oslo
	// Take a coat. done <nil>
}
