package standard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/agent"
	"github.com/wasmtool/wasmtool/registry/agent/provider"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/executor/hosttools"
	"github.com/wasmtool/wasmtool/registry/llm"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// keyVariables are the variables that hold the key of a provider if the operator's file names no
// secret for it.
var keyVariables = map[string]string{
	"anthropic": "ANTHROPIC_API_KEY", "gemini": "GEMINI_API_KEY", "mistral": "MISTRAL_API_KEY",
	"openai": "OPENAI_API_KEY", "openai-responses": "OPENAI_API_KEY",
}

// NewModel returns the model that c names, with the secrets of o.Config. If c names neither a
// secret nor an address, the key is the value of the variable that the provider's own programs
// read, such as ANTHROPIC_API_KEY. The error is a *tool.Error with the code usage.
func NewModel(o Options, c config.Agent) (agent.Model, error) {
	if !slices.Contains(config.AgentProviders(), c.Provider) {
		return nil, modelError(c, fmt.Sprintf("there is no provider %q; the providers are %s", c.Provider, strings.Join(config.AgentProviders(), ", ")))
	}
	secrets, err := secretStore(o)
	if err != nil {
		return nil, err
	}
	use := capability.SecretUse{Name: c.Secret}
	if variable := keyVariables[c.Provider]; c.Secret == "" && c.BaseURL == "" {
		if _, set := o.config().LookupEnv(variable); !set {
			return nil, modelError(c, "needs a key: name a secret in [agent], or set "+variable+"; a server of your own needs its address, not a key")
		}
		use.Name = variable
		secrets = secret.New(map[string]secret.Source{variable: secret.FromEnv(variable, o.config().LookupEnv)}, secret.Options{})
	}
	model, err := provider.New(provider.Options{
		Format: llm.Format(c.Provider), Model: c.Model, BaseURL: c.BaseURL, Private: c.Private, Secret: use, Secrets: secrets, HTTP: o.HTTP,
	})
	if err != nil {
		return nil, modelError(c, err.Error())
	}
	if c.Secret != "" && !o.config().MaySend(c.Secret, model.URL()) {
		return nil, modelError(c, model.URL()+" is not among the urls of the secret "+c.Secret+"; add it there")
	}
	return model, nil
}

// modelError returns the error for a model that cannot be used.
func modelError(c config.Agent, problem string) error {
	message := "the model: " + problem
	if c.Source != "" {
		message = c.Source + ": agent: " + problem
	}
	return tool.Errorf(tool.CodeUsage, "%s", message)
}

// AgentOptions returns the options of agents that c describes.
func AgentOptions(c config.Agent) agent.Options {
	return agent.Options{
		MaxTurns: c.MaxTurns, MaxToolCalls: c.MaxToolCalls, Timeout: c.Timeout, MaxTokens: c.MaxTokens, MaxOutputTokens: c.MaxOutputTokens,
		AutoConfirmDangerous: c.AutoConfirmDangerous, MaxAutoConfirm: c.MaxAutoConfirm,
	}
}

// addAgent registers the tool task, if the operator's file names a model and the program has no
// backend of its own for the tool.
func (a *assembly) addAgent(tools *registry.Registry) error {
	c := a.o.config().Agent()
	if _, own := a.o.Host.Backends[agent.TaskTool]; c.Source == "" || own || a.o.Sources.Tool != "" {
		return nil
	}
	model, err := NewModel(a.o, c)
	if err != nil {
		return err
	}
	options := agent.TaskOptions{Agent: AgentOptions(c), AllowTask: c.AllowTask, AllowQuestion: c.AllowQuestion, MaxRunning: max(maxTenantCalls(a.o)/2, 1)}
	options.Agent.Logger = a.o.logger()
	spec, executor, err := hosttools.Define(agent.TaskTool, agent.Task(tools, model, options))
	if err != nil {
		return err
	}
	return tools.Tools().Register(spec, executor)
}
