package wasm

import (
	"context"
	"encoding/json"

	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/executor/internal/mcpresult"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// secondInterface is the entry of a plug-in that uses the second interface of hyper-mcp. The input
// of such a plug-in has the request and its context as separate fields.
const secondInterface = "call_tool"

// mcpCall is a call to a tool of a plug-in.
type mcpCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// mcpInput encodes a call in the form that the plug-in reads.
func mcpInput(m manifests.Module, arguments json.RawMessage) ([]byte, error) {
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	call := mcpCall{m.MCPTool, arguments}
	var request any = struct {
		Method string  `json:"method"`
		Params mcpCall `json:"params"`
	}{"tools/call", call}
	if m.Entry == secondInterface {
		request = struct {
			Request mcpCall         `json:"request"`
			Context json.RawMessage `json:"context"` // required; the context always has the same ID
		}{call, json.RawMessage(`{"id":1,"_meta":{}}`)}
	}
	return json.Marshal(request)
}

// result converts the output of a call into a Result.
func (e *Executor) result(ctx context.Context, out runtime.Output) (tool.Result, error) {
	m := e.o.Manifest.Module
	if m.MCPTool != "" {
		return mcpresult.Parse(ctx, "the plug-in", out.Output)
	}
	return parseOutput(m.Output, out.Output)
}
