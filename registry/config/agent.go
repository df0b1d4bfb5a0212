package config

import (
	"cmp"
	"fmt"
	"time"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// Agent configures the agents of the tool task and of the command agent. The zero value means that
// there is no model. For limits, 0 means the default of package agent.
type Agent struct {
	// Provider is the format of the model's API, one of [AgentProviders]; "" means no model.
	Provider string
	// Model is the provider's name of the model.
	Model string
	// BaseURL is the address of a compatible server; "" means the provider's own address.
	BaseURL string
	// Private allows the host of BaseURL to have a private or loopback address.
	Private bool
	// Secret is the name of the secret with the key; "" means that the server needs none.
	Secret string
	// MaxTurns, MaxToolCalls, MaxTokens and MaxOutputTokens are limits of a run.
	MaxTurns, MaxToolCalls, MaxOutputTokens int
	MaxTokens                               int64
	// Timeout limits the time of a run.
	Timeout time.Duration
	// AutoConfirmDangerous confirms calls that would be asked about; MaxAutoConfirm limits them.
	AutoConfirmDangerous bool
	MaxAutoConfirm       int
	// AllowTask lets an agent delegate, and AllowQuestion lets it ask the user.
	AllowTask, AllowQuestion bool
	// Source is the position of the section as "file:line"; "" means that there is none.
	Source string
}

// With returns a copy of a with the fields of other that are not zero, as far as the command agent
// has flags for them. If other names another provider or address, the secret of a is not used.
func (a Agent) With(other Agent) Agent {
	if other.Provider != "" && other.Provider != a.Provider || other.BaseURL != "" && other.BaseURL != a.BaseURL {
		a.Secret, a.BaseURL, a.Private = "", other.BaseURL, false
	}
	a.Private = a.Private || other.Private
	a.Provider, a.Model = cmp.Or(other.Provider, a.Provider), cmp.Or(other.Model, a.Model)
	a.MaxTurns, a.MaxToolCalls = cmp.Or(other.MaxTurns, a.MaxTurns), cmp.Or(other.MaxToolCalls, a.MaxToolCalls)
	a.MaxTokens, a.Timeout = cmp.Or(other.MaxTokens, a.MaxTokens), cmp.Or(other.Timeout, a.Timeout)
	a.AutoConfirmDangerous = a.AutoConfirmDangerous || other.AutoConfirmDangerous
	return a
}

// AgentProviders are the providers that a file may name.
func AgentProviders() []string {
	return []string{"anthropic", "gemini", "mistral", "openai", "openai-responses"}
}

// Agent returns the section [agent].
func (c *Config) Agent() Agent { return c.agent }

// Bounds of [agent].
const (
	maxAgentTurns  = 1000
	maxAgentCalls  = 10_000
	maxAgentTokens = 1_000_000_000
	maxOutput      = 1_000_000
	minAgentTime   = time.Second
	maxAgentTime   = 24 * time.Hour
)

func (r *reader) agentKey() stricttoml.Key {
	a := &r.c.agent
	count := func(name string, into *int, high int) stricttoml.Key {
		return stricttoml.Key{Name: name, Want: stricttoml.WantInteger, Read: stricttoml.ReadCount(r.Checker, into, 1, high)}
	}
	return stricttoml.Key{
		Name: "agent", Path: "agent", Want: stricttoml.WantTable,
		Members: func() []stricttoml.Key {
			return []stricttoml.Key{
				{Name: "provider", Want: stricttoml.WantString, Choices: AgentProviders(), Required: `the API of the model, such as provider = "anthropic"`, Read: stricttoml.ReadString(r.Checker, &a.Provider, parseProvider)},
				{Name: "model", Want: stricttoml.WantString, Required: `the provider's name of the model, such as model = "qwen3:30b"`, Read: stricttoml.ReadString(r.Checker, &a.Model, parseModel)},
				{Name: "base_url", Want: stricttoml.WantString, Read: stricttoml.ReadString(r.Checker, &a.BaseURL, parseServerURL)},
				{Name: "private", Want: stricttoml.WantBool, Read: stricttoml.ReadBool(&a.Private)},
				{Name: "secret", Want: stricttoml.WantString, Read: r.serverSecret(&a.Secret)},
				count("max_turns", &a.MaxTurns, maxAgentTurns),
				count("max_tool_calls", &a.MaxToolCalls, maxAgentCalls),
				{Name: "max_tokens", Want: stricttoml.WantInteger, Read: stricttoml.ReadCount(r.Checker, &a.MaxTokens, 1, maxAgentTokens)},
				count("max_output_tokens", &a.MaxOutputTokens, maxOutput),
				{Name: "timeout", Want: stricttoml.WantString, Unit: stricttoml.SecondsOf, Read: stricttoml.ReadString(r.Checker, &a.Timeout, parseAgentTime)},
				{Name: "auto_confirm_dangerous", Want: stricttoml.WantBool, Read: stricttoml.ReadBool(&a.AutoConfirmDangerous)},
				count("max_auto_confirm", &a.MaxAutoConfirm, maxAgentCalls),
				{Name: "allow_task", Want: stricttoml.WantBool, Read: stricttoml.ReadBool(&a.AllowTask)},
				{Name: "allow_question", Want: stricttoml.WantBool, Read: stricttoml.ReadBool(&a.AllowQuestion)},
			}
		},
		Read: func(at stricttoml.Place, n *stricttoml.Node) {
			a.Source = r.source(at)
			if a.Secret != "" && a.BaseURL != "" {
				r.checkSecretURL(at.Member("base_url", n.Get("base_url").Offset), a.Secret, a.BaseURL, a.Private)
			}
		},
	}
}

func parseProvider(text string) (string, error) {
	name, err := stricttoml.ParseChoice(text, AgentProviders()...)
	if err != nil {
		err = fmt.Errorf("%w; openai and base_url also fit compatible servers, such as Ollama and vLLM", err)
	}
	return name, err
}

// parseModel accepts any name. Package provider checks it, also if it is on the command line.
func parseModel(text string) (string, error) { return text, nil }

func parseAgentTime(text string) (time.Duration, error) {
	return stricttoml.ParseDuration(text, minAgentTime, maxAgentTime)
}
