package provider

import (
	"fmt"
	"net/http"

	"github.com/wasmtool/wasmtool/registry/llm"
)

// api is how requests of one format are made.
type api struct {
	// base is the provider's own base URL. path and query follow the base URL; in Gemini, path
	// follows the name of the model.
	base, path, query string
	// key is the header that carries the key, after keyPrefix.
	key, keyPrefix string
	header         http.Header
}

func apiOf(f llm.Format) (api, error) {
	bearer := api{key: "Authorization", keyPrefix: "Bearer ", header: http.Header{}}
	switch f {
	case llm.OpenAI:
		bearer.base, bearer.path = "https://api.openai.com/v1", "/chat/completions"
		return bearer, nil
	case llm.OpenAIResponses:
		bearer.base, bearer.path = "https://api.openai.com/v1", "/responses"
		return bearer, nil
	case llm.Mistral:
		bearer.base, bearer.path = "https://api.mistral.ai/v1", "/chat/completions"
		return bearer, nil
	case llm.Anthropic:
		return api{
			base: "https://api.anthropic.com/v1", path: "/messages",
			key: "X-Api-Key", header: http.Header{"Anthropic-Version": {"2023-06-01"}},
		}, nil
	case llm.Gemini:
		return api{
			base: "https://generativelanguage.googleapis.com/v1beta", path: ":streamGenerateContent", query: "?alt=sse",
			key: "X-Goog-Api-Key", header: http.Header{},
		}, nil
	}
	if _, err := llm.ParseFormat(string(f)); err != nil {
		return api{}, fmt.Errorf("provider: %w", err)
	}
	return api{}, fmt.Errorf("provider: the format %s is not the format of a model provider", f)
}
