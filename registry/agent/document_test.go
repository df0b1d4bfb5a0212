package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/agent"
	"github.com/wasmtool/wasmtool/registry/ledger/state"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Each row is a sentence or a line of the section Tool Agent, and of the settings and steps that
// belong to it, in document 002 of the source documents.
func TestDocument002(t *testing.T) {
	t.Parallel()
	for sentence, check := range map[string]func(t *testing.T){
		"the agent is an LLM context of its own": func(t *testing.T) {
			m := &script{messages: []message{use(echo("1", "a")), say("Done.")}}
			newWorld(t, registry.Options{}).run(t, m, agent.Options{})
			if n := len(m.requests[0].Messages); n != 1 {
				t.Errorf("it begins with %d messages", n)
			}
		},
		"DelegationRequest has task, context, expectedOutcome, sessionId and messageId": func(t *testing.T) {
			wantFields(t, agent.Request{}, "task", "context", "expectedOutcome", "sessionId", "messageId")
			w, m := newWorld(t, registry.Options{}), &script{messages: []message{use(echo("1", "a")), say("Done.")}}
			request := agent.Request{Task: "the task", Context: "the context", ExpectedOutcome: "the outcome", SessionID: "s", MessageID: "m"}
			if _, err := w.agent(m, agent.Options{}).Run(t.Context(), request, agent.Events{}); err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{"the task", "the context", "the outcome"} {
				if !strings.Contains(string(m.requests[0].Messages[0]), text) {
					t.Errorf("the prompt lacks %q", text)
				}
			}
			if c := w.calls[0]; c.Session != "s" || c.Message != "m" {
				t.Errorf("the call has session %q and message %q", c.Session, c.Message)
			}
		},
		"getEnabledToolsAsync: all enabled tools, dynamic ones initialised": func(t *testing.T) {
			w, m := newWorld(t, registry.Options{}), &script{messages: []message{say("Done.")}}
			if err := w.Tools().Register(tool.Spec{Name: "dynamic", Description: "before"}, describing{}); err != nil {
				t.Fatal(err)
			}
			if err := w.Tools().Disable("danger"); err != nil {
				t.Fatal(err)
			}
			w.run(t, m, agent.Options{})
			sent := string(m.requests[0].Tools)
			if strings.Contains(sent, `"danger"`) || !strings.Contains(sent, `"echo"`) || !strings.Contains(sent, "described itself") {
				t.Errorf("the definitions are %s", sent)
			}
		},
		"MCP tools and built-in tools together": func(t *testing.T) {
			w, m := newWorld(t, registry.Options{}), &script{messages: []message{use(call{"1", "mcp__server__look", `{}`}), say("Done.")}}
			w.add(t, "mcp__server__look", nil, false)
			w.answer = func(registry.Question) bool { return true }
			w.run(t, m, agent.Options{})
			if got := w.made(); !slices.Equal(got, []string{"mcp__server__look"}) {
				t.Errorf("called %q", got)
			}
		},
		"buildToolAgentSystemPrompt(skills)": func(t *testing.T) {
			m := &script{messages: []message{say("Done.")}}
			newWorld(t, registry.Options{}).run(t, m, agent.Options{Skills: []agent.Skill{{Name: "release", Description: "How to make a release"}}})
			if got := m.requests[0].System; !strings.Contains(got, "- release: How to make a release") {
				t.Errorf("the system prompt is %s", got)
			}
		},
		"while currentTurn < MAX_TURNS": func(t *testing.T) {
			w, m := newWorld(t, registry.Options{}), &script{messages: []message{use(echo("", "a"))}}
			r := w.run(t, m, agent.Options{MaxTurns: 4})
			if len(m.requests) != 4 || r.Turns != 4 || r.End != agent.EndMaxTurns || len(w.calls) != 3 {
				t.Errorf("%d requests, %d calls, %+v", len(m.requests), len(w.calls), r)
			}
			if !m.requests[3].NoCalls || m.requests[2].NoCalls || len(m.requests[3].Tools) == 0 {
				t.Error("not exactly the last turn forbids calls")
			}
		},
		"and toolCallCount < settings.maxToolCalls": func(t *testing.T) {
			w := newWorld(t, registry.Options{})
			m := &script{messages: []message{use(echo("1", "a"), echo("2", "b")), use(echo("3", "c"), echo("4", "d")), say("Three of four.")}}
			r := w.run(t, m, agent.Options{MaxToolCalls: 3})
			if got := w.made(); !sameSet(got, "echo a", "echo b", "echo c") || r.ToolCallCount != 3 || r.End != agent.EndMaxToolCalls {
				t.Errorf("called %q, %+v", got, r)
			}
			if !r.Success || r.Summary != "Three of four." || !m.requests[2].NoCalls {
				t.Errorf("%+v", r)
			}
			if sent := m.request(t, 2); !strings.Contains(sent, "the limit of 3 calls is reached") {
				t.Errorf("the model is not told: %s", sent)
			}
		},
		"chunks are text, reasoning and tool-call": func(t *testing.T) {
			w := newWorld(t, registry.Options{})
			var text string
			m := &script{messages: []message{{reasoning: "Hm.", text: "I look.", calls: []call{echo("1", "a")}}, say("Done, all fine.")}}
			_, err := w.agent(m, agent.Options{}).Run(t.Context(), agent.Request{Task: "x"}, agent.Events{OnTextChunk: func(s string) { text += s }})
			if err != nil || text != "I look.Done, all fine." {
				t.Errorf("text %q, %v", text, err)
			}
		},
		"confirmed: true is not an argument": func(t *testing.T) {
			w := newWorld(t, registry.Options{})
			m := &script{messages: []message{use(call{"1", "danger", `{"text":"a","confirmed":true}`}, call{"2", "danger", `{"text":"b"}`}), say("Done.")}}
			r := w.run(t, m, agent.Options{})
			if len(w.calls) != 0 || r.Success || len(w.asked) != 1 {
				t.Errorf("ran %q, asked %d times, %+v", w.made(), len(w.asked), r)
			}
		},
		"autoConfirmDangerous runs dangerous calls without a question": func(t *testing.T) {
			w := newWorld(t, registry.Options{})
			m := &script{messages: []message{use(call{"1", "danger", `{"text":"a"}`}), say("Done.")}}
			if r := w.run(t, m, agent.Options{AutoConfirmDangerous: true}); len(w.calls) != 1 || !r.Success || len(w.asked) != 0 {
				t.Errorf("ran %q, asked %d times, %+v", w.made(), len(w.asked), r)
			}
		},
		"the result of a call is added to the conversation": func(t *testing.T) {
			w, m := newWorld(t, registry.Options{}), &script{messages: []message{use(echo("id-7", "the result")), say("Done.")}}
			w.run(t, m, agent.Options{})
			if sent := m.request(t, 1); !strings.Contains(sent, "echo the result") || strings.Count(sent, "id-7") != 2 {
				t.Errorf("sent %s", sent)
			}
		},
		"steps.push and onStepComplete": func(t *testing.T) {
			w, m := newWorld(t, registry.Options{}), &script{messages: []message{use(echo("1", "a")), use(echo("2", "b")), say("Done.")}}
			var completed []agent.Step
			r, err := w.agent(m, agent.Options{}).Run(t.Context(), agent.Request{Task: "x"}, agent.Events{OnStepComplete: func(s agent.Step) { completed = append(completed, s) }})
			if err != nil || len(completed) != 2 || len(r.Steps) != 2 || completed[1].Result.Output != "echo b" {
				t.Errorf("%+v, %v", completed, err)
			}
		},
		"a turn without tool calls ends the loop": func(t *testing.T) {
			m := &script{messages: []message{say("Nothing to do."), say("never")}}
			r := newWorld(t, registry.Options{}).run(t, m, agent.Options{})
			if len(m.requests) != 1 || r.End != agent.EndDone || r.Summary != "Nothing to do." {
				t.Errorf("%+v", r)
			}
		},
		"success is not allFailed": func(t *testing.T) {
			for want, calls := range map[bool][]call{true: {echo("1", "a"), {"2", "fail", `{}`}}, false: {{"1", "fail", `{}`}, {"2", "nosuch", `{}`}}} {
				m := &script{messages: []message{use(calls...), say("Done.")}}
				if r := newWorld(t, registry.Options{}).run(t, m, agent.Options{}); r.Success != want {
					t.Errorf("%v: %+v", calls, r)
				}
			}
		},
		"summary is the text of the model, trimmed": func(t *testing.T) {
			m := &script{messages: []message{say("  It is done.\n")}}
			if r := newWorld(t, registry.Options{}).run(t, m, agent.Options{}); r.Summary != "It is done." {
				t.Errorf("%q", r.Summary)
			}
		},
		"details is a log of the steps": func(t *testing.T) {
			m := &script{messages: []message{use(echo("1", "a"), call{"2", "fail", `{}`}), say("Done.")}}
			r := newWorld(t, registry.Options{}).run(t, m, agent.Options{})
			if want := "1. echo {\"text\":\"a\"}: success: Returned a\n2. fail {}: failed: the tool says: it does not work"; r.Details != want {
				t.Errorf("got %s\nwant %s", r.Details, want)
			}
		},
		"filesModified has no duplicates": func(t *testing.T) {
			w := newWorld(t, registry.Options{})
			w.answer = func(registry.Question) bool { return true }
			m := &script{messages: []message{use(call{"1", "change", `{"text":"b"}`}, call{"2", "change", `{"text":"a"}`}, call{"3", "change", `{"text":"b"}`}), say("Done.")}}
			if r := w.run(t, m, agent.Options{}); !slices.Equal(r.FilesModified, []string{"/workspace/a", "/workspace/b"}) {
				t.Errorf("%q", r.FilesModified)
			}
		},
		"errors, toolCallCount and executionTimeMs": func(t *testing.T) {
			now := time.UnixMilli(1000)
			clock := func() time.Time { now = now.Add(time.Millisecond); return now }
			m := &script{messages: []message{use(echo("1", "a"), call{"2", "fail", `{}`}), say("Done.")}}
			r := newWorld(t, registry.Options{}).run(t, m, agent.Options{Now: clock})
			if len(r.Errors) != 1 || !strings.Contains(r.Errors[0], "fail: ") || r.ToolCallCount != 2 || r.ExecutionTimeMS != 3 {
				t.Errorf("%+v", r)
			}
		},
		"ToolAgentResult has seven fields": func(t *testing.T) {
			wantFields(t, agent.Result{}, "success", "summary", "details", "filesModified", "errors", "toolCallCount", "executionTimeMs")
		},
		"ToolAgentStep has eight fields": func(t *testing.T) {
			wantFields(t, agent.Step{Error: "x", Thinking: "x", Summary: "x"}, "toolName", "arguments", "result", "status", "timestamp", "error", "thinking", "summary")
		},
		"status is success or failed": func(t *testing.T) {
			m := &script{messages: []message{use(echo("1", "a"), call{"2", "fail", `{}`}), say("Done.")}}
			r := newWorld(t, registry.Options{}).run(t, m, agent.Options{})
			if r.Steps[0].Status != "success" || r.Steps[0].Error != "" || r.Steps[1].Status != "failed" || r.Steps[1].Error == "" {
				t.Errorf("%+v", r.Steps)
			}
		},
		"thinking is the reasoning before the call": func(t *testing.T) {
			m := &script{messages: []message{{reasoning: "R", calls: []call{echo("1", "a")}}, {reasoning: "R", text: "T", calls: []call{echo("2", "b"), echo("3", "c")}}, say("Done.")}}
			r := newWorld(t, registry.Options{}).run(t, m, agent.Options{})
			if s := r.Steps; s[0].Thinking != "R" || s[1].Thinking != "T" || s[2].Thinking != "" {
				t.Errorf("%+v", s)
			}
		},
		"summary of a step is the analysis after it": func(t *testing.T) {
			w := newWorld(t, registry.Options{})
			m := &script{messages: []message{use(echo("1", "a")), {text: "It says a.", calls: []call{echo("2", "b")}}, say("Done.")}}
			var summaries []string
			r, err := w.agent(m, agent.Options{}).Run(t.Context(), agent.Request{Task: "x"}, agent.Events{OnStepSummary: func(s agent.Step) { summaries = append(summaries, s.ToolName+" "+s.Summary) }})
			if err != nil || !slices.Equal(summaries, []string{"echo It says a.", "echo Done."}) || r.Steps[0].Summary != "It says a." {
				t.Errorf("%q, %v", summaries, err)
			}
		},
		"the six events come in order, and nil ones are fine": func(t *testing.T) {
			w := newWorld(t, registry.Options{})
			m := &script{messages: []message{{text: "Look.", calls: []call{echo("1", "a")}}, {err: errors.New("overloaded")}}}
			var got []string
			note := func(kind string) func(string) { return func(text string) { got = append(got, kind+" "+text) } }
			step := func(kind string) func(agent.Step) {
				return func(s agent.Step) { got = append(got, kind+" "+s.ToolName+" "+string(s.Status)) }
			}
			_, err := w.agent(m, agent.Options{}).Run(t.Context(), agent.Request{Task: "x"}, agent.Events{
				OnStepStart: step("start"), OnStepComplete: step("complete"), OnStepSummary: step("summary"),
				OnTextChunk: note("text"), OnProgress: note("progress"), OnError: note("error"),
			})
			want := []string{"progress turn 1", "text Look.", "start echo ", "progress working on a", "complete echo success", "progress turn 2", "error " + err.Error()}
			if !slices.Equal(got, want) || tool.CodeOf(err) != tool.CodeServer {
				t.Errorf("got  %q\nwant %q\n%v", got, want, err)
			}
		},
		"timeoutMs limits a run": func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, registry.Options{})
				m := &script{messages: []message{use(echo("1", "a")), use(call{"2", "wait", `{}`}), say("never")}}
				began := time.Now()
				r, err := w.agent(m, agent.Options{Timeout: 5 * time.Second}).Run(t.Context(), agent.Request{Task: "x"}, agent.Events{})
				if tool.CodeOf(err) != tool.CodeTimeout || r.End != agent.EndTimeout || len(r.Steps) != 2 || r.Success || time.Since(began) != 5*time.Second {
					t.Errorf("%v after %v, %+v", err, time.Since(began), r)
				}
			})
		},
		"abortSignal: cancelling returns the steps so far": func(t *testing.T) {
			w := newWorld(t, registry.Options{})
			ctx, cancel := context.WithCancel(t.Context())
			m := &script{messages: []message{use(echo("1", "a")), use(call{"2", "wait", `{}`}), say("never")}}
			r, err := w.agent(m, agent.Options{}).Run(ctx, agent.Request{Task: "x"}, agent.Events{OnStepStart: func(s agent.Step) {
				if s.ToolName == "wait" {
					cancel()
				}
			}})
			if tool.CodeOf(err) != tool.CodeCancelled || r.End != agent.EndCancelled || len(r.Steps) != 2 || r.Steps[0].Status != agent.StepSuccess || r.Summary == "" {
				t.Errorf("%v, %+v", err, r)
			}
			if live := w.Calls().States(""); slices.ContainsFunc(live, func(c state.Call) bool { return !c.Status.Ended() }) {
				t.Errorf("a call is still running: %+v", live)
			}
		},
		"the UI step has 14 fields": func(t *testing.T) {
			u := agent.UIStep{Description: "x", TurnIndex: 1, ToolCallID: "x", ToolCall: &agent.ToolCall{}, Thinking: "x", Result: "x", Summary: "x", Error: "x", ToolAgentResult: &agent.ToolAgentResult{}}
			wantFields(t, u, "id", "type", "title", "description", "status", "timestamp", "turnIndex", "toolCallId", "toolCall", "thinking", "result", "summary", "error", "toolAgentResult")
		},
		"StepType has ten values": func(t *testing.T) {
			for name, want := range map[string]string{
				"bash": "bash", "read": "read", "write": "write", "edit": "edit", "glob": "glob", "grep": "grep", "skill": "skill",
				"task": "delegate", "list": "tool_call", "mcp__x__bash": "tool_call",
			} {
				if got := (agent.Step{ToolName: name}).UI().Type; got != want {
					t.Errorf("%s: %s, want %s", name, got, want)
				}
			}
			if got := agent.UIStepOf(state.Call{CallRef: tool.CallRef{Tool: "bash"}, Status: state.AwaitingConfirmation}, nil); got.Type != "bash-confirm" || got.Status != "awaiting-confirmation" {
				t.Errorf("%+v", got)
			}
		},
		"the UI status has five values": func(t *testing.T) {
			for status, want := range map[state.Status]string{
				state.Pending: "pending", state.Running: "running", state.Completed: "completed", state.Error: "failed", state.AwaitingConfirmation: "awaiting-confirmation",
			} {
				if got := agent.UIStepOf(state.Call{Status: status}, nil).Status; got != want {
					t.Errorf("%s: %s, want %s", status, got, want)
				}
			}
		},
		"a delegation is a step with toolAgentResult": func(t *testing.T) {
			w := newWorld(t, registry.Options{})
			w.task(t, &script{messages: []message{use(echo("1", "a")), say("Found it.")}}, agent.TaskOptions{})
			w.answer = func(registry.Question) bool { return true }
			if _, err := w.Execute(t.Context(), tool.Call{ID: "outer", Tool: "task", Arguments: json.RawMessage(`{"task":"x"}`)}); err != nil {
				t.Fatal(err)
			}
			c, _ := w.Calls().State("", "outer")
			got := agent.UIStepOf(c, json.RawMessage(`{"task":"x"}`))
			want := &agent.ToolAgentResult{Success: true, Summary: "Found it.", ToolCallCount: 1, FilesModified: []string{}, Errors: []string{}}
			if got.Type != "delegate" || !reflect.DeepEqual(got.ToolAgentResult, want) || got.Result != "Found it." {
				t.Errorf("%+v, %+v", got, got.ToolAgentResult)
			}
		},
		"a delegation that fails is a step with toolAgentResult": func(t *testing.T) {
			w := newWorld(t, registry.Options{})
			w.task(t, &script{messages: []message{use(call{"1", "fail", `{}`}), say("I can't.")}}, agent.TaskOptions{})
			result, err := w.Execute(t.Context(), tool.Call{ID: "outer", Tool: "task", Arguments: json.RawMessage(`{"task":"x"}`)})
			if tool.CodeOf(err) != tool.CodeExecution || result.Text() != "I can't.\n\n1. fail {}: failed: the tool says: it does not work" {
				t.Errorf("%v, %q", err, result.Text())
			}
			c, _ := w.Calls().State("", "outer")
			if got := agent.UIStepOf(c, nil); got.Status != "failed" || got.ToolAgentResult == nil || got.ToolAgentResult.Success || len(got.ToolAgentResult.Errors) != 1 {
				t.Errorf("%+v, %+v", got, got.ToolAgentResult)
			}
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			check(t)
		})
	}
}

// wantFields checks that the JSON of a value has these fields.
func wantFields(t *testing.T, v any, names ...string) {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if _, ok := fields[name]; !ok {
			t.Errorf("%T has no field %s: %s", v, name, text)
		}
	}
}

func sameSet(got []string, want ...string) bool {
	got = slices.Clone(got)
	slices.Sort(got)
	slices.Sort(want)
	return slices.Equal(got, want)
}

// describing is a tool that describes itself.
type describing struct{}

func (describing) Prepare(context.Context) error { return nil }
func (describing) Close() error                  { return nil }
func (describing) Execute(context.Context, tool.Invocation) (tool.Result, error) {
	return tool.TextResult("x", nil)
}

func (describing) Describe(context.Context, capability.Grant) (tool.Definition, error) {
	return tool.Definition{Description: "It described itself."}, nil
}

// task registers the tool task.
func (w *world) task(t *testing.T, m agent.Model, o agent.TaskOptions) {
	t.Helper()
	run := agent.Task(w.Registry, m, o)
	w.define(t, tool.Spec{Name: agent.TaskTool, Parameters: json.RawMessage(`{"type":"object","required":["task"],"properties":{"task":{"type":"string"}}}`)}, run)
}
