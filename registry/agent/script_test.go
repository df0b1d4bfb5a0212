package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/agent"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/llm"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// message is a message of a scripted model.
type message struct {
	reasoning, text string
	calls           []call
	finish          string // the default is stop or tool_calls
	err             error
}

type call struct{ id, name, arguments string }

func say(text string) message { return message{text: text} }

func use(calls ...call) message { return message{calls: calls} }

// script is a model that answers with messages in order, in the format of OpenAI, and records the
// requests. After the last message, it repeats it.
type script struct {
	messages []message

	mu       sync.Mutex
	requests []llm.Request
}

func (s *script) Format() llm.Format { return llm.OpenAI }

func (s *script) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	s.mu.Lock()
	m := s.messages[min(len(s.requests), len(s.messages)-1)]
	s.requests = append(s.requests, r)
	s.mu.Unlock()
	return func(yield func(llm.Chunk, error) bool) {
		if m.err != nil {
			yield(llm.Chunk{}, m.err)
			return
		}
		if m.reasoning != "" && !yield(llm.Chunk{Reasoning: m.reasoning}, nil) {
			return
		}
		for _, word := range strings.SplitAfter(m.text, " ") {
			if word != "" && !yield(llm.Chunk{Text: word}, nil) {
				return
			}
		}
		for _, c := range m.calls {
			if !yield(llm.Chunk{Call: &llm.Call{ID: c.id, Name: c.name, Arguments: json.RawMessage(c.arguments)}}, nil) {
				return
			}
		}
		yield(llm.Chunk{End: &llm.Response{Body: m.body(), Usage: llm.Usage{Input: 100, Output: 10}}}, nil)
	}
}

func (m message) body() json.RawMessage {
	var calls []any
	for _, c := range m.calls {
		calls = append(calls, map[string]any{"id": c.id, "type": "function", "function": map[string]any{"name": c.name, "arguments": c.arguments}})
	}
	finish := m.finish
	if finish == "" {
		finish = map[bool]string{true: "tool_calls", false: "stop"}[len(calls) > 0]
	}
	body, err := json.Marshal(map[string]any{"choices": []any{map[string]any{
		"finish_reason": finish, "message": map[string]any{"role": "assistant", "content": m.text, "tool_calls": calls},
	}}})
	if err != nil {
		panic(err)
	}
	return body
}

// request returns the nth request as JSON, to search in.
func (s *script) request(t *testing.T, n int) string {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if n >= len(s.requests) {
		t.Fatalf("the model was asked %d times", len(s.requests))
	}
	text, err := json.Marshal(s.requests[n])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// world is a registry with a few tools in Go. echo only reads; change and danger need an approval.
type world struct {
	*registry.Registry
	mu    sync.Mutex
	calls []tool.Call
	asked []registry.Question
	// answer answers questions; nil denies.
	answer func(registry.Question) bool
}

func newWorld(t *testing.T, o registry.Options, rules ...policy.Rule) *world {
	t.Helper()
	w := &world{}
	o.Approvals.Approver = registry.ApproverFunc(func(_ context.Context, q registry.Question) (registry.Answer, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.asked = append(w.asked, q)
		return registry.Answer{Yes: w.answer != nil && w.answer(q)}, nil
	})
	compiled, err := policy.Compile(policy.Config{Rules: append(rules, policy.Rule{Effect: policy.Allow, Tools: []string{"echo", "fail", "wait", "dynamic", "task"}})}, policy.Known{})
	if err != nil {
		t.Fatal(err)
	}
	o.Rules.Policy = compiled
	w.Registry = registry.New(o)
	t.Cleanup(func() { _ = w.Close() })
	w.add(t, "echo", &capability.Effects{ReadOnly: true}, false)
	w.add(t, "change", nil, false)
	w.add(t, "danger", nil, true)
	w.define(t, tool.Spec{Name: "fail", Declared: &capability.Effects{ReadOnly: true}}, func(context.Context, tool.Invocation) (tool.Result, error) {
		return tool.Result{}, errors.New("it does not work")
	})
	w.define(t, tool.Spec{Name: "wait", Declared: &capability.Effects{ReadOnly: true}}, func(ctx context.Context, _ tool.Invocation) (tool.Result, error) {
		<-ctx.Done()
		return tool.Result{}, ctx.Err()
	})
	return w
}

// add registers a tool that returns its argument text.
func (w *world) add(t *testing.T, name string, declared *capability.Effects, dangerous bool) {
	t.Helper()
	w.define(t, tool.Spec{Name: name, Declared: declared, Dangerous: dangerous}, func(_ context.Context, in tool.Invocation) (tool.Result, error) {
		text, _ := in.Text("text")
		in.Update(tool.Update{Title: "working on " + text})
		result, err := tool.TextResult(name+" "+text, nil)
		result.Title = "Returned " + text
		if name != "echo" {
			result.Call.Usage.FilesWritten = []string{"/workspace/" + text}
		}
		return result, err
	})
}

func (w *world) define(t *testing.T, spec tool.Spec, run func(context.Context, tool.Invocation) (tool.Result, error)) {
	t.Helper()
	spec.Description = "A tool of the test."
	if spec.Parameters == nil {
		spec.Parameters = json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"additionalProperties":false}`)
	}
	spec, executor, err := native.Raw(native.Options{Spec: spec}, func(ctx context.Context, in tool.Invocation) (tool.Result, error) {
		w.mu.Lock()
		w.calls = append(w.calls, in.Call)
		w.mu.Unlock()
		return run(ctx, in)
	})
	if err == nil {
		err = w.Tools().Register(spec, executor)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// made returns the calls that ran, as "tool text".
func (w *world) made() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
	for _, c := range w.calls {
		var a struct{ Text string }
		_ = json.Unmarshal(c.Arguments, &a)
		out = append(out, strings.TrimSpace(c.Tool+" "+a.Text))
	}
	return out
}

func (w *world) agent(m agent.Model, o agent.Options) *agent.Agent {
	return agent.New(agent.Of(w.Registry, "", registry.TenantOptions{}), m, o)
}

// run carries out a task, which must not fail.
func (w *world) run(t *testing.T, m agent.Model, o agent.Options) agent.Result {
	t.Helper()
	result, err := w.agent(m, o).Run(t.Context(), agent.Request{Task: "the task"}, agent.Events{})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// echo is a call of the tool echo.
func echo(id, text string) call { return call{id, "echo", fmt.Sprintf(`{"text":%q}`, text)} }
