// Package provider is a client for the APIs of model providers, and for servers with the same APIs,
// such as Ollama, vLLM and LM Studio. It uses no provider's SDK.
//
//	model, err := provider.New(provider.Options{
//		Format: llm.Anthropic, Model: "claude-sonnet-4-5",
//		Secret: capability.SecretUse{Name: "ANTHROPIC_API_KEY"}, Secrets: secrets,
//	})
//
// A [Client] makes its requests with package egress, like the tools: only to the base URL that the
// operator wrote, to a private address only if that URL names one, and without redirects. The key
// is in a header of the request and nowhere else. It is removed from responses and errors.
package provider
