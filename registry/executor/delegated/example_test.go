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
	desk := delegated.NewInbox(delegated.Options{
		// Where the result goes, when it comes: into the conversation, say.
		OnDone: func(c delegated.Completion) { fmt.Println(c.Tool, "gave", c.Result.Text()) },
	})
	defer desk.Close()
	spec, executor, err := desk.Define(tool.Spec{Name: "open_page", Description: "Opens a page in the user's browser."}, delegated.Later)
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

	// The client asks what there is to do, and says what came of it.
	for _, request := range desk.Open("") {
		page, err := tool.TextResult("the page is open", nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(desk.Complete(request.Key(), page))
		fmt.Println(desk.Complete(request.Key(), page) != nil) // it has its result already
	}
	// Output:
	// true <nil>
	// open_page gave the page is open
	// <nil>
	// true
}
