package anthropictools_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

// request has the fields of a request to the Messages API that the tests check.
type request struct {
	Tools    json.RawMessage `json:"tools"`
	Messages []struct {
		Role    string   `json:"role"`
		Content []result `json:"content"`
	} `json:"messages"`
}

// texts joins the texts of the results in the last message.
func (r request) texts() string {
	texts := ""
	for _, block := range r.Messages[len(r.Messages)-1].Content {
		texts += block.text()
	}
	return texts
}

// result is a block of a message: the result of a call, or another block.
type result struct {
	Type      string `json:"type"`
	ToolUseID string `json:"tool_use_id"`
	IsError   bool   `json:"is_error"`
	Content   []struct {
		Type   string `json:"type"`
		Text   string `json:"text"`
		Source struct {
			MediaType string `json:"media_type"`
			Data      []byte `json:"data"`
		} `json:"source"`
	} `json:"content"`
}

// text joins the text blocks of the result.
func (r result) text() string {
	var b strings.Builder
	for _, c := range r.Content {
		b.WriteString(c.Text)
	}
	return b.String()
}

// use is a call in a message of the model.
type use struct{ id, name, input string }

// provider imitates the Messages API. Each response has the next list of calls. The response after
// the last list repeats the texts of the results.
type provider struct {
	*httptest.Server
	mu       sync.Mutex
	turns    [][]use
	requests []request
}

func newProvider(turns ...[]use) *provider {
	p := &provider{turns: turns}
	p.Server = httptest.NewServer(p)
	return p
}

// client returns a client of the SDK that sends its requests to the provider.
func (p *provider) client() anthropic.Client {
	return anthropic.NewClient(option.WithBaseURL(p.URL), option.WithAPIKey("test"), option.WithMaxRetries(0))
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var got request
	if err := json.NewDecoder(r.Body).Decode(&got); err != nil || r.URL.Path != "/v1/messages" {
		http.Error(w, `{"type":"error","error":{"type":"invalid_request_error","message":"bad request"}}`, http.StatusBadRequest)
		return
	}
	p.requests = append(p.requests, got)
	answer, err := json.Marshal("The tools answered: " + got.texts())
	if err != nil {
		http.Error(w, "the answer is not JSON", http.StatusInternalServerError)
		return
	}
	content, reason := fmt.Sprintf(`{"type":"text","text":%s}`, answer), "end_turn"
	if n := len(p.requests) - 1; n < len(p.turns) {
		reason, content = "tool_use", `{"type":"text","text":"I will look."}`
		for _, u := range p.turns[n] {
			content += fmt.Sprintf(`,{"type":"tool_use","id":%q,"name":%q,"input":%s}`, u.id, u.name, u.input)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"id":"msg_1","type":"message","role":"assistant","model":"claude-haiku-4-5","content":[%s],
		"stop_reason":%q,"stop_sequence":null,"usage":{"input_tokens":10,"output_tokens":20}}`, content, reason)
}

// results returns the results of the calls in the model's first message, by ID.
func (p *provider) results(t *testing.T) map[string]result {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.requests) != 2 || len(p.requests[1].Messages) != 3 {
		t.Fatalf("the provider got %d requests, %+v", len(p.requests), p.requests)
	}
	results := make(map[string]result)
	for _, block := range p.requests[1].Messages[2].Content {
		if block.Type != "tool_result" {
			t.Errorf("the message with results has a block %q", block.Type)
		}
		results[block.ToolUseID] = block
	}
	return results
}
