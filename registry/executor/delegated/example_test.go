package delegated_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/executor/delegated"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func Example() {
	inbox := delegated.NewInbox(delegated.Options{
		// A program would add the result to the conversation.
		OnDone: func(c delegated.Completion) { fmt.Println(c.Tool, "gave", c.Result.Text()) },
	})
	defer inbox.Close()
	spec, executor, err := inbox.Define(tool.Spec{Name: "open_page", Description: "Opens a page in the user's browser."}, delegated.Later)
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
	result, err := tools.Execute(context.Background(), tool.Call{Tool: "open_page", Arguments: json.RawMessage(`{}`)})
	fmt.Println(result.Pending, err)

	// The client asks for open calls, and completes them.
	for _, request := range inbox.Open("") {
		page, err := tool.TextResult("the page is open", nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(inbox.Complete(request.Key(), page))
		fmt.Println(inbox.Complete(request.Key(), page) != nil) // the call already has its result
	}
	// Output:
	// true <nil>
	// open_page gave the page is open
	// <nil>
	// true
}
