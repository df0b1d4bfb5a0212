// Package registry is the front door: a catalogue of tools, and Execute, the one
// way to call them. It checks the arguments, computes what the tool may reach,
// asks where somebody must be asked, bounds the time, runs the tool through its
// Executor and checks what comes back.
//
// It knows no kind of tool: package standard assembles a Registry with the
// executors, the built-in tools and tools from folders. A Registry is a value; two
// may live in one process and share nothing.
//
// To call a tool:
//
//	tools, err := standard.New(standard.Options{Workspace: "."})
//	if err != nil {
//		return err
//	}
//	defer tools.Close()
//	result, err := tools.Execute(ctx, tool.Call{Tool: "grep", Arguments: json.RawMessage(`{"pattern":"main"}`)})
//	switch tool.CodeOf(err) { ... }   // what the program does about a failure
//	fmt.Println(result.Text())        // what the model is told, of a failure, too
//
// The examples show a Registry with a tool in Go, and questions about calls.
package registry
