package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/internal/plainjson"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Keys of the data beside a result, for programs.
const (
	metaCode     = "io.github.wasmtool/code"
	metaCallID   = "io.github.wasmtool/call_id"
	metaTitle    = "io.github.wasmtool/title"
	metaMetadata = "io.github.wasmtool/metadata"
)

// resultOf is a result as the protocol has it. Some clients show a model the content and
// some the structured value alone, so each of them is the whole answer: the value is text
// too, and one that was not promised is text only where there is an image beside it.
func resultOf(r tool.Result, promised bool) *mcp.CallToolResult {
	out := &mcp.CallToolResult{Content: contentOf(r)}
	if structured := bytes.TrimSpace(r.Structured); len(structured) > 0 {
		if !saysAsText(r.Content, structured) {
			out.Content = append(out.Content, &mcp.TextContent{Text: string(structured)})
		}
		object := structured[0] == '{' // see tool.Spec.ResultIsObject
		if object && (promised || !slices.ContainsFunc(r.Content, notText)) {
			out.StructuredContent = json.RawMessage(structured)
		}
	}
	addAbout(out, r)
	return out
}

func notText(c tool.Content) bool { return c.Type != tool.ContentText }

// addAbout tells a model what was odd about its call, and gives programs what a tool told them,
// of a failure, too: the exit status of a script is wanted above all when it is not 0.
func addAbout(out *mcp.CallToolResult, r tool.Result) {
	for _, warning := range r.Warnings {
		out.Content = append(out.Content, &mcp.TextContent{Text: "note: " + warning})
	}
	if out.Meta == nil && (r.Title != "" || len(r.Metadata) > 0) {
		out.Meta = mcp.Meta{}
	}
	if r.Title != "" {
		out.Meta[metaTitle] = r.Title
	}
	if len(r.Metadata) > 0 {
		out.Meta[metaMetadata] = r.Metadata
	}
}

// failureOf is a result that failed: content alone, for a structured value would have to
// fit the tool's schema.
func failureOf(r tool.Result, e *tool.Error) *mcp.CallToolResult {
	out := &mcp.CallToolResult{IsError: true, Content: contentOf(r), Meta: mcp.Meta{metaCode: string(e.Code)}}
	if e.CallID != "" {
		out.Meta[metaCallID] = e.CallID
	}
	if len(out.Content) == 0 {
		out.Content = []mcp.Content{&mcp.TextContent{Text: e.Error()}}
	}
	addAbout(out, r)
	return out
}

// saysAsText reports whether a text block is the structured value, however it is spaced.
func saysAsText(blocks []tool.Content, structured []byte) bool {
	var texts []string
	for _, block := range blocks {
		if block.Type == tool.ContentText {
			texts = append(texts, block.Text)
		}
	}
	return plainjson.IsIn(structured, texts...)
}

// contentOf are the blocks of a result, and its attachments, which are for people.
func contentOf(r tool.Result) []mcp.Content {
	out := make([]mcp.Content, 0, len(r.Content)+len(r.Attachments))
	for _, block := range r.Content {
		out = append(out, blockOf(block, nil))
	}
	for _, block := range r.Attachments {
		out = append(out, blockOf(block, &mcp.Annotations{Audience: []mcp.Role{"user"}}))
	}
	return out
}

// blockOf is one block. Of a kind that the protocol has not a model learns at least that
// it was there.
func blockOf(c tool.Content, a *mcp.Annotations) mcp.Content {
	switch r := c.Resource; {
	case c.Type == tool.ContentText:
		return &mcp.TextContent{Text: c.Text, Annotations: a}
	case c.Type == tool.ContentImage:
		return &mcp.ImageContent{Data: c.Data, MIMEType: c.MIMEType, Annotations: a}
	case c.Type == tool.ContentAudio:
		return &mcp.AudioContent{Data: c.Data, MIMEType: c.MIMEType, Annotations: a}
	case c.Type == tool.ContentResource && r != nil:
		return &mcp.EmbeddedResource{Annotations: a, Resource: &mcp.ResourceContents{URI: r.URI, MIMEType: r.MIMEType, Text: r.Text, Blob: r.Blob}}
	case c.Type == tool.ContentResourceLink && r != nil:
		link := &mcp.ResourceLink{Annotations: a, URI: r.URI, MIMEType: r.MIMEType, Name: r.Name, Title: r.Title, Description: r.Description}
		if r.Size > 0 {
			link.Size = &r.Size
		}
		return link
	}
	return &mcp.TextContent{Text: fmt.Sprintf("(a block of the type %q, which the protocol has not)", c.Type), Annotations: a}
}

// definitionOf is what clients see of a tool.
func definitionOf(s tool.Spec) *mcp.Tool {
	can := s.Effects() // what can come of a call, as the host knows it
	t := &mcp.Tool{
		Name: s.Name, Title: s.Title, Description: s.Description, InputSchema: s.Parameters,
		Annotations: &mcp.ToolAnnotations{
			Title: s.Title, ReadOnlyHint: can.ReadOnly, IdempotentHint: can.ReadOnly,
			DestructiveHint: &can.Destructive, OpenWorldHint: &can.OpenWorld,
		},
	}
	if s.ResultIsObject() {
		t.OutputSchema = s.Result
	}
	return t
}
