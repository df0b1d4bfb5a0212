package mcpserver_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/mcpserver"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// A program serves its tools to the client that started it. Here, the input of the server is a
// string.
func ExampleServer_ServeStdio() {
	approver := new(mcpserver.Approver)
	tools := registry.New(registry.Options{Approvals: registry.ApprovalOptions{Approver: approver}})
	defer tools.Close()
	if err := tools.Tools().Register(tool.Spec{Name: "hello", Description: "Says hello."}, says("hello")); err != nil {
		fmt.Println(err)
		return
	}
	server := mcpserver.New(tools, mcpserver.Options{Name: "example", Version: "1.0.0", Approver: approver})
	defer server.Close()
	client := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"text","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"hello"}}
`)
	var responses strings.Builder // a real program passes os.Stdin and os.Stdout
	if err := server.ServeStdio(context.Background(), client, &responses); err != nil {
		fmt.Println(err)
	}
	_, last, _ := strings.Cut(responses.String(), "\n")
	fmt.Print(last)
	// Output:
	// {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"hello"}]}}
}
