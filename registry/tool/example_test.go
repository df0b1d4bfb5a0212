package tool_test

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// A program acts on the code of an error, and shows the result to the model.
func Example() {
	var err error = &tool.Error{
		Code: tool.CodePermissionDenied, Tool: "write", Message: "not granted: write:workspace; only the operator can grant it",
		Details: tool.Details{Missing: []string{"write:workspace"}, Grant: []string{"write:workspace"}},
	}
	err = fmt.Errorf("the agent's call: %w", err)
	switch code := tool.CodeOf(err); code {
	case tool.CodePermissionDenied, tool.CodeApprovalRequired:
		var e *tool.Error
		errors.As(err, &e)
		fmt.Println(code, "of", e.Tool, "lacks", e.Details.Missing)
	default:
		fmt.Println(code, err)
	}
	// Output: permission_denied of write lacks [write:workspace]
}

func ExampleTextResult() {
	result, err := tool.TextResult("3 files", map[string]int{"files": 3})
	fmt.Println(result.Text(), string(result.Structured), err)
	// Output: 3 files {"files":3} <nil>
}

// reverser is an executor that needs no preparation.
type reverser struct{}

func (reverser) Prepare(context.Context) error { return nil }

func (reverser) Execute(_ context.Context, in tool.Invocation) (tool.Result, error) {
	text, ok := in.Text("text")
	if !ok {
		return tool.Result{}, tool.Errorf(tool.CodeExecution, "there is no text to reverse")
	}
	letters := []rune(text)
	slices.Reverse(letters)
	return tool.TextResult(string(letters), nil)
}

func (reverser) Close() error { return nil }

// A registry passes only checked arguments to an executor. Register an executor with
// Catalogue.Register, or create one from a Go function with package registry/executor/native.
func ExampleExecutor() {
	var executor tool.Executor = reverser{}
	result, err := executor.Execute(context.Background(), tool.Invocation{
		Text: func(string) (string, bool) { return "drawer", true },
	})
	fmt.Println(result.Text(), err)
	// Output: reward <nil>
}
