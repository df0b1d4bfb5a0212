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
)

// Format names a provider's API. The zero value is none.
type Format string

// The formats.
const (
	// OpenAI is Chat Completions, also as other vendors serve it.
	OpenAI Format = "openai"
	// OpenAIResponses is the Responses API.
	OpenAIResponses Format = "openai-responses"
	// Anthropic is the Messages API.
	Anthropic Format = "anthropic"
	// Gemini is generateContent, of the Gemini API and of Vertex AI.
	Gemini Format = "gemini"
	// Mistral is Mistral's chat completions.
	Mistral Format = "mistral"
	// MCP is the list of tools of the Model Context Protocol. It has definitions and no
	// messages: calls come over the protocol.
	MCP Format = "mcp"
)

// Formats returns all formats.
func Formats() []Format {
	return []Format{OpenAI, OpenAIResponses, Anthropic, Gemini, Mistral, MCP}
}

// ParseFormat returns the format of a name. The error names the formats there are.
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

// provider is what differs from format to format. It has no state.
type provider interface {
	// subset is what the provider's schemas may hold. Nil for strict means that it has no
	// strict mode.
	subset(strict bool) *subset
	// definition is one tool as the request names it.
	definition(d definition) *jsontree.Value
	// list is the value of the request's field "tools".
	list(definitions []*jsontree.Value) *jsontree.Value
	// parse reads a model's message.
	parse(message []byte) (reply, error)
	// answer makes the messages that give the results of calls back, in the order of the
	// calls.
	answer(calls []Call, results []outcome) []*jsontree.Value
}

// definition is a tool ready to be named in a request.
type definition struct {
	name, title, description string
	parameters               *jsontree.Value
	// empty tells that the tool takes no arguments.
	empty  bool
	strict bool
	// result is the schema of the structured result, for MCP; nil means none.
	result  *jsontree.Value
	effects capability.Effects
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

// plainList lists definitions as they are.
type plainList struct{}

func (plainList) list(definitions []*jsontree.Value) *jsontree.Value {
	return jsontree.NewArray(definitions...)
}

// mcp is the list of tools of the Model Context Protocol, which takes JSON Schema as it is.
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

func (mcp) parse([]byte) (reply, error) {
	return reply{}, errors.New("MCP has no messages of a model; calls come over the protocol, see package mcpserver")
}

func (mcp) answer([]Call, []outcome) []*jsontree.Value { return nil }
