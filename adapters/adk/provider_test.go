package adktools_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"google.golang.org/genai"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// request has the fields of a request to Gemini's API that the tests check.
type request struct {
	Tools    json.RawMessage `json:"tools"`
	Contents []struct {
		Role  string `json:"role"`
		Parts []struct {
			FunctionResponse *result `json:"functionResponse"`
		} `json:"parts"`
	} `json:"contents"`
}

// texts joins the texts of the results in the last message.
func (r request) texts() string {
	texts := ""
	for _, part := range r.Contents[len(r.Contents)-1].Parts {
		if part.FunctionResponse != nil {
			texts += part.FunctionResponse.Response.Output + part.FunctionResponse.Response.Error
		}
	}
	return texts
}

// result is the result of a call.
type result struct {
	ID       string `json:"id"`
	Response struct {
		Output string `json:"output"`
		Error  string `json:"error"`
	} `json:"response"`
}

// use is a call in a message of the model.
type use struct{ id, name, args string }

// provider imitates Gemini's API. Each response has the next list of calls. The response after the
// last list repeats the texts of the results.
type provider struct {
	*httptest.Server
	mu       sync.Mutex
	turns    [][]use
	requests []request
	codes    []tool.Code // of the failures that the agent reported
}

func newProvider(turns ...[]use) *provider {
	p := &provider{turns: turns}
	p.Server = httptest.NewServer(p)
	return p
}

// config configures the ADK's model for Gemini to send its requests to the provider.
func (p *provider) config() *genai.ClientConfig {
	return &genai.ClientConfig{
		APIKey: "test", Backend: genai.BackendGeminiAPI, HTTPClient: p.Client(), HTTPOptions: genai.HTTPOptions{BaseURL: p.URL},
	}
}

// failed records the error that the agent passed to its callback.
func (p *provider) failed(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.codes = append(p.codes, tool.CodeOf(err))
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var got request
	if err := json.NewDecoder(r.Body).Decode(&got); err != nil || !strings.HasSuffix(r.URL.Path, ":generateContent") {
		http.Error(w, `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"bad request"}}`, http.StatusBadRequest)
		return
	}
	p.requests = append(p.requests, got)
	answer, err := json.Marshal("The tools answered: " + got.texts())
	if err != nil {
		http.Error(w, "the answer is not JSON", http.StatusInternalServerError)
		return
	}
	parts := fmt.Sprintf(`{"text":%s}`, answer)
	if n := len(p.requests) - 1; n < len(p.turns) {
		parts = `{"text":"I will look."}`
		for _, u := range p.turns[n] {
			parts += fmt.Sprintf(`,{"functionCall":{"id":%q,"name":%q,"args":%s}}`, u.id, u.name, u.args)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"candidates":[{"content":{"role":"model","parts":[%s]},"finishReason":"STOP","index":0}],
		"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":20,"totalTokenCount":30},"modelVersion":"gemini-2.5-flash"}`, parts)
}

// results returns the results of the calls in the model's first message, by ID.
func (p *provider) results(t *testing.T) map[string]result {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.requests) != 2 || len(p.requests[1].Contents) != 3 {
		t.Fatalf("the provider got %d requests, %+v", len(p.requests), p.requests)
	}
	results := make(map[string]result)
	for _, part := range p.requests[1].Contents[2].Parts {
		if part.FunctionResponse == nil {
			t.Fatal("the message with results has another part")
		}
		results[part.FunctionResponse.ID] = *part.FunctionResponse
	}
	return results
}
