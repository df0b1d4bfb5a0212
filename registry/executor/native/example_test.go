package native_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func Example() {
	type input struct {
		City string `json:"city" jsonschema:"The name of the city."`
		Days int    `json:"days,omitempty" jsonschema:"How many days ahead."`
	}
	type forecast struct {
		Summary string `json:"summary"`
	}
	spec, executor, err := native.Define(native.Options{
		Spec: tool.Spec{Name: "weather", Description: "Tells the weather of a city."},
	}, func(_ context.Context, in input) (forecast, error) {
		return forecast{fmt.Sprintf("sun in %s, in %d days", in.City, in.Days)}, nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	tools := registry.New(registry.Options{})
	defer tools.Close()
	if err := tools.Tools().Register(spec, executor); err != nil {
		fmt.Println(err)
		return
	}
	result, err := tools.Execute(context.Background(), tool.Call{Tool: "weather", Arguments: json.RawMessage(`{"city":"Ulm","days":"2"}`)})
	fmt.Println(string(result.Structured), err)

	_, err = tools.Execute(context.Background(), tool.Call{Tool: "weather", Arguments: json.RawMessage(`{"days":2}`)})
	fmt.Println(tool.CodeOf(err))
	fmt.Println(err)
	// Output:
	// {"summary":"sun in Ulm, in 2 days"} <nil>
	// invalid_argument
	// weather: invalid arguments: parameter "city" is required but missing; expected a string
}

func ExampleText() {
	spec, executor, err := native.Text("shout", "Writes a text in capitals.", func(_ context.Context, text string) (string, error) {
		return strings.ToUpper(text), nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	tools := registry.New(registry.Options{})
	defer tools.Close()
	if err := tools.Tools().Register(spec, executor); err != nil {
		fmt.Println(err)
		return
	}
	result, err := tools.Execute(context.Background(), tool.Call{Tool: "shout", Arguments: json.RawMessage(`{"text":"hello"}`)})
	fmt.Println(result.Text(), err)
	// Output: HELLO <nil>
}
