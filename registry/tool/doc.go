// Package tool is the vocabulary of the registry: what a tool is (Spec), what a
// caller asks (Call), what comes back (Result, Error), and what runs it
// (Executor). It is a leaf: executors, registries and servers meet here.
//
// A failed call gives an error with a code, and a result for the model:
//
//	result, err := tools.Execute(ctx, tool.Call{Tool: "read", Arguments: arguments})
//	if tool.CodeOf(err) == tool.CodePermissionDenied {
//		var e *tool.Error
//		errors.As(err, &e) // e.Details.Missing are the permissions that it lacks
//	}
//	answer(result.Text())
package tool
