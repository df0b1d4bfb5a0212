package registry

import (
	"encoding/json"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// checkArguments is the step that parses the arguments strictly, applies defaults
// and safe coercions and validates them. All faults are told at once.
func (x *execution) checkArguments() error {
	var err error
	x.arguments, err = x.entry.schema.Prepare(x.call.Arguments)
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
	e, err := r.resolve(name)
	if err != nil {
		return nil, nil, err
	}
	prepared, err := e.schema.Prepare(arguments)
	if err != nil {
		return nil, prepared.Warnings, named(invalidArguments(err), e.spec.Name)
	}
	return prepared.JSON, prepared.Warnings, nil
}

// checkResult is the step that looks whether a result is what it says, and holds it
// against the schema that the tool declares. A result that does not fit is no success.
func (x *execution) checkResult(result tool.Result) error {
	if err := result.Check(); err != nil {
		return err
	}
	if x.entry.result == nil || result.Pending {
		return nil
	}
	if len(result.Structured) == 0 {
		return &tool.Error{Code: tool.CodeInvalidOutput, Message: "the tool declares a result schema and gave no structured result"}
	}
	if err := x.entry.result.Validate(result.Structured); err != nil {
		return invalidOutput(err)
	}
	return nil
}

func invalidOutput(err error) error {
	return (&tool.Error{
		Code: tool.CodeInvalidOutput, Message: "the result does not fit the tool's own schema: " + err.Error(),
	}).WithCause(err)
}
