package mcpserver

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// definitionOf is what clients see of a tool.
func definitionOf(s tool.Spec) *mcp.Tool {
	t := &mcp.Tool{
		Name: s.Name, Title: s.Title, Description: s.Description,
		InputSchema: s.Parameters, Annotations: annotationsOf(s),
	}
	if s.ResultIsObject() {
		t.OutputSchema = s.Result
	}
	return t
}

// annotationsOf is what can come of a call, as the host knows it.
func annotationsOf(s tool.Spec) *mcp.ToolAnnotations {
	e := s.Effects()
	return &mcp.ToolAnnotations{
		Title: s.Title, ReadOnlyHint: e.ReadOnly, IdempotentHint: e.ReadOnly,
		DestructiveHint: &e.Destructive, OpenWorldHint: &e.OpenWorld,
	}
}
