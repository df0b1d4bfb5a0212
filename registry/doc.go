// Package registry is the entry point for programs that let models call tools. A [Registry] holds a
// catalogue of tools, and [Registry.Execute] calls one. Execute checks the arguments, computes what
// the tool may access, asks an [Approver] if the call needs an approval, enforces the timeout, runs
// the tool through its executor and checks the result.
//
// The package itself contains no tools and no executors: package standard creates a Registry with
// the executors, the built-in tools and tools from directories. There are no globals; several
// registries in one process share nothing.
//
// To call a tool:
//
//	tools, err := standard.New(standard.Options{Workspace: "."})
//	if err != nil {
//		return err
//	}
//	defer tools.Close()
//	arguments := json.RawMessage(`{"pattern": "main"}`)
//	result, err := tools.Execute(ctx, tool.Call{Tool: "grep", Arguments: arguments})
//	switch tool.CodeOf(err) { ... }   // how the program handles a failure
//	fmt.Println(result.Text())        // the message for the model, also for a failure
//
// The examples show a Registry with a tool in Go, approvals and tenants.
package registry
