package tool_test

import (
	"errors"
	"fmt"

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
