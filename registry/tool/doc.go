// Package tool defines the types that registries, executors and servers share: [Spec] describes a
// tool, [Executor] runs it, [Call] is a request to run it, and [Result] and [Error] are the
// outcome. The package imports none of the packages that use it.
//
// A failed call returns an error with a code, and a result for the model:
//
//	result, err := tools.Execute(ctx, tool.Call{Tool: "read", Arguments: arguments})
//	if tool.CodeOf(err) == tool.CodePermissionDenied {
//		var e *tool.Error
//		errors.As(err, &e) // e.Details.Missing lists the missing permissions
//	}
//	answer(result.Text())
package tool
