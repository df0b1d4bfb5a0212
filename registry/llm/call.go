package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/suggest"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// MaxCalls limits the calls that run for one message. All further calls fail.
const MaxCalls = 128

// maxParallel limits the calls that run concurrently.
const maxParallel = 8

// Executor runs calls. It is implemented by *registry.Registry.
type Executor interface {
	// Execute calls a tool. A failure returns an error and a Result with a message for the model.
	Execute(ctx context.Context, call tool.Call) (tool.Result, error)
}

// Call is a tool call requested by a model.
type Call struct {
	// ID is the provider's ID of the call; empty if the provider sent none.
	ID string `json:"id,omitempty"`
	// Name is the name of the tool as the model wrote it.
	Name string `json:"name"`
	// Tool is the tool's own name; empty if the definitions have no such tool.
	Tool string `json:"tool,omitempty"`
	// Arguments are the arguments for the tool, as the model wrote them. Names and nulls that
	// the definition changed are changed back. They may be invalid JSON: the registry checks
	// them strictly.
	Arguments json.RawMessage `json:"arguments"`
	// Before is the text of the message between the call before and this one.
	Before string `json:"-"`
	// Problem is the reason, for the model, why the call cannot be made: there is no such tool, the
	// arguments were cut off, or the message has too many calls. Empty means that it can be made.
	Problem string `json:"problem,omitempty"`
}

// Message is a model's message, as [Tools.Read] returns it. Its zero value has no text and no
// calls.
type Message struct {
	// Text is the text in the message, with all parts joined.
	Text string
	// Calls are the calls that the model requests, in the order of its message.
	Calls []Call
	// Refused is set if the model or the provider refused to answer. Text is then what was said
	// instead, or the part of an answer that came before.
	Refused bool
	// Truncated is set if the limit on output tokens ended the message.
	Truncated bool

	own []*jsontree.Value
}

// AnswerOptions control how [Tools.Answer] runs calls. The zero value suits a single tenant.
type AnswerOptions struct {
	// Call has the fields that all calls share, such as Tenant, Session and Timeout. Answer
	// sets ID, Tool and Arguments for each call.
	Call tool.Call
}

// Turn is a model's message, with the results of its calls.
type Turn struct {
	// Messages are the messages to append to the conversation: the model's own message and, if it
	// requested calls, the messages with the results. In the format OpenAIResponses they are input
	// items, and in Gemini contents.
	Messages []json.RawMessage
	// Text is the text in the model's message, with all parts joined.
	Text string
	// Calls are the calls that the model requested, in the order of its message. Without calls, the
	// model is done.
	Calls []Call
	// Results are the results of Calls, in the same order. A failed call also has a result.
	Results []tool.Result
}

// Calls returns the calls that a model requests, in the order of its message, without running them.
// message is the same as for [Tools.Answer].
func (t *Tools) Calls(message []byte) ([]Call, error) {
	m, err := t.Read(message)
	return m.Calls, err
}

// Answer runs all calls in a model's message and returns the messages to send next. message is
// the body of the provider's response, or only the model's message from it. The body of a streamed
// response comes from [ReadStream].
//
// A call that fails gets a result with a message for the model. Reasons are a tool that is not
// defined, invalid arguments, or a failure of the tool. Adjacent calls to tools that only read run
// concurrently; every other call runs alone, in order. Answer returns an error if message is not a
// message of the provider, if the model stopped without text and calls (then a [*StopError]), or if
// ctx is done.
func (t *Tools) Answer(ctx context.Context, executor Executor, message []byte, o AnswerOptions) (Turn, error) {
	m, err := t.Read(message)
	if err != nil {
		return Turn{}, err
	}
	results := t.Run(m.Calls, func(i int) tool.Result {
		call := o.Call
		call.ID, call.Tool, call.Arguments = "", m.Calls[i].Tool, m.Calls[i].Arguments
		result, err := executor.Execute(ctx, call)
		return ResultOf(m.Calls[i].Name, result, err)
	})
	if err := ctx.Err(); err != nil {
		return Turn{}, err
	}
	return Turn{Messages: t.Reply(m, results), Text: m.Text, Calls: m.Calls, Results: results}, nil
}

// Read reads a model's message. message is the same as for [Tools.Answer], and the errors are the
// same.
func (t *Tools) Read(message []byte) (Message, error) {
	r, err := t.format.parse(t.provider, message)
	if err != nil {
		return Message{}, err
	}
	for i := range r.calls {
		t.resolve(&r.calls[i], i, r.truncated && i == len(r.calls)-1)
	}
	return Message{Text: string(r.text), Calls: r.calls, Refused: r.refused, Truncated: r.truncated, own: r.own}, nil
}

// Reply returns the messages to append to the conversation after m: the model's own message and the
// results of its calls, in the same order. A result that is missing counts as an empty failure.
func (t *Tools) Reply(m Message, results []tool.Result) []json.RawMessage {
	out := m.own
	if len(m.Calls) > 0 {
		outcomes := make([]outcome, len(m.Calls))
		for i := range outcomes {
			outcomes[i] = newOutcome(tool.Result{IsError: true})
			if i < len(results) {
				outcomes[i] = newOutcome(results[i])
			}
		}
		out = append(slices.Clip(out), t.provider.answer(m.Calls, outcomes)...)
	}
	return each.Of(out, (*jsontree.Value).JSON)
}

// resolve sets Tool and converts Arguments back in a call to a tool that is defined. It sets
// Problem if the call cannot be made. i is the index of the call in its message, and cut is set if
// the message ended in this call.
func (t *Tools) resolve(call *Call, i int, cut bool) {
	x := t.find(call.Name)
	switch {
	case i >= MaxCalls:
		call.Problem = fmt.Sprintf("too many calls in one message; ask for at most %d", MaxCalls)
	case x == nil:
		call.Problem = t.notFound(call.Name)
	case cut && !isObject(call.Arguments):
		call.Problem = "not called: the message reached the limit on output tokens before the arguments were complete; make a shorter call"
	}
	if x != nil {
		call.Tool, call.Arguments = x.spec.Name, x.back.arguments(call.Arguments)
	}
}

// find returns the tool with a name in the definitions, or nil. It ignores upper case and white
// space around the name, which models sometimes add.
func (t *Tools) find(name string) *exported {
	if x := t.byName[name]; x != nil {
		return x
	}
	return t.byName[strings.ToLower(strings.TrimSpace(name))]
}

// Run passes the index of each call without a Problem to the function execute, and returns the
// results in the order of the calls. A call with a Problem gets a failed result with its text.
// Adjacent calls to tools that only read are executed concurrently, at most eight at a time; every
// other call is executed alone, in order.
func (t *Tools) Run(calls []Call, execute func(i int) tool.Result) []tool.Result {
	results := make([]tool.Result, len(calls))
	slots := make(chan struct{}, maxParallel)
	var running sync.WaitGroup
	for i, call := range calls {
		x := t.find(call.Name)
		switch {
		case call.Problem != "" || x == nil:
			results[i] = Failed(call.Problem)
		case x.alone:
			running.Wait()
			results[i] = execute(i)
		default:
			slots <- struct{}{}
			running.Go(func() {
				defer func() { <-slots }()
				results[i] = execute(i)
			})
		}
	}
	running.Wait()
	return results
}

// ResultOf returns the result for the model of a call that registry.Registry.Execute answered with
// result and err. A failed call has a text. name is the name of the tool for the model.
func ResultOf(name string, result tool.Result, err error) tool.Result {
	if err == nil {
		return result
	}
	result.IsError = true
	if len(result.Content) == 0 {
		text := name + ": the call failed"
		if e, ok := errors.AsType[*tool.Error](err); ok {
			text = e.Error()
		}
		result.Content = []tool.Content{tool.TextContent(text)}
	}
	return result
}

// Execute makes one call, for a program that reads the model's messages itself, such as an agent
// framework. name and arguments are as the model wrote them: Execute finds the tool and changes
// names and nulls back, as [Tools.Read] does. like has the fields that all calls share; its ID,
// Tool and Arguments have no effect.
//
// A failed call returns both an error and a Result. The message of the error is for the model.
// [tool.CodeOf] returns the code of the error: not_found if no definition has the name, otherwise
// the code from executor. Execute is safe for concurrent use.
func (t *Tools) Execute(ctx context.Context, executor Executor, name string, arguments json.RawMessage, like tool.Call) (tool.Result, error) {
	call := Call{Name: name, Arguments: arguments}
	t.resolve(&call, 0, false)
	if call.Problem != "" {
		return Failed(call.Problem), &tool.Error{Code: tool.CodeNotFound, Message: call.Problem, Recoverable: true}
	}
	like.ID, like.Tool, like.Arguments = "", call.Tool, call.Arguments
	result, err := executor.Execute(ctx, like)
	if err == nil {
		return result, nil
	}
	result = ResultOf(name, result, err)
	return result, &failure{message: newOutcome(result).text, cause: err}
}

// failure is the error of a failed call, with the message for the model.
type failure struct {
	message string
	cause   error
}

func (f *failure) Error() string { return f.message }

func (f *failure) Unwrap() error { return f.cause }

// Failed returns a failed result with a text.
func Failed(text string) tool.Result {
	return tool.Result{IsError: true, Content: []tool.Content{tool.TextContent(text)}}
}

// notFound returns the message for a name that no definition has. It lists only defined tools:
// other tools of the registry cannot be called and are not disclosed.
func (t *Tools) notFound(name string) string {
	const maxName = 80
	name = plaintext.Short(name, maxName)
	names := each.Of(t.tools, func(x *exported) string { return x.name })
	text := fmt.Sprintf("the tool %q does not exist", name)
	if near := suggest.Nearest(strings.ToLower(name), names); near != "" {
		return text + "; did you mean " + near + "?"
	}
	if len(names) == 0 {
		return text + "; there are no tools"
	}
	return text + "; the tools are: " + strings.Join(names[:min(len(names), 20)], ", ")
}
