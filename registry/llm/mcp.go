package llm

import "errors"

// mcp is the list of tools of the Model Context Protocol, which takes JSON Schema as it is.
type mcp struct{}

func (mcp) subset(bool) *subset { return nil }

func (mcp) definition(d definition) *object {
	o := (&object{}).addText("name", d.name).addText("title", d.title).addText("description", d.description).
		add("inputSchema", d.parameters)
	if d.result != nil {
		o.add("outputSchema", d.result)
	}
	return o.add("annotations", (&object{}).add("readOnlyHint", d.effects.ReadOnly).
		add("destructiveHint", d.effects.Destructive).add("openWorldHint", d.effects.OpenWorld))
}

func (mcp) list(definitions []any) any { return list(definitions) }

func (mcp) parse([]byte) (reply, error) {
	return reply{}, errors.New("MCP has no messages of a model; calls come over the protocol, see package mcpserver")
}

func (mcp) answer([]Call, []outcome) []any { return nil }
