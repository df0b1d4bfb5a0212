package registry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// A registry with a tool in Go, and a call of it. Package standard makes one with the built-in
// tools and those of folders.
func Example() {
	tools := registry.New(registry.Options{})
	defer tools.Close()
	spec, executor, err := native.Text("shout", "Writes a text in capitals.", func(_ context.Context, text string) (string, error) {
		return strings.ToUpper(text), nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := tools.Tools().Register(spec, executor); err != nil {
		fmt.Println(err)
		return
	}
	result, err := tools.Execute(context.Background(), tool.Call{Tool: "shout", Arguments: json.RawMessage(`{"text":"hello"}`)})
	fmt.Println(result.Text(), err)

	// A failure is an error with a code for the program, and a result with a text for the model.
	result, err = tools.Execute(context.Background(), tool.Call{Tool: "shuot"})
	fmt.Println(tool.CodeOf(err), result.IsError)
	fmt.Println(result.Text())
	// Output:
	// HELLO <nil>
	// not_found true
	// shuot: the tool "shuot" does not exist; did you mean shout?
}

// A call that may do more than read is asked about.
func ExampleApprover() {
	tools := registry.New(registry.Options{
		Approvals: registry.ApprovalOptions{Approver: registry.ApproverFunc(func(_ context.Context, q registry.Question) (registry.Answer, error) {
			fmt.Printf("%s: %s: %s\n", q.Tool.Name, q.Why, q.Arguments)
			return registry.Answer{Yes: true, Remember: remembered.ScopeOnce}, nil
		})},
	})
	defer tools.Close()
	spec, executor, err := native.Text("deploy", "Deploys a branch.", func(_ context.Context, branch string) (string, error) {
		return branch + " is deployed", nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	spec.Dangerous = true
	if err := tools.Tools().Register(spec, executor); err != nil {
		fmt.Println(err)
		return
	}
	result, err := tools.Execute(context.Background(), tool.Call{Tool: "deploy", Arguments: json.RawMessage(`{"text":"main"}`)})
	fmt.Println(result.Text(), err)
	// Output:
	// deploy: the tool is dangerous: {"text":"main"}
	// main is deployed <nil>
}
