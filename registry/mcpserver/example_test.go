package mcpserver_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/mcpserver"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// A program serves its tools to a client that started it. Here the client is a text.
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
	if err := server.ServeStdio(context.Background(), client, os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"capabilities":{"logging":{},"tools":{"listChanged":true}},"protocolVersion":"2025-11-25","serverInfo":{"name":"example","version":"1.0.0"}}}
	// {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"hello"}]}}
}
