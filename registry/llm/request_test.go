package llm_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/llm"
)

// request returns a request with each field set.
func request(t *testing.T, f llm.Format) llm.Request {
	t.Helper()
	tools, err := llm.New(f, []catalogue.Info{info("read", `{"type":"object","properties":{"path":{"type":"string"}}}`)}, llm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return llm.Request{
		System: "Be brief.", Messages: []json.RawMessage{f.UserMessage(`Say "hi" <now>.`)}, Tools: tools.Definitions(),
		NoCalls: true, MaxTokens: 100,
	}
}

func TestRequestBody(t *testing.T) {
	t.Parallel()
	const (
		user = `{"role":"user","content":"Say \"hi\" <now>."}`
		chat = `{"type":"function","function":{"name":"read","description":"A tool.","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}}`
	)
	for f, want := range map[llm.Format]struct{ full, least string }{
		llm.OpenAI: {
			`{"model":"m","messages":[{"role":"system","content":"Be brief."},` + user + `],"stream_options":{"include_usage":true},"max_completion_tokens":100,"stream":true,"tools":[` + chat + `],"tool_choice":"none"}`,
			`{"model":"m","messages":[` + user + `],"stream_options":{"include_usage":true},"max_completion_tokens":16384,"stream":true}`,
		},
		llm.OpenAIResponses: {
			`{"model":"m","instructions":"Be brief.","input":[` + user + `],"max_output_tokens":100,"store":false,"include":["reasoning.encrypted_content"],"stream":true,"tools":[{"type":"function","name":"read","description":"A tool.","strict":false,"parameters":{"type":"object","properties":{"path":{"type":"string"}}}}],"tool_choice":"none"}`,
			`{"model":"m","input":[` + user + `],"max_output_tokens":16384,"store":false,"include":["reasoning.encrypted_content"],"stream":true}`,
		},
		llm.Anthropic: {
			`{"model":"m","system":"Be brief.","messages":[` + user + `],"max_tokens":100,"stream":true,"tools":[{"name":"read","description":"A tool.","input_schema":{"type":"object","properties":{"path":{"type":"string"}}}}],"tool_choice":{"type":"none"}}`,
			`{"model":"m","messages":[` + user + `],"max_tokens":16384,"stream":true}`,
		},
		llm.Gemini: {
			`{"systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[{"role":"user","parts":[{"text":"Say \"hi\" <now>."}]}],"generationConfig":{"maxOutputTokens":100},"tools":[{"functionDeclarations":[{"name":"read","description":"A tool.","parametersJsonSchema":{"type":"object","properties":{"path":{"type":"string"}}}}]}],"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}}`,
			`{"contents":[{"role":"user","parts":[{"text":"Say \"hi\" <now>."}]}],"generationConfig":{"maxOutputTokens":16384}}`,
		},
		llm.Mistral: {
			`{"model":"m","messages":[{"role":"system","content":"Be brief."},` + user + `],"max_tokens":100,"stream":true,"tools":[` + chat + `],"tool_choice":"none"}`,
			`{"model":"m","messages":[` + user + `],"max_tokens":16384,"stream":true}`,
		},
	} {
		full := request(t, f)
		least := llm.Request{Messages: full.Messages}
		none := llm.Request{Messages: full.Messages, Tools: json.RawMessage(" [ ] "), NoCalls: true}
		for _, test := range []struct {
			name, want string
			request    llm.Request
		}{{"full", want.full, full}, {"least", want.least, least}, {"no tools", want.least, none}} {
			got, err := f.RequestBody("m", test.request)
			if err != nil || string(got) != test.want {
				t.Errorf("%s, %s: %v\n got %s\nwant %s", f, test.name, err, got, test.want)
			}
		}
	}
}

// Servers that are only compatible with OpenAI's API do not all read the field that OpenAI's own
// models require.
func TestLimitOfCompatibleServers(t *testing.T) {
	t.Parallel()
	for f, want := range map[llm.Format]string{
		llm.OpenAI: `"max_tokens":100`, llm.Mistral: `"max_tokens":100`, llm.Anthropic: `"max_tokens":100`,
		llm.OpenAIResponses: `"max_output_tokens":100`, llm.Gemini: `"maxOutputTokens":100`,
	} {
		r := request(t, f)
		r.Compatible = true
		got, err := f.RequestBody("m", r)
		if err != nil || !bytes.Contains(got, []byte(want)) || bytes.Contains(got, []byte("max_completion_tokens")) {
			t.Errorf("%s: %s, %v", f, got, err)
		}
	}
}

// OpenAI refuses to include reasoning for models that do not reason. For the others, the reasoning
// must be included, because the next request refers to it and it is not stored.
func TestReasoningIsIncluded(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]bool{
		"gpt-4.1": false, "gpt-4o-mini": false, "ft:gpt-4o:acme::x": false, "chatgpt-4o-latest": false, "gpt-3.5-turbo": false, "gpt-5-chat-latest": false,
		"gpt-5": true, "gpt-5.1-codex": true, "o3": true, "o4-mini": true, "gpt-6": true,
	} {
		got, err := llm.OpenAIResponses.RequestBody(model, request(t, llm.OpenAIResponses))
		if err != nil || bytes.Contains(got, []byte("encrypted_content")) != want {
			t.Errorf("%s: %s, %v", model, got, err)
		}
	}
}

func TestRequestBodyRefuses(t *testing.T) {
	t.Parallel()
	good := request(t, llm.OpenAI)
	for want, test := range map[string]struct {
		format llm.Format
		model  string
		change func(*llm.Request)
	}{
		"the name of a model":                {llm.OpenAI, "", func(*llm.Request) {}},
		"the format mcp has no requests":     {llm.MCP, "m", func(*llm.Request) {}},
		"did you mean gemini?":               {"gemni", "m", func(*llm.Request) {}},
		"at least one message":               {llm.OpenAI, "m", func(r *llm.Request) { r.Messages = nil }},
		"MaxTokens is negative":              {llm.OpenAI, "m", func(r *llm.Request) { r.MaxTokens = -1 }},
		"message 2 of the conversation is n": {llm.OpenAI, "m", func(r *llm.Request) { r.Messages = append(r.Messages, json.RawMessage(`{"role":`)) }},
		"as Tools.Definitions returns it":    {llm.OpenAI, "m", func(r *llm.Request) { r.Tools = json.RawMessage(`{}`) }},
	} {
		r := good
		test.change(&r)
		if body, err := test.format.RequestBody(test.model, r); err == nil || !strings.Contains(err.Error(), want) || body != nil {
			t.Errorf("got %s, %v, want an error with %q", body, err, want)
		}
	}
}
