package mcpserver

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// definitionOf is what clients see of a tool.
func definitionOf(s tool.Spec) *mcp.Tool {
	t := &mcp.Tool{
		Name: s.Name, Title: s.Title, Description: s.Description,
		InputSchema: s.Parameters, Annotations: annotationsOf(s),
	}
	if describesObject(s.Result) {
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

// describesObject reports whether a result schema is for objects. Until 2025-11-25 the
// protocol had structured results of no other kind, and one that is offered all the same
// makes clients drop the whole list.
func describesObject(schema json.RawMessage) bool {
	var root struct {
		Type string `json:"type"`
	}
	return len(schema) > 0 && json.Unmarshal(schema, &root) == nil && root.Type == "object"
}
