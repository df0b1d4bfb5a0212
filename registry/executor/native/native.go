// Package native turns Go functions into tools. They are not sandboxed: a function has all the
// access of the program. So only the program that embeds the registry can add them, and a manifest
// cannot.
//
// [Define] takes a function with typed input and output and derives the schemas. [Raw] takes a
// function that receives the call as it is. [Text] and [Search] cover two simple cases. Each of
// them returns the arguments of registry.Register.
//
// A function runs on its own goroutine, and should return when its context is done. Go cannot end a
// function that does not return, so the call ends shortly after the deadline while the function
// continues. A tool with Options.MaxAbandoned such functions refuses calls until one of them
// returns. A panic fails only the call.
package native

import (
	"cmp"
	"context"

	"github.com/wasmtool/wasmtool/registry/internal/definition"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// DefaultMaxAbandoned is the default of Options.MaxAbandoned.
const DefaultMaxAbandoned = 16

// Options describes a tool that is a Go function.
type Options struct {
	// Spec is the tool's definition; Name is required. Sandboxed is always false, and an empty
	// Source means "go". Permissions do not restrict the function, but the policy depends on them:
	// list what the function uses, and set Dangerous if each call should need approval. Version
	// identifies the function's code. Approvals can be remembered, and the tool can be pinned, only
	// if Version is set. Change it whenever the function's behaviour changes.
	Spec tool.Spec
	// Init makes the tool dynamic; nil means a fixed definition. It is called when the tool is
	// first used, and again by Refresh of the catalogue. When it takes too long, it is abandoned
	// like a call.
	Init func(ctx context.Context) (tool.Definition, error)
	// OnInvalid returns a message about invalid arguments for the model. If it is nil or returns
	// "", the model gets the registry's message.
	OnInvalid func(violations []tool.Violation) string
	// MaxAbandoned limits the functions that are still running after their calls ended; 0
	// means DefaultMaxAbandoned.
	MaxAbandoned int
}

// Define turns a function with typed input and output into a tool.
//
// In is a struct or a map. Unless Spec.Parameters is set, the schema is derived from In: a field is
// required unless it has "omitempty" or "omitzero", and the tag jsonschema:"..." is its
// description. Arguments that have no field in In are dropped with a warning. The registry
// validates the arguments before the function is called; a number in a field of type any is a
// json.Number.
//
// Out is the result. A string becomes a text block, a [tool.Result] is returned as it is, and any
// other type is encoded as JSON, with a schema derived from the type unless Spec.Result is set. If
// the function returns a *tool.Error, the call fails with it. The message of any other error is
// shown to the model, so it should say what to do differently and contain no secret.
//
// The error is a *tool.Error with the code invalid_manifest, whose Details.Field names the
// invalid field.
func Define[In, Out any](o Options, fn func(ctx context.Context, in In) (Out, error)) (tool.Spec, tool.Executor, error) {
	if fn == nil {
		return tool.Spec{}, nil, nothingToExecute(o)
	}
	return DefineCall(o, func(ctx context.Context, _ tool.Call, in In) (Out, error) { return fn(ctx, in) })
}

// DefineCall is like [Define], but the function also receives the call. The call has the tenant,
// the session and the message, OnProgress and OnUpdate for reporting progress, and OnLog, which may
// be nil.
func DefineCall[In, Out any](o Options, fn func(ctx context.Context, call tool.Call, in In) (Out, error)) (tool.Spec, tool.Executor, error) {
	if fn == nil {
		return tool.Spec{}, nil, nothingToExecute(o)
	}
	if err := deriveSchemas[In, Out](&o.Spec); err != nil {
		return tool.Spec{}, nil, err
	}
	return Raw(o, func(ctx context.Context, call tool.Invocation) (tool.Result, error) {
		var in In
		if err := decode(call.Arguments, &in); err != nil {
			return tool.Result{}, err
		}
		out, err := fn(ctx, call.Call, in)
		if err != nil {
			return tool.Result{}, err
		}
		return resultOf(out)
	})
}

// Raw turns a function into a tool. The function receives the arguments as JSON and the grant of
// the call, and returns the Result. Without Spec.Parameters, the tool has no parameters. Errors are
// the same as for [Define].
func Raw(o Options, fn func(ctx context.Context, call tool.Invocation) (tool.Result, error)) (tool.Spec, tool.Executor, error) {
	if fn == nil {
		return tool.Spec{}, nil, nothingToExecute(o)
	}
	o.Spec.Sandboxed = false
	o.Spec.Source = cmp.Or(o.Spec.Source, "go")
	checked, err := definition.Compile(o.Spec, nil)
	if err != nil {
		return tool.Spec{}, nil, err
	}
	o.MaxAbandoned = cmp.Or(max(o.MaxAbandoned, 0), DefaultMaxAbandoned)
	e := &executor{o: o, run: fn}
	if o.Init != nil {
		return checked.Spec, dynamic{e}, nil
	}
	return checked.Spec, e, nil
}

func nothingToExecute(o Options) error {
	return definition.FieldError(o.Spec.Name, "execute", "the function is nil")
}
