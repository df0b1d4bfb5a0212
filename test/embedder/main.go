// Command embedder is a minimal program that calls a built-in tool in the sandbox. test/layout
// checks which modules it links, and docs/performance.md has its measurements.
package main

import (
	"context"
	"fmt"

	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func main() {
	tools, err := standard.New(standard.Options{})
	if err != nil {
		panic(err)
	}
	defer tools.Close()
	result, err := tools.Execute(context.Background(), tool.Call{Tool: "calculator", Arguments: []byte(`{"expression":"6*7"}`)})
	fmt.Println(result.Text(), err)
}
