// Package anthropictools offers the tools of a registry to the tool runner of Anthropic's SDK:
//
//	tenant := reg.Tenant("", registry.TenantOptions{})
//	tools, err := anthropictools.Tools(tenant, anthropictools.Options{})
//	runner := client.Beta.Messages.NewToolRunner(tools, params)
//	message, err := runner.RunToCompletion(ctx)
//
// The tool runner is a beta feature of the SDK, so this module requires an exact version of it.
package anthropictools

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/llm"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Options control how the tools are called. The zero value names no session, so repeated calls are
// not detected.
type Options struct {
	// Call has the fields that all calls share, such as Session, Message and Timeout. Its ID, Tool,
	// Arguments and Tenant have no effect. A Session is one conversation, so each conversation
	// needs tools of its own.
	Call tool.Call
}

// Tools returns the tools that the tenant sees now, sorted by name. Their names and schemas are
// changed where Anthropic's API requires it, and the arguments of calls are changed back; the
// registry checks them against the tool's own schema. Later changes of the registry's tools do not
// change the list, but a call of a tool that is no longer allowed fails.
//
// Each call is a call of [registry.Tenant.Execute]. The tool runner makes the calls of one message
// concurrently, in any order. A failed call becomes a result with is_error set and with the message
// of the registry; the run continues. If the context of the run is done, running calls are
// cancelled and the run ends with an error.
//
// Tools fails if the schema of a tool is invalid, or if two tools would have the same name for
// Anthropic's API. The tools are safe for concurrent use.
func Tools(tenant *registry.Tenant, o Options) ([]anthropic.BetaTool, error) {
	tools, err := llm.New(llm.Anthropic, tenant.List(catalogue.Filter{}), llm.Options{})
	if err != nil {
		return nil, err
	}
	var definitions []definition
	if err := json.Unmarshal(tools.Definitions(), &definitions); err != nil {
		return nil, fmt.Errorf("read the definitions of the tools: %w", err)
	}
	adapted := make([]anthropic.BetaTool, len(definitions))
	for i, d := range definitions {
		adapted[i] = &betaTool{definition: d, tools: tools, tenant: tenant, like: o.Call}
	}
	return adapted, nil
}

// definition is the definition of one tool in the form of Anthropic's API.
type definition struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"input_schema"`
}

// betaTool is one tool for the SDK.
type betaTool struct {
	definition definition
	tools      *llm.Tools
	tenant     *registry.Tenant
	like       tool.Call
}

// Name returns the tool's name in Anthropic's API.
func (t *betaTool) Name() string { return t.definition.Name }

// Description returns the tool's description in Anthropic's API.
func (t *betaTool) Description() string { return t.definition.Description }

// InputSchema returns the tool's schema in Anthropic's API, byte for byte.
func (t *betaTool) InputSchema() anthropic.BetaToolInputSchemaParam {
	return param.Override[anthropic.BetaToolInputSchemaParam](t.definition.Schema)
}

// Execute makes one call. input holds the arguments as the model wrote them.
func (t *betaTool) Execute(ctx context.Context, input json.RawMessage) ([]anthropic.BetaToolResultBlockParamContentUnion, error) {
	result, err := t.tools.Execute(ctx, t.tenant, t.definition.Name, input, t.like)
	if err != nil {
		return nil, err
	}
	reply := t.tools.Reply(llm.Message{Calls: []llm.Call{{Name: t.definition.Name}}}, []tool.Result{result})
	var message anthropic.BetaMessageParam
	if err := json.Unmarshal(reply[0], &message); err != nil {
		return nil, fmt.Errorf("read the result of %s: %w", t.definition.Name, err)
	}
	return message.Content[0].OfToolResult.Content, nil
}
