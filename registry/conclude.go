package registry

import (
	"time"

	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/ledger/history"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// conclude ends a call: it completes the result, keeps what is kept of calls, and tells
// those who listen.
func (r *Registry) conclude(x *execution, result tool.Result, err error) (tool.Result, error) {
	result, failure := x.finish(result, err)
	pending := failure == nil && result.Pending
	if x.state != nil && !pending {
		r.keep(x, &result, failure)
	}
	r.report(x, result, failure)
	result = r.shorten(x, result)
	if x.state != nil && pending {
		r.keepLater(x) // the last that is done with x here: its result may come at any time
	}
	if failure == nil {
		return result, nil
	}
	return result, failure
}

// finish completes a result and its error: names, duration, warnings, and for a
// failure the text that stands for it.
func (x *execution) finish(result tool.Result, err error) (tool.Result, *tool.Error) {
	result.Warnings = append(result.Warnings, x.arguments.Warnings...)
	result.Call.CallRef, result.Call.Duration, result.Call.Waited = x.ref(), time.Since(x.started), x.waited
	if err == nil {
		return result, nil
	}
	e := callerror.Named(err, x.toolName())
	e.CallID = x.call.ID
	result.IsError = true
	result.Structured = nil
	if len(result.Content) == 0 || result.Check() != nil {
		result.Content, result.Attachments, result.Metadata = []tool.Content{tool.TextContent(errorText(e))}, nil, nil
	}
	return result, e
}

// keep enters the end of a call in history, states and the search for loops, which may add
// a warning to the result.
func (r *Registry) keep(x *execution, result *tool.Result, failure *tool.Error) {
	record := history.Record{
		CallRef: x.ref(),
		Started: x.started, Duration: result.Call.Duration, Changed: result.Call.Usage.Changed(),
	}
	if failure != nil {
		record.Code = failure.Code
	}
	if r.history.Wanted() || r.loops.Watches(x.call.Session) {
		record.ParametersHash = x.loopCall().Arguments
		record.ResultHash = resultHash(*result, record.Code)
		if p := x.parameters(); len(p) <= history.MaxParameters {
			record.Parameters = p
		}
		if warning := r.noteLoop(x, record.ResultHash, record.Changed, failure != nil); warning != "" {
			result.Warnings = append(result.Warnings, warning)
		}
	}
	x.teller.close()
	ended := Event{Kind: EventCompleted, Code: record.Code}
	if failure != nil {
		ended.Kind = EventFailed
	}
	if err := x.state.End(time.Now(), *result, failure); err != nil {
		r.log.Error("the end of a call is not kept", "call", x.call.ID, "error", err)
	}
	defer r.tell(x, ended)
	defer r.recovered("the sink of the history", x)
	r.history.Add(record)
}

// resultHash is equal for results that tell the same. What failed inside of wasmtool names
// the call, so that its text does not count.
func resultHash(result tool.Result, code tool.Code) string {
	if code == tool.CodeInternal {
		result.Content = nil
	}
	return history.HashResult(result, code)
}

// errorText is what a model reads of a failure.
func errorText(e *tool.Error) string {
	text := e.Error()
	if foreign := e.Details.Foreign(); foreign != "" {
		text += "\n" + foreign
	}
	return text
}
