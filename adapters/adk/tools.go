// Package adktools offers the tools of a registry to agents of the Agent Development Kit (ADK) of
// Google:
//
//	tenant := reg.Tenant("", registry.TenantOptions{})
//	tools, err := adktools.Tools(tenant, adktools.Options{})
//	agent, err := llmagent.New(llmagent.Config{Name: "helper", Model: model, Tools: tools})
//
// The ADK finds the methods of a tool through interfaces in its internal packages, so this module
// requires an exact version of it.
package adktools

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"

	"google.golang.org/adk/model"
	adktool "google.golang.org/adk/tool"
	"google.golang.org/genai"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/llm"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Options control how the tools are called. The zero value is ready to use.
type Options struct {
	// Call has the fields that all calls share, such as Timeout and WorkingDirectory. Its ID, Tool,
	// Arguments, Tenant, Session and Message have no effect: the session of a call is the [Session]
	// of the ADK's session, and its message is the ID of the invocation.
	Call tool.Call
}

// Session returns the registry's name for a session of the ADK, for example for
// registry.Registry.ForgetSession. Different sessions have different names, even if users choose
// the IDs. A name may have at most 512 bytes; the registry refuses calls with a longer name.
func Session(app, user, id string) string {
	return url.PathEscape(app) + "/" + url.PathEscape(user) + "/" + url.PathEscape(id)
}

// Tools returns the tools that the tenant sees now, sorted by name. Their names and schemas are
// changed where Gemini's API requires it, and the arguments of calls are changed back; the registry
// checks them against the tool's own schema. Later changes of the registry's tools do not change
// the list, but a call of a tool that is no longer allowed fails.
//
// Each call is a call of [registry.Tenant.Execute]. The ADK makes the calls of one message
// concurrently, in any order. The model gets the text of a result as "output" and the message of a
// failed call as "error"; the run continues. The ADK passes only JSON to the model, so images are
// left out and the result says so. If the context of the run is done, running calls are cancelled.
//
// Tools fails if the schema of a tool is invalid, or if two tools would have the same name for
// Gemini's API. The tools are safe for concurrent use, and one list may serve many sessions.
func Tools(tenant *registry.Tenant, o Options) ([]adktool.Tool, error) {
	tools, err := llm.New(llm.Gemini, tenant.List(catalogue.Filter{}), llm.Options{})
	if err != nil {
		return nil, err
	}
	var lists []struct {
		Declarations []definition `json:"functionDeclarations"`
	}
	if err := json.Unmarshal(tools.Definitions(), &lists); err != nil {
		return nil, fmt.Errorf("read the definitions of the tools: %w", err)
	}
	adapted := []adktool.Tool{}
	for _, list := range lists {
		for _, d := range list.Declarations {
			adapted = append(adapted, &function{definition: d, tools: tools, tenant: tenant, like: o.Call})
		}
	}
	return adapted, nil
}

// definition is the definition of one tool in the form of Gemini's API.
type definition struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"parametersJsonSchema"`
}

// function is one tool for the ADK.
type function struct {
	definition definition
	tools      *llm.Tools
	tenant     *registry.Tenant
	like       tool.Call
}

// Name returns the tool's name in Gemini's API.
func (f *function) Name() string { return f.definition.Name }

// Description returns the tool's description in Gemini's API.
func (f *function) Description() string { return f.definition.Description }

// IsLongRunning returns false: a call returns its result.
func (f *function) IsLongRunning() bool { return false }

// Declaration returns the tool's definition in Gemini's API.
func (f *function) Declaration() *genai.FunctionDeclaration {
	d := &genai.FunctionDeclaration{Name: f.definition.Name, Description: f.definition.Description}
	if len(f.definition.Schema) > 0 {
		d.ParametersJsonSchema = f.definition.Schema
	}
	return d
}

// ProcessRequest adds the tool to a request for the model. All functions of a request are in one
// genai.Tool. It fails if the request has a tool with this name.
func (f *function) ProcessRequest(_ adktool.Context, r *model.LLMRequest) error {
	if _, taken := r.Tools[f.Name()]; taken {
		return fmt.Errorf("the agent has two tools with the name %s; leave one out", f.Name())
	}
	if r.Tools == nil {
		r.Tools = make(map[string]any)
	}
	r.Tools[f.Name()] = f
	if r.Config == nil {
		r.Config = &genai.GenerateContentConfig{}
	}
	i := slices.IndexFunc(r.Config.Tools, func(t *genai.Tool) bool { return t != nil && t.FunctionDeclarations != nil })
	if i < 0 {
		i, r.Config.Tools = len(r.Config.Tools), append(r.Config.Tools, &genai.Tool{})
	}
	functions := r.Config.Tools[i]
	functions.FunctionDeclarations = append(functions.FunctionDeclarations, f.Declaration())
	return nil
}

// Run makes one call. arguments are as the ADK decoded them from the model's message.
func (f *function) Run(ctx adktool.Context, arguments any) (map[string]any, error) {
	raw, err := json.Marshal(arguments)
	if err != nil {
		return nil, fmt.Errorf("%s: the arguments are not JSON: %w", f.Name(), err)
	}
	like := f.like
	like.Session, like.Message = Session(ctx.AppName(), ctx.UserID(), ctx.SessionID()), ctx.InvocationID()
	result, err := f.tools.Execute(ctx, f.tenant, f.Name(), raw, like)
	if err != nil {
		return nil, err
	}
	result.Content = slices.Clone(result.Content)
	for i, c := range result.Content {
		if c.Type == tool.ContentImage {
			result.Content[i] = tool.TextContent("(an image is left out: this agent can pass only text to the model)")
		}
	}
	reply := f.tools.Reply(llm.Message{Calls: []llm.Call{{Name: f.Name()}}}, []tool.Result{result})
	var message genai.Content
	if err := json.Unmarshal(reply[0], &message); err != nil {
		return nil, fmt.Errorf("read the result of %s: %w", f.Name(), err)
	}
	return message.Parts[0].FunctionResponse.Response, nil
}
