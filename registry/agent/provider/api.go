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

// apis are the formats of model providers.
var apis = map[llm.Format]api{
	llm.OpenAI:          {"https://api.openai.com/v1", "/chat/completions", "", "Authorization", "Bearer "},
	llm.OpenAIResponses: {"https://api.openai.com/v1", "/responses", "", "Authorization", "Bearer "},
	llm.Mistral:         {"https://api.mistral.ai/v1", "/chat/completions", "", "Authorization", "Bearer "},
	llm.Anthropic:       {"https://api.anthropic.com/v1", "/messages", "", "X-Api-Key", ""},
	llm.Gemini:          {"https://generativelanguage.googleapis.com/v1beta", ":streamGenerateContent", "?alt=sse", "X-Goog-Api-Key", ""},
}

func apiOf(f llm.Format) (api, error) {
	_, err := llm.ParseFormat(string(f))
	a, ok := apis[f]
	if err == nil && !ok {
		err = fmt.Errorf("the format %s is not the format of a model provider", f)
	}
	return a, err
}
