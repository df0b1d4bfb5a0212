package wasm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"github.com/wasmtool/wasmtool/hostfuncs"
	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/registry/tool/signature"
)

// otherTools returns the tools that a guest may call. There are none without a registry.
func otherTools(in *tool.Invocation) hostfuncs.Tools {
	if in.CallTools == nil || in.FindTools == nil {
		return hostfuncs.Tools{}
	}
	return hostfuncs.Tools{
		Call: func(ctx context.Context, calls []hostfuncs.ToolCall) []hostfuncs.ToolAnswer {
			outcomes := in.CallTools(ctx, each.Of(calls, func(c hostfuncs.ToolCall) tool.InnerCall {
				return tool.InnerCall{Tool: c.Tool, Arguments: c.Arguments, Line: c.Line}
			}))
			answers := make([]hostfuncs.ToolAnswer, len(outcomes))
			for i, o := range outcomes {
				answers[i] = answerOf(o, calls[i].Brief)
			}
			return answers
		},
		Find: func(query, language string, limit int) []hostfuncs.ToolInfo {
			return each.Of(in.FindTools(query, limit), func(s tool.Spec) hostfuncs.ToolInfo {
				return hostfuncs.ToolInfo{Name: s.Name, Signature: signature.Of(s, language), Description: s.Description}
			})
		},
	}
}

// answerOf converts the outcome of a call for the guest that made it.
func answerOf(o tool.Outcome, brief bool) hostfuncs.ToolAnswer {
	if o.Err != nil {
		return hostfuncs.ToolAnswer{Err: callError(o)}
	}
	var all any = o.Result
	if brief && o.Result.Structured != nil && string(o.Result.Structured) != "null" {
		all = struct {
			Structured json.RawMessage `json:"structured"`
		}{o.Result.Structured}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return hostfuncs.ToolAnswer{Err: &hostfuncs.Error{Code: hostfuncs.CodeUnavailable, Kind: string(tool.CodeInternal), Message: "the result cannot be passed on"}}
	}
	return hostfuncs.ToolAnswer{Result: text}
}

// callError converts the error of a call for the guest that made it. The guest sees what a model
// would see.
func callError(o tool.Outcome) error {
	var e *tool.Error
	if !errors.As(o.Err, &e) {
		return o.Err
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
	return &hostfuncs.Error{Code: code, Kind: string(e.Code), Message: cmp.Or(o.Result.Text(), e.Error())}
}
