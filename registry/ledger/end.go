package ledger

import (
	"maps"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/ledger/history"
	"github.com/wasmtool/wasmtool/registry/ledger/results"
	"github.com/wasmtool/wasmtool/registry/ledger/state"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// End ends the call. It completes and shortens the result, converts err to an *Error, records the
// call and publishes the event. If the Result is Pending, the call stays live until the function
// that Attempt returned is called.
func (e *Entry) End(result tool.Result, err error) (tool.Result, error) {
	result, failure := e.finish(result, err)
	pending := failure == nil && result.Pending
	if e.admitted && !pending {
		e.record(&result, failure)
	}
	e.report(result, failure)
	result = e.shorten(result)
	if e.admitted && pending {
		e.move(state.Pending)
		e.last.await() // must be the last use of e: the result may arrive at any time
	}
	if failure == nil {
		return result, nil
	}
	return result, failure
}

// finish completes a result and its error: labels, duration, warnings, and the message of a
// failure.
func (e *Entry) finish(result tool.Result, err error) (tool.Result, *tool.Error) {
	result.Warnings = append(result.Warnings, e.arguments.Warnings...)
	result.Call.CallRef, result.Call.Duration, result.Call.Waited = e.state.CallRef, time.Since(e.started), e.waited
	if err == nil {
		return result, nil
	}
	failure := callerror.Named(err, e.state.Tool)
	failure.CallID = e.state.ID
	e.logFailure(failure)
	result.IsError = true
	result.Structured = nil
	if len(result.Content) == 0 || result.Check() != nil {
		result.Content, result.Attachments, result.Metadata = []tool.Content{tool.TextContent(errorText(failure))}, nil, nil
	}
	return result, failure
}

// errorText returns the message of a failure for a model.
func errorText(e *tool.Error) string {
	text := e.Error()
	if foreign := e.Details.Foreign(); foreign != "" {
		text += "\n" + foreign
	}
	return text
}

// record records the end of the call in the history, the states and the loop detector, which may
// add a warning to the result.
func (e *Entry) record(result *tool.Result, failure *tool.Error) {
	l := e.ledger
	record := history.Record{
		CallRef: e.state.CallRef, Started: e.started, Duration: result.Call.Duration, Changed: result.Call.Usage.Changed(),
	}
	ended := Event{Kind: EventCompleted}
	if failure != nil {
		record.Code = failure.Code
		ended = Event{Kind: EventFailed, Code: failure.Code}
	}
	if l.history.Wanted() || l.loops.Watches() {
		record.ParametersHash = e.loopCall().Arguments
		record.ResultHash = resultHash(*result, record.Code)
		if p := e.parameters(); len(p) <= history.MaxParameters {
			record.Parameters = p
		}
		if warning := e.noteLoop(record.ResultHash, record.Changed, failure != nil); warning != "" {
			result.Warnings = append(result.Warnings, warning)
		}
	}
	e.stopUpdates()
	if err := e.endState(time.Now(), *result, failure); err != nil {
		l.log.Error("cannot record the end of a call", "call", e.state.ID, "error", err)
	}
	defer e.publish(ended)
	defer callerror.LogPanic(l.log, "the sink of the history", e.state.ID)
	l.history.Add(record)
}

// parameters returns the arguments for the tool, or the arguments as sent if the tool did not get
// any.
func (e *Entry) parameters() []byte {
	if e.arguments.JSON != nil {
		return e.arguments.JSON
	}
	return e.sent
}

// resultHash returns equal hashes for equal results. The message of an internal error contains
// the ID of the call, so it is ignored.
func resultHash(result tool.Result, code tool.Code) string {
	if code == tool.CodeInternal {
		result.Content = nil
	}
	return history.HashResult(result, code)
}

// shorten shortens the texts of a result that are longer than MaxText, and stores the full texts.
func (e *Entry) shorten(result tool.Result) tool.Result {
	o := &e.ledger.o
	if o.MaxText <= 0 {
		return result
	}
	lengths := make([]int, len(result.Content))
	for i, c := range result.Content {
		lengths[i] = len(c.Text)
	}
	shares := results.Shares(lengths, o.MaxText)
	omitted, handles := 0, []string{}
	content := slices.Clone(result.Content) // the executor may still use the original
	for i, c := range content {
		short, cut := results.Shorten(c.Text, shares[i])
		if !cut {
			continue
		}
		handle := ""
		if o.Results != nil {
			handle, _ = o.Results.Keep(results.Owner{Tenant: e.state.Tenant, Session: e.state.Session}, c.Text)
		}
		if handle != "" {
			handles = append(handles, handle)
		}
		omitted += short.Bytes
		content[i] = tool.TextContent(short.Text(handle))
	}
	if omitted == 0 {
		return result
	}
	result.Content = content
	metadata := make(map[string]any)
	maps.Copy(metadata, result.Metadata)
	metadata[tool.MetaTruncated], metadata[tool.MetaOmittedBytes], metadata[tool.MetaHandles] = true, omitted, handles
	result.Metadata = metadata
	return result
}
