package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// prepareArguments is the steps that make the arguments what the tool gets. The time that
// they take is part of the tool's own: a call ends by its deadline whatever it was sent.
func (r *Registry) prepareArguments(ctx context.Context, x *execution) error {
	began, timeout := time.Now(), x.timeout(r.opts.MaxTimeout)
	defer func() { x.prepared = time.Since(began) }()
	within, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := r.expandArguments(within, x)
	if err == nil {
		err = x.checkArguments(within)
	}
	if err == nil || within.Err() == nil {
		return err
	}
	if stop := callerror.OfContext(ctx); stop != nil {
		return stop
	}
	return (&tool.Error{
		Code:    tool.CodeTimeout,
		Message: fmt.Sprintf("the arguments were not checked within %v; send less or raise the timeout", timeout),
	}).WithCause(err)
}

// checkArguments is the step that parses the arguments strictly, applies defaults
// and safe coercions and validates them. All faults are told at once.
func (x *execution) checkArguments(ctx context.Context) error {
	var err error
	x.arguments, err = x.tool.Parameters.Prepare(ctx, x.call.Arguments)
	if err == nil {
		return nil
	}
	return invalidArguments(err)
}

func invalidArguments(err error) error {
	return (&tool.Error{
		Code: tool.CodeInvalidArgument, Message: "invalid arguments: " + err.Error(), Recoverable: true,
		Details: tool.Details{Faults: faultsOf(err)},
	}).WithCause(err)
}

// Validate checks the arguments of a call without running anything. It returns the
// arguments as the tool would get them and the warnings of the call.
func (r *Registry) Validate(name string, arguments json.RawMessage) (json.RawMessage, []string, error) {
	e, err := r.tools.Find(name)
	if err != nil {
		return nil, nil, err
	}
	if e, err = r.tools.Described(context.Background(), e); err != nil {
		return nil, nil, err
	}
	prepared, err := e.Parameters.Prepare(context.Background(), arguments)
	if err != nil {
		return nil, prepared.Warnings, callerror.Named(e.ExplainFaults(r.log, invalidArguments(err)), e.Spec.Name)
	}
	return prepared.JSON, prepared.Warnings, nil
}

// checkResult is the step that looks whether a result is what it says, and holds it
// against the schema that the tool declares. A result that does not fit is no success. It
// looks at ctx, which is the attempt's.
func (x *execution) checkResult(ctx context.Context, result tool.Result) error {
	if err := result.Check(); err != nil {
		return err
	}
	if x.tool.Result == nil || result.Pending {
		return nil
	}
	if len(result.Structured) == 0 {
		return &tool.Error{Code: tool.CodeInvalidOutput, Message: "the tool declares a result schema and gave no structured result"}
	}
	err := x.tool.Result.Validate(ctx, result.Structured)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return (&tool.Error{Code: tool.CodeTimeout, Message: "the result was not checked in time"}).WithCause(err)
	}
	return invalidOutput(err)
}

func invalidOutput(err error) error {
	return (&tool.Error{
		Code: tool.CodeInvalidOutput, Message: "the result does not fit the tool's own schema: " + err.Error(),
	}).WithCause(err)
}

// faultsOf converts the faults of arguments, or gives nil for another error.
func faultsOf(err error) []tool.Fault {
	var faults jsonschema.Faults
	if !errors.As(err, &faults) {
		return nil
	}
	out := make([]tool.Fault, len(faults))
	for i, f := range faults {
		out[i] = tool.Fault{Pointer: f.Pointer, Kind: string(f.Kind), Message: f.Message}
	}
	return out
}
