package mcpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/executor/question"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/mcpserver"
)

// user returns a client whose user gives the same answer to each question.
func user(action string, content map[string]any, seen *mcp.ElicitParams) *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		*seen = *r.Params
		return &mcp.ElicitResult{Action: action, Content: content}, nil
	}}
}

func questionWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, mcpserver.Options{})
	spec, executor, err := question.Define(w.approver)
	if err == nil {
		err = w.tools.Tools().Register(spec, executor)
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestQuestionsOverMCP(t *testing.T) {
	t.Parallel()
	colours := []map[string]any{{"label": "red"}, {"label": "blue", "description": "like the\x1b[2J sky"}}
	for _, revision := range revisions {
		for name, c := range map[string]struct {
			arguments map[string]any
			action    string
			content   map[string]any
			want      string
		}{
			"text":      {map[string]any{"question": "Why?"}, "accept", map[string]any{"words": "because"}, "The user says: because"},
			"choice":    {map[string]any{"question": "Which?", "options": colours}, "accept", map[string]any{"choice": "blue"}, "The user chose: blue"},
			"unknown":   {map[string]any{"question": "Which?", "options": colours}, "accept", map[string]any{"words": "green"}, "The user says: green"},
			"several":   {map[string]any{"question": "Which?", "options": colours, "multiple": true}, "accept", map[string]any{"option_1": true, "option_2": true}, "The user chose: red; blue"},
			"none":      {map[string]any{"question": "Which?", "options": colours, "multiple": true}, "accept", map[string]any{"option_1": false}, "chose none"},
			"declined":  {map[string]any{"question": "Why?"}, "decline", nil, "declined to answer"},
			"cancelled": {map[string]any{"question": "Why?"}, "cancel", nil, "dismissed the question"},
		} {
			t.Run(revision+" "+name, func(t *testing.T) {
				t.Parallel()
				var form mcp.ElicitParams
				session := questionWorld(t).connect(t, revision, user(c.action, c.content, &form))
				result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "question", Arguments: c.arguments})
				if err != nil {
					t.Fatal(err)
				}
				if got := textOf(result); result.IsError || !strings.Contains(got, c.want) {
					t.Errorf("got %q, want %q", got, c.want)
				}
				if want := fmt.Sprint("The agent asks: ", c.arguments["question"]); !strings.HasPrefix(form.Message, want) || strings.Contains(form.Message, "\x1b") {
					t.Errorf("the client was asked %q", form.Message)
				}
			})
		}
	}
}

// When the client cannot ask its user, the model gets an error at once.
func TestQuestionToClientWithoutElicitation(t *testing.T) {
	t.Parallel()
	session := questionWorld(t).connect(t, "2025-11-25", nil)
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "question", Arguments: json.RawMessage(`{"question":"Why?"}`)})
	if err != nil || !result.IsError || !strings.Contains(textOf(result), "no user is available") {
		t.Errorf("got %q, %v", textOf(result), err)
	}
}

// A client that does not read its questions does not block the questions to other clients.
func TestSlowClientDoesNotBlockQuestions(t *testing.T) {
	t.Parallel()
	w := questionWorld(t)
	failed := w.tools.Calls().Subscribe(ledger.EventFilter{Kinds: []ledger.EventKind{ledger.EventFailed}})
	defer failed.Close()
	for range native.DefaultMaxAbandoned {
		r := w.connectRaw(t)
		r.out = bufio.NewReaderSize(r.from, 64) // smaller than a question
		r.send(strings.Replace(hello, `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1))
		r.receive()
		r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		r.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"question","arguments":{"question":"Why?"}}}`)
		for {
			if begin, err := r.out.Peek(64); err != nil {
				t.Fatal(err)
			} else if !bytes.Contains(begin, []byte("list_changed")) {
				break // the server has begun to write the question
			}
			r.receiveAny()
		}
		r.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		<-failed.Events()
		defer func() {
			r.in.Close()
			_, _ = io.Copy(io.Discard, r.out) // reads the rest, so that the server can end
			<-r.done
		}()
	}
	var form mcp.ElicitParams
	session := w.connect(t, "2025-11-25", user("accept", map[string]any{"words": "because"}, &form))
	if got := callText(t, session, "question", map[string]any{"question": "Why?"}); !strings.HasPrefix(got, "The user says: because") {
		t.Errorf("got %q", got)
	}
}
