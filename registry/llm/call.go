package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	ID string
	// Name is the name of the tool as the model wrote it.
	Name string
	// Tool is the tool's own name; empty if the definitions have no such tool.
	Tool string
	// Arguments are the arguments for the tool, as the model wrote them. Names and nulls that
	// the definition changed are changed back. They may be invalid JSON: the registry checks
	// them strictly.
	Arguments json.RawMessage
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
	r, err := t.provider.parse(message)
	if err != nil {
		return nil, err
	}
	return t.resolve(r.calls), nil
}

// Answer runs all calls in a model's message and returns the messages to send next. message is
// the body of the provider's response (not streamed), or only the model's message from it.
//
// A call that fails gets a result with a message for the model. Reasons are a tool that is not
// defined, invalid arguments, or a failure of the tool. Adjacent calls to tools that only read run
// concurrently; every other call runs alone, in order. Answer returns an error if message is not a
// message of the provider, if the model stopped without text and calls (the error has the
// provider's reason), or if ctx is done.
func (t *Tools) Answer(ctx context.Context, executor Executor, message []byte, o AnswerOptions) (Turn, error) {
	r, err := t.provider.parse(message)
	if err != nil {
		return Turn{}, err
	}
	turn := Turn{Text: r.text, Calls: t.resolve(r.calls)}
	turn.Results = t.run(ctx, executor, turn.Calls, o.Call)
	if err := ctx.Err(); err != nil {
		return Turn{}, err
	}
	out := r.own
	if len(turn.Calls) > 0 {
		out = append(out, t.provider.answer(turn.Calls, each.Of(turn.Results, newOutcome))...)
	}
	turn.Messages = each.Of(out, (*jsontree.Value).JSON)
	return turn, nil
}

// resolve sets Tool and converts Arguments back in calls to tools that are defined.
func (t *Tools) resolve(calls []Call) []Call {
	for i := range calls {
		if x := t.find(calls[i].Name); x != nil {
			calls[i].Tool = x.spec.Name
			calls[i].Arguments = x.back.arguments(calls[i].Arguments)
		}
	}
	return calls
}

// find returns the tool with a name in the definitions, or nil. It ignores upper case and white
// space around the name, which models sometimes add.
func (t *Tools) find(name string) *exported {
	if x := t.byName[name]; x != nil {
		return x
	}
	return t.byName[strings.ToLower(strings.TrimSpace(name))]
}

// run executes calls. Calls whose order may matter run one at a time.
func (t *Tools) run(ctx context.Context, executor Executor, calls []Call, like tool.Call) []tool.Result {
	results := make([]tool.Result, len(calls))
	slots := make(chan struct{}, maxParallel)
	var running sync.WaitGroup
	for i, call := range calls {
		x := t.find(call.Name)
		switch {
		case i >= MaxCalls:
			results[i] = failed(fmt.Sprintf("too many calls in one message; ask for at most %d", MaxCalls))
		case x == nil:
			results[i] = failed(t.notFound(call.Name))
		case x.alone:
			running.Wait()
			results[i] = execute(ctx, executor, call, like)
		default:
			slots <- struct{}{}
			running.Go(func() {
				defer func() { <-slots }()
				results[i] = execute(ctx, executor, call, like)
			})
		}
	}
	running.Wait()
	return results
}

// execute runs one call.
func execute(ctx context.Context, executor Executor, call Call, like tool.Call) tool.Result {
	like.ID, like.Tool, like.Arguments = "", call.Tool, call.Arguments
	result, err := executor.Execute(ctx, like)
	if err == nil {
		return result
	}
	result.IsError = true
	if len(result.Content) == 0 {
		var e *tool.Error
		text := call.Name + ": the call failed"
		if errors.As(err, &e) {
			text = e.Error()
		}
		result.Content = []tool.Content{tool.TextContent(text)}
	}
	return result
}

func failed(text string) tool.Result {
	return tool.Result{IsError: true, Content: []tool.Content{tool.TextContent(text)}}
}

// notFound returns the message for a name that no definition has. It lists only defined tools:
// other tools of the registry cannot be called and are not disclosed.
func (t *Tools) notFound(name string) string {
	const maxName = 80
	name = plaintext.Short(name, maxName)
	names := each.Of(t.tools, func(x *exported) string { return x.name })
	text := fmt.Sprintf("there is no tool %q", name)
	if near := suggest.Nearest(strings.ToLower(name), names); near != "" {
		return text + "; did you mean " + near + "?"
	}
	if len(names) == 0 {
		return text + "; there are no tools"
	}
	return text + "; the tools are: " + strings.Join(names[:min(len(names), 20)], ", ")
}
