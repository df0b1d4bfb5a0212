package standard_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// A registry with the built-in tools, and a call to one of them.
func Example() {
	tools, err := standard.New(standard.Options{Workspace: "testdata"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer tools.Close()
	result, err := tools.Execute(context.Background(), tool.Call{
		Tool:      "grep",
		Arguments: json.RawMessage(`{"pattern": "func main"}`),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(result.Text())
	// Output:
	// hello.go.txt:3:func main() {}
}

// Failures are results too: their text is made for a model.
func Example_failure() {
	tools, err := standard.New(standard.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer tools.Close()
	result, err := tools.Execute(context.Background(), tool.Call{
		Tool:      "grep",
		Arguments: json.RawMessage(`{"pattern": "func main"}`),
	})
	fmt.Println(tool.CodeOf(err))
	fmt.Println(result.Text())
	// Output:
	// permission_denied
	// grep: not granted: read:workspace; only the operator can grant it
}
