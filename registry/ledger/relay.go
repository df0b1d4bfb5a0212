package ledger

import (
	"context"
	"log/slog"

	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Relay passes an update of the running tool to the state of the call, to subscribers and to the
// caller. The caller's OnProgress receives the progress in it as well. Relay drops updates after
// the end of the call.
func (e *Entry) Relay(u tool.Update) {
	e.relayMu.Lock()
	defer e.relayMu.Unlock()
	if !e.note(u) {
		return
	}
	if p := u.Progress; p != nil && e.call.OnProgress != nil {
		e.listen(func() { e.call.OnProgress(p.Done, p.Total, p.Message) })
	}
	if e.call.OnUpdate != nil {
		e.listen(func() { e.call.OnUpdate(u) })
	}
}

// listen calls a listener of the caller. It recovers from a panic, so that a panic cannot
// interrupt a guest.
func (e *Entry) listen(call func()) {
	defer callerror.LogPanic(e.ledger.log, "a listener", e.call.ID)
	call()
}

// note merges an update into the state of the call and publishes it. It returns false if the
// update is dropped.
func (e *Entry) note(u tool.Update) bool {
	e.stateMu.Lock()
	defer e.stateMu.Unlock()
	if e.over {
		e.ledger.log.Debug("dropped an update of a call that has ended", "tool", e.state.Tool, "call", e.call.ID)
		return false
	}
	if err := e.update(u); err != nil {
		e.ledger.log.Warn("dropped an update of a call", "tool", e.state.Tool, "call", e.call.ID, "error", err)
		return false
	}
	e.publish(Event{Kind: EventUpdated, Update: u})
	return true
}

// stopUpdates makes Relay drop all further updates. It does not wait for an update that is being
// passed to the caller.
func (e *Entry) stopUpdates() {
	e.stateMu.Lock()
	defer e.stateMu.Unlock()
	e.over = true
}

// Call returns the call for the executor. Its OnProgress and OnUpdate are Relay, so both listeners
// of the caller receive progress, whichever of the two the executor calls. It has no AutoConfirm:
// otherwise a tool that starts a copy of the call would pass the consent on.
func (e *Entry) Call() tool.Call {
	call := *e.call
	call.Arguments = e.sent
	call.AutoConfirm = nil
	call.OnUpdate = e.Relay
	if onLog := call.OnLog; onLog != nil {
		call.OnLog = func(level slog.Level, text string) {
			e.listen(func() { onLog(level, text) })
		}
	}
	call.OnDiagnostics = e.diagnostics()
	call.OnProgress = func(done, total float64, message string) {
		e.Relay(tool.Update{Progress: &tool.Progress{Done: done, Total: total, Message: message}})
	}
	return call
}

// diagnostics returns the listener that logs diagnostics at the level debug and passes them to the
// caller, or nil if neither is wanted. Only the caller gets the stack, because reading it takes
// time.
func (e *Entry) diagnostics() func(tool.Diagnostics) {
	log, listener := e.ledger.log, e.call.OnDiagnostics
	logs := log.Enabled(context.Background(), slog.LevelDebug)
	if !logs && listener == nil {
		return nil
	}
	return func(d tool.Diagnostics) {
		if logs && d.Stderr != "" {
			log.Debug("a tool wrote to standard error", "tool", e.state.Tool, "call", e.call.ID, "stderr", plaintext.Printable(d.Stderr))
		}
		if listener != nil {
			e.listen(func() { listener(d) })
		}
	}
}
