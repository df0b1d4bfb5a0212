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

// MaxCalls bounds the calls of one message that are carried out. Those after it fail.
const MaxCalls = 128

// maxParallel bounds the calls that run at a time.
const maxParallel = 8

// Executor runs calls. A *registry.Registry is one.
type Executor interface {
	// Execute calls a tool. A failure gives an error and a Result that tells the model.
	Execute(ctx context.Context, call tool.Call) (tool.Result, error)
}

// Call is a call that a model asks for.
type Call struct {
	// ID is the provider's name for the call; empty where it has none.
	ID string
	// Name is the tool as the model named it.
	Name string
	// Tool is the tool's own name; empty when the definitions have no such tool.
	Tool string
	// Arguments is what the tool is to get, as the model wrote it but for what the
	// definition had changed. It may be no JSON: the registry reads it strictly.
	Arguments json.RawMessage
}

// AnswerOptions say how calls are carried out. The zero value is for a single tenant.
type AnswerOptions struct {
	// Call is what all calls have in common, such as Tenant, Session and Timeout. ID, Tool
	// and Arguments are set for each call.
	Call tool.Call
}

// Turn is a model's message and what came of it.
type Turn struct {
	// Messages are to be appended to the conversation: the model's own and, when it asked
	// for calls, those with their results. For Responses they are items of the input, for
	// Gemini contents.
	Messages []json.RawMessage
	// Text is what the model said, its texts joined.
	Text string
	// Calls are the calls that it asked for, in its order; none means that it is done.
	Calls []Call
	// Results are those of the calls, in the same order. Failures are results too.
	Results []tool.Result
}

// Calls returns the calls that a model asks for, in its order, and runs nothing. message
// is as for Answer.
func (t *Tools) Calls(message []byte) ([]Call, error) {
	r, err := t.provider.parse(message)
	if err != nil {
		return nil, err
	}
	return t.resolve(r.calls), nil
}

// Answer carries out all calls of a model's message and returns what to say back. message
// is the body of the provider's response (not streamed), or just the model's message in it.
//
// Whatever goes wrong with a call is told to the model: a tool that the definitions do not
// have, arguments that are no JSON or do not fit, a tool that fails. Neighbouring calls of
// tools that only read run at the same time, all others alone and in order. The error is
// set when the message is none of the provider's, or ctx is done.
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

// resolve turns the calls of a provider into calls of our tools.
func (t *Tools) resolve(calls []Call) []Call {
	for i := range calls {
		if x := t.find(calls[i].Name); x != nil {
			calls[i].Tool = x.spec.Name
			calls[i].Arguments = x.back.arguments(calls[i].Arguments)
		}
	}
	return calls
}

// find returns a tool by its name in the definitions, as models write it.
func (t *Tools) find(name string) *exported {
	if x := t.byName[name]; x != nil {
		return x
	}
	return t.byName[strings.ToLower(strings.TrimSpace(name))]
}

// run carries out calls, in their order where it may matter.
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

// execute carries out one call.
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

// notFound says that the definitions have no such tool. Others of the registry are not
// spoken of, and not called: what was not offered is not to be had.
func (t *Tools) notFound(name string) string {
	const most = 80
	name = plaintext.Short(name, most)
	names := each.Of(t.tools, func(x *exported) string { return x.name })
	text := fmt.Sprintf("there is no tool %q", name)
	if near := suggest.Nearest(strings.ToLower(name), names); near != "" {
		return text + "; did you mean " + near + "?"
	}
	if len(names) == 0 {
		return text + "; there are no tools"
	}
	return text + "; there are: " + strings.Join(names[:min(len(names), 20)], ", ")
}
