// Command embedder is a program that runs a tool whose module only a child compiles.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

func main() {
	compiler := runtime.SelfCompiler() // first in main
	if len(os.Args) > 2 {
		compiler = nil
	}
	tools, err := standard.New(standard.Options{NoBuiltins: true, NoCache: true, Tool: os.Args[1], CompileCommand: compiler})
	if err != nil {
		panic(err)
	}
	defer tools.Close()
	result, err := tools.Execute(context.Background(), tool.Call{Tool: "branchy", Arguments: []byte("{}")})
	fmt.Println(result.Text(), err)
}
