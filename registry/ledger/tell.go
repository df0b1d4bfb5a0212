package ledger

import (
	"log/slog"

	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Tell hands on what the tool tells while it runs: to the state of the call, to who listens
// to events, and to the caller. It hands on nothing after the end.
func (e *Entry) Tell(u tool.Update) {
	e.calling.Lock()
	defer e.calling.Unlock()
	if !e.note(u) || e.call.OnUpdate == nil {
		return
	}
	defer callerror.LogPanic(e.ledger.log, "a listener", e.call.ID)
	e.call.OnUpdate(u)
}

// note takes an update into the state of the call, and reports whether it is to be handed
// on.
func (e *Entry) note(u tool.Update) bool {
	e.telling.Lock()
	defer e.telling.Unlock()
	if e.over {
		e.ledger.log.Debug("a tool tells of a call that is over", "tool", e.state.Tool, "call", e.call.ID)
		return false
	}
	if err := e.update(u); err != nil {
		e.ledger.log.Warn("what a tool tells of its call is dropped", "tool", e.state.Tool, "call", e.call.ID, "error", err)
		return false
	}
	e.publish(Event{Kind: EventUpdated, Update: u})
	return true
}

// silence lets nothing more through. It does not wait for a caller that is being told.
func (e *Entry) silence() {
	e.telling.Lock()
	defer e.telling.Unlock()
	e.over = true
}

// Call is the call as the executor gets it: with listeners that cannot break down in the
// middle of a guest, and that hear what else is told.
func (e *Entry) Call() tool.Call {
	call := e.call
	call.OnUpdate = e.Tell
	if onLog := call.OnLog; onLog != nil {
		call.OnLog = func(level slog.Level, text string) {
			defer callerror.LogPanic(e.ledger.log, "a listener", e.call.ID)
			onLog(level, text)
		}
	}
	onProgress := call.OnProgress
	call.OnProgress = func(done, total float64, message string) {
		e.Tell(tool.Update{Progress: &tool.Progress{Done: done, Total: total, Message: message}})
		if onProgress != nil {
			defer callerror.LogPanic(e.ledger.log, "a listener", e.call.ID)
			onProgress(done, total, message)
		}
	}
	return call
}
