package registry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/schedule"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// A registry with a tool written in Go, and a call of it. Package standard creates registries with
// the built-in tools and tools from directories.
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

	// A failed call returns an error with a code for the program, and a result with a message for
	// the model.
	result, err = tools.Execute(context.Background(), tool.Call{Tool: "shuot"})
	fmt.Println(tool.CodeOf(err), result.IsError)
	fmt.Println(result.Text())
	// Output:
	// HELLO <nil>
	// not_found true
	// shuot: the tool "shuot" does not exist; did you mean shout?
}

// The approver is asked about a call that may do more than read.
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

// Options set limits and receive a receipt of every call.
func ExampleOptions() {
	tools := registry.New(registry.Options{
		MaxTimeout: 10 * time.Second,
		Schedule:   schedule.Options{MaxCalls: 100, MaxTenantCalls: 10},
		Calls: ledger.Options{OnReceipt: func(r tool.Receipt) {
			fmt.Println(r.Tool, r.Tenant, r.Code)
		}},
	})
	defer tools.Close()
	_, err := tools.Execute(context.Background(), tool.Call{Tool: "shout", Tenant: "acme"})
	fmt.Println(err)
	// Output:
	// shout acme not_found
	// shout: the tool "shout" does not exist; there are no tools
}

// A tenant sees and calls only the tools that its own policy allows.
func ExampleRegistry_Tenant() {
	tools := registry.New(registry.Options{})
	defer tools.Close()
	for _, name := range []string{"shout", "whisper"} {
		spec, executor, err := native.Text(name, "Changes a text.", func(_ context.Context, text string) (string, error) {
			return text, nil
		})
		if err == nil {
			err = tools.Tools().Register(spec, executor)
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	quiet, err := policy.Compile(policy.Config{Deny: []string{"shout"}}, policy.Known{
		Tools: []policy.ToolFacts{{Name: "shout"}, {Name: "whisper"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	acme := tools.Tenant("acme", registry.TenantOptions{Policy: quiet})
	for _, info := range acme.List(catalogue.Filter{}) {
		fmt.Println(info.Name)
	}
	_, err = acme.Execute(context.Background(), tool.Call{Tool: "shout", Arguments: json.RawMessage(`{"text":"hello"}`)})
	fmt.Println(tool.CodeOf(err))
	// Output:
	// whisper
	// disabled
}
