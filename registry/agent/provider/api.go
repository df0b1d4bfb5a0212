package provider

import (
	"fmt"

	"github.com/wasmtool/wasmtool/registry/llm"
)

// api is how requests of one format are made.
type api struct {
	// base is the provider's own base URL. path and query follow the base URL; in Gemini, path
	// follows the name of the model.
	base, path, query string
	// key is the header that carries the key, after keyPrefix.
	key, keyPrefix string
}

func apiOf(f llm.Format) (api, error) {
	switch f {
	case llm.OpenAI:
		return api{"https://api.openai.com/v1", "/chat/completions", "", "Authorization", "Bearer "}, nil
	case llm.OpenAIResponses:
		return api{"https://api.openai.com/v1", "/responses", "", "Authorization", "Bearer "}, nil
	case llm.Mistral:
		return api{"https://api.mistral.ai/v1", "/chat/completions", "", "Authorization", "Bearer "}, nil
	case llm.Anthropic:
		return api{"https://api.anthropic.com/v1", "/messages", "", "X-Api-Key", ""}, nil
	case llm.Gemini:
		return api{"https://generativelanguage.googleapis.com/v1beta", ":streamGenerateContent", "?alt=sse", "X-Goog-Api-Key", ""}, nil
	}
	if _, err := llm.ParseFormat(string(f)); err != nil {
		return api{}, err
	}
	return api{}, fmt.Errorf("the format %s is not the format of a model provider", f)
}
