// Package native makes tools of Go functions. They are not sandboxed: nothing but its own
// code bounds what a function does, so that they come from the program that embeds the
// registry and never from a manifest.
//
// [Define] takes a function with typed input and output and derives the schemas, [Raw] one
// that sees the call as it is, [Text] and [Search] are for the usual simple cases. Each
// returns what registry.Register takes.
//
// A function runs on a goroutine of its own and is told by its context when to stop. One
// that does not stop is left behind shortly after the deadline, since Go cannot end it;
// so many may be left behind, then the tool refuses further calls until one ends. A panic
// fails the call and nothing else.
package native

import (
	"cmp"
	"context"

	"github.com/wasmtool/wasmtool/registry/internal/definition"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// DefaultMaxAbandoned is how many calls of one tool may have been left behind.
const DefaultMaxAbandoned = 16

// Options says what a tool of a Go function is.
type Options struct {
	// Spec is the tool's definition; Name is required. Sandboxed is always false, and an
	// empty Source means "go". Permissions bind nobody here, but the policy goes by them:
	// state what the function reaches, and set Dangerous where each call should be asked
	// about. A Version stands for the function's code: with one, approvals can be
	// remembered and the tool can be pinned, so change it with what the function does.
	Spec tool.Spec
	// Init, when it is set, makes the tool dynamic: it is called when the tool is first
	// used, and again by Refresh of the catalogue. It is abandoned like a call when it takes too
	// long.
	Init func(ctx context.Context) (tool.Definition, error)
	// OnInvalid puts the faults of a call's arguments into words for a model; nil, and "",
	// mean the registry's own words.
	OnInvalid func(faults []tool.Violation) string
	// MaxAbandoned is how many calls may have been left behind; 0 means
	// DefaultMaxAbandoned.
	MaxAbandoned int
}

// Define makes a tool of a function with typed input and output.
//
// In is a struct or a map. Unless Spec.Parameters is set, the schema is derived from it: a
// field is required unless it has "omitempty" or "omitzero", the tag jsonschema:"..." is
// its description, and fields that are not declared are dropped with a warning. The
// registry has checked the arguments before the function sees them; a number in a field of
// type any is a json.Number.
//
// Out is the result: a string is a text, a tool.Result is taken as it is, and anything else
// becomes JSON, with a schema derived from the type unless Spec.Result is set. Of an error,
// an *tool.Error is passed on, and of any other the text: a model reads it, so it should
// say what to do differently and hold no secret.
//
// The error is an *tool.Error of the code invalid_manifest whose Details.Field names the
// field at fault.
func Define[In, Out any](o Options, fn func(ctx context.Context, in In) (Out, error)) (tool.Spec, tool.Executor, error) {
	if fn == nil {
		return tool.Spec{}, nil, nothingToExecute(o)
	}
	return DefineCall(o, func(ctx context.Context, _ tool.Call, in In) (Out, error) { return fn(ctx, in) })
}

// DefineCall is Define for a function that wants to know for whom it runs: the call has the
// tenant, session and message, OnProgress and OnUpdate to tell how far the function is, and
// OnLog, which may be nil.
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

// Raw makes a tool of a function that gets the arguments as JSON, with what the call was
// granted, and makes the Result itself. Without Spec.Parameters it has none. Errors are
// those of Define.
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
	return definition.FieldError(o.Spec.Name, "execute", "there is nothing to execute: the function is nil")
}
