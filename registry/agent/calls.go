package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/ledger/state"
	"github.com/wasmtool/wasmtool/registry/llm"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// maxStepText limits the text of a result that is kept in a step, in bytes.
const maxStepText = 16 << 10

// answer makes the calls of a message and appends the results to the conversation.
func (r *run) answer(m asked) {
	indexes := r.open(m)
	results := r.conversation.tools.Run(m.Calls, func(i int) tool.Result { return r.call(m.Calls[i], indexes[i]) })
	r.conversation.add(m.Message, results)
	if r.o.MaxTokens > 0 && r.usage.Input+r.usage.Output >= r.o.MaxTokens && r.limit == "" {
		r.limit = EndMaxTokens
	}
}

// open adds a step for each call of a message within the limit, and returns the indexes of the
// steps in the order of the calls. Steps of calls that cannot be made end at once.
func (r *run) open(m asked) (indexes []int) {
	for i := range m.Calls {
		call := &m.Calls[i]
		if len(r.steps) >= r.o.MaxToolCalls {
			call.Problem = fmt.Sprintf("not called: the limit of %d calls is reached; report now", r.o.MaxToolCalls)
			r.limit = EndMaxToolCalls
			continue
		}
		step := Step{CallID: r.id(call.ID), Turn: r.turn, ToolName: call.Tool, Arguments: call.Arguments, Thinking: strings.TrimSpace(call.Before)}
		if call.Tool == "" {
			step.ToolName = brief(call.Name)
		}
		if len(step.Arguments) == 0 || json.Unmarshal(step.Arguments, &map[string]json.RawMessage{}) != nil {
			step.Arguments = json.RawMessage("{}")
		}
		if i == 0 && step.Thinking == "" {
			step.Thinking = strings.TrimSpace(m.reasoning)
		}
		r.steps = append(r.steps, step)
		index := len(r.steps) - 1
		indexes = append(indexes, index)
		if call.Problem != "" {
			r.complete(r.begun(index), llm.Failed(call.Problem))
		}
	}
	return indexes
}

// id returns the ID for a call: the model's, or a new one if there is none or it was used before.
func (r *run) id(wanted string) string {
	if wanted == "" || r.used[wanted] {
		return ledger.NewID()
	}
	r.used[wanted] = true
	return wanted
}

// call makes one call.
func (r *run) call(c llm.Call, index int) tool.Result {
	step := r.begun(index)
	call := tool.Call{
		ID: step.CallID, Tool: c.Tool, Arguments: c.Arguments,
		Session: r.request.SessionID, Message: r.request.MessageID, WorkingDirectory: r.request.WorkingDirectory,
		OnUpdate: func(u tool.Update) {
			if u.Title != "" {
				emit(r, r.events.OnProgress, u.Title)
			}
		},
	}
	if r.o.AutoConfirmDangerous {
		call.AutoConfirm = r.confirm
	}
	// A call ends soon after the context of the run is done, so waiting for it is not cancelled.
	result, err := r.tools.Start(r.ctx, call).Result(context.WithoutCancel(r.ctx))
	if errors.Is(err, state.ErrLive) { // another run of the tenant uses the ID; nothing has run
		call.ID = ledger.NewID()
		step.CallID = call.ID
		result, err = r.tools.Start(r.ctx, call).Result(context.WithoutCancel(r.ctx))
	}
	result = llm.ResultOf(c.Name, result, err)
	r.complete(step, result)
	return result
}

// confirm confirms a call that would be asked about, up to the limit.
func (r *run) confirm(tool.CallRef, tool.Spec, tool.AskReason) bool {
	return r.confirmed.Add(1) <= int64(r.o.MaxAutoConfirm)
}

// begun records that a step begins, and returns it. Only the call of a step changes the step.
func (r *run) begun(index int) *Step {
	step := &r.steps[index]
	r.emitting.Lock() // a clock need not be safe for concurrent use
	step.Timestamp = r.o.Now().UnixMilli()
	r.emitting.Unlock()
	emit(r, r.events.OnStepStart, *step)
	return step
}

// complete records the end of a step.
func (r *run) complete(step *Step, result tool.Result) {
	view := cut(result, maxStepText).Output()
	step.Result, step.Status, step.files = &view, StepSuccess, result.Call.Usage.FilesWritten
	if result.IsError {
		step.Status, step.Error = StepFailed, brief(result.Text())
	}
	emit(r, r.events.OnStepComplete, *step)
}
