package mcpserver

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/plainjson"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Keys in the _meta of a result, for programs.
const (
	metaCode     = "io.github.wasmtool/code"
	metaCallID   = "io.github.wasmtool/call_id"
	metaTitle    = "io.github.wasmtool/title"
	metaMetadata = "io.github.wasmtool/metadata"
	// metaStructured is the structured result of a tool with Details.
	metaStructured = "io.github.wasmtool/structured"
)

// metaResult is the key of the result schema in the _meta of the definition of a tool with Details.
const metaResult = "io.github.wasmtool/result"

// structuredUse says what a client gets of a structured result.
type structuredUse uint8

const (
	useIfComplete structuredUse = iota // structuredContent, if it hides no other block
	useDeclared                        // structuredContent, since there is an output schema
	useDetails                         // only a value in _meta
)

// useOf returns what clients get of the structured results of a tool.
func useOf(t *mcp.Tool) structuredUse {
	switch {
	case t.OutputSchema != nil:
		return useDeclared
	case t.Meta[metaResult] != nil:
		return useDetails
	}
	return useIfComplete
}

// resultOf converts a result to MCP. Some clients show a model only the content, and others only
// the structured value. Each of the two therefore has the whole answer: the structured value is
// repeated as text, without media that the content has. If the tool declares no output schema and
// the content is not only text, there is no structured value, because it would hide the other
// blocks. Details would hide them as well.
func resultOf(r tool.Result, use structuredUse) *mcp.CallToolResult {
	out := &mcp.CallToolResult{Content: contentOf(r)}
	structured := bytes.TrimSpace(r.Structured)
	switch {
	case len(structured) == 0:
	case use == useDetails && len(r.Content) > 0:
		out.Meta = mcp.Meta{metaStructured: json.RawMessage(structured)}
	default:
		if !hasAsText(r.Content, structured) {
			out.Content = append(out.Content, &mcp.TextContent{Text: textOfStructured(structured, r.Content)})
		}
		object := structured[0] == '{' // see tool.Spec.ResultIsObject
		if object && (use == useDeclared || !slices.ContainsFunc(r.Content, notText)) {
			out.StructuredContent = json.RawMessage(structured)
		}
	}
	addNotes(out, r)
	return out
}

// textOfStructured returns the structured value as text. Media of the blocks are left out, because
// a model would get their base64 as thousands of tokens of text.
func textOfStructured(structured []byte, blocks []tool.Content) string {
	text := string(structured)
	for _, block := range blocks {
		data := block.Data
		if block.Resource != nil {
			data = block.Resource.Blob
		}
		if len(data) > 0 {
			encoded := `"` + base64.StdEncoding.EncodeToString(data) + `"`
			text = strings.ReplaceAll(text, encoded, `"(see the block of the type `+string(block.Type)+`)"`)
		}
	}
	return text
}

func notText(c tool.Content) bool { return c.Type != tool.ContentText }

// addNotes adds the warnings for the model, and the title and metadata for programs. A failed call
// has them as well: the exit status of a script matters most when it is not 0.
func addNotes(out *mcp.CallToolResult, r tool.Result) {
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

// failureOf converts a failed result. It has no structured value, because that would have to fit
// the tool's schema.
func failureOf(r tool.Result, e *tool.Error) *mcp.CallToolResult {
	out := &mcp.CallToolResult{IsError: true, Content: contentOf(r), Meta: mcp.Meta{metaCode: string(e.Code)}}
	if e.CallID != "" {
		out.Meta[metaCallID] = e.CallID
	}
	if len(out.Content) == 0 {
		out.Content = []mcp.Content{&mcp.TextContent{Text: e.Error()}}
	}
	addNotes(out, r)
	return out
}

// hasAsText reports whether a text block has all of the structured value: it is the same JSON,
// ignoring white space, or it is the string in an object with one field, such as "a" for
// {"result":"a"}. Many servers of the protocol put a string into such an object.
func hasAsText(blocks []tool.Content, structured []byte) bool {
	var texts []string
	for _, block := range blocks {
		if block.Type == tool.ContentText {
			texts = append(texts, block.Text)
		}
	}
	if plainjson.IsIn(structured, texts...) {
		return true
	}
	v, err := jsontree.Parse(structured, jsontree.Document("the result"))
	if err != nil || len(v.Members) != 1 || v.Members[0].Value.Kind != jsontree.String {
		return false
	}
	return slices.Contains(texts, v.Members[0].Value.Text())
}

// contentOf converts the blocks of a result, and its attachments. Only people should see the
// attachments.
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

// blockOf converts one block. A block of a type that MCP lacks becomes a note.
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
	return &mcp.TextContent{Text: fmt.Sprintf("(a block of the type %q, which MCP cannot carry)", c.Type), Annotations: a}
}

// definitionOf returns the definition of a tool for clients. wider names the schemas that admit
// more than the tool does. Calls are still checked against the schemas of the tool.
func definitionOf(s tool.Spec) (t *mcp.Tool, wider []string) {
	effects := s.Effects()
	listable := func(name string, schema json.RawMessage) json.RawMessage {
		out, tuples := jsonschema.Listable(schema)
		if len(tuples) > 0 {
			wider = append(wider, name)
		}
		return out
	}
	t = &mcp.Tool{
		Name: s.Name, Title: s.Title, Description: s.Description, InputSchema: listable("inputSchema", jsonschema.WithoutAliases(s.Parameters)),
		Annotations: &mcp.ToolAnnotations{
			Title: s.Title, ReadOnlyHint: effects.ReadOnly, IdempotentHint: effects.ReadOnly,
			DestructiveHint: &effects.Destructive, OpenWorldHint: &effects.OpenWorld,
		},
	}
	switch {
	case s.Details && len(s.Result) > 0:
		t.Meta = mcp.Meta{metaResult: s.Result}
	case s.Details:
		t.Meta = mcp.Meta{metaResult: json.RawMessage(`{}`)} // any value
	case s.ResultIsObject():
		t.OutputSchema = listable("outputSchema", s.Result)
	}
	return t, wider
}
