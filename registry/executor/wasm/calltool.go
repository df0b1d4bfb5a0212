package wasm

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// callTool returns the function by which a guest calls other tools, or nil if there is none.
func callTool(in tool.Invocation) func(ctx context.Context, name string, arguments []byte) ([]byte, error) {
	if in.CallTool == nil {
		return nil
	}
	return func(ctx context.Context, name string, arguments []byte) ([]byte, error) {
		result, err := in.CallTool(ctx, tool.Call{Tool: name, Arguments: arguments})
		if err != nil {
			return nil, callError(err)
		}
		text, err := json.Marshal(result)
		if err != nil {
			return nil, &hostfuncs.Error{Code: hostfuncs.CodeUnavailable, Kind: string(tool.CodeInternal), Message: "the result cannot be passed on"}
		}
		return text, nil
	}
}

// callError converts the error of a call for the guest that made it. The guest sees what a model
// would see.
func callError(err error) error {
	var e *tool.Error
	if !errors.As(err, &e) {
		return err
	}
	code := hostfuncs.CodeUnavailable
	switch e.Code {
	case tool.CodeNotFound:
		code = hostfuncs.CodeNotFound
	case tool.CodeInvalidArgument:
		code = hostfuncs.CodeInvalid
	case tool.CodePermissionDenied, tool.CodeApprovalRequired, tool.CodeDisabled:
		code = hostfuncs.CodeDenied
	case tool.CodeResourceExhausted:
		code = hostfuncs.CodeTooMuch
	case tool.CodeTimeout, tool.CodeCancelled:
		code = hostfuncs.CodeTimeout
	}
	return &hostfuncs.Error{Code: code, Kind: string(e.Code), Message: e.Error()}
}
