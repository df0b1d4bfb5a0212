package llm

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/suggest"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/registry/llm/internal/assemble"
)

// Format names a provider's API. The zero value is invalid.
type Format string

// The formats.
const (
	// OpenAI is the Chat Completions API, which other vendors serve as well.
	OpenAI Format = "openai"
	// OpenAIResponses is the Responses API.
	OpenAIResponses Format = "openai-responses"
	// Anthropic is the Messages API.
	Anthropic Format = "anthropic"
	// Gemini is the method generateContent of the Gemini API and of Vertex AI.
	Gemini Format = "gemini"
	// Mistral is Mistral's chat completions API.
	Mistral Format = "mistral"
	// MCP is the result of tools/list of the Model Context Protocol. It has definitions only:
	// calls arrive over the protocol, not in a model's message.
	MCP Format = "mcp"
)

// Formats returns all formats.
func Formats() []Format {
	return []Format{OpenAI, OpenAIResponses, Anthropic, Gemini, Mistral, MCP}
}

// ParseFormat returns the format with the given name. The error lists the valid names.
func ParseFormat(name string) (Format, error) {
	if slices.Contains(Formats(), Format(name)) {
		return Format(name), nil
	}
	names := each.Of(Formats(), func(f Format) string { return string(f) })
	if near := suggest.Nearest(strings.ToLower(name), names); near != "" {
		return "", fmt.Errorf("unknown format %q; did you mean %s?", name, near)
	}
	return "", fmt.Errorf("unknown format %q; the formats are %s", name, strings.Join(names, ", "))
}

// provider implements one format. Providers have no state.
type provider interface {
	// subset returns the part of JSON Schema that the provider supports. It returns nil for strict
	// if the provider has no strict mode, and for MCP, which accepts any schema.
	subset(strict bool) *subset
	// definition returns the definition of one tool in a request.
	definition(d definition) *jsontree.Value
	// list returns the value of the request's field "tools".
	list(definitions []*jsontree.Value) *jsontree.Value
	// parse reads the body of a response, or a model's message. It may change body.
	parse(body *jsontree.Value) (reply, error)
	// stream returns a new assembler for one stream, or nil if the API has no streams.
	stream() assemble.Assembler
	// answer returns the messages that carry the results of calls, in the order of the calls.
	answer(calls []Call, results []outcome) []*jsontree.Value
}

// definition is the content that a provider writes into the definition of one tool.
type definition struct {
	name, title, description string
	parameters               *jsontree.Value
	// empty is set for tools without arguments.
	empty  bool
	strict bool
	// result is the schema of the structured result, which only MCP accepts; nil means none.
	result  *jsontree.Value
	effects capability.Effects
	// callers and deferred are of Options; only some providers have them.
	callers  []string
	deferred bool
}

// addLoading adds when the model gets the definition.
func (d definition) addLoading(o *jsontree.Value) *jsontree.Value {
	if d.deferred {
		o.Add("defer_loading", jsontree.NewBoolean(true))
	}
	return o
}

func (f Format) provider() (provider, error) {
	p, ok := map[Format]provider{
		OpenAI: chat{format: OpenAI}, OpenAIResponses: responses{}, Anthropic: anthropic{}, Gemini: gemini{},
		Mistral: mistral{chat{format: Mistral}}, MCP: mcp{},
	}[f]
	if !ok {
		_, err := ParseFormat(string(f))
		return nil, err
	}
	return p, nil
}

// plainList implements provider.list for APIs that accept a plain array of definitions.
type plainList struct{}

func (plainList) list(definitions []*jsontree.Value) *jsontree.Value {
	return jsontree.NewArray(definitions...)
}

// mcp is the Model Context Protocol, which accepts JSON Schema unchanged.
type mcp struct{ plainList }

func (mcp) subset(bool) *subset { return nil }

func (mcp) definition(d definition) *jsontree.Value {
	o := jsontree.NewObject().AddText("name", d.name).AddText("title", d.title).AddText("description", d.description).
		Add("inputSchema", d.parameters)
	if d.result != nil {
		o.Add("outputSchema", d.result)
	}
	return o.Add("annotations", jsontree.NewObject().Add("readOnlyHint", jsontree.NewBoolean(d.effects.ReadOnly)).
		Add("destructiveHint", jsontree.NewBoolean(d.effects.Destructive)).Add("openWorldHint", jsontree.NewBoolean(d.effects.OpenWorld)))
}

func (mcp) parse(*jsontree.Value) (reply, error) {
	return reply{}, errors.New("the format mcp has no model messages; MCP clients send calls over the protocol, see package mcpserver")
}

func (mcp) stream() assemble.Assembler { return nil }

func (mcp) answer([]Call, []outcome) []*jsontree.Value { return nil }
