package registry

import (
	"log/slog"
	"sync"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// teller hands on what a tool tells while it runs: to the state of the call, to who
// listens to events, and to the caller. It hands on nothing after the end. It is safe for
// concurrent use.
type teller struct {
	r *Registry
	x *execution

	// calling is held for an update as a whole, so that they come one at a time; over is
	// guarded by mu, which nobody holds for long.
	calling sync.Mutex
	mu      sync.Mutex
	over    bool
}

func (t *teller) open(r *Registry, x *execution) { t.r, t.x = r, x }

// close lets nothing more through. It does not wait for a caller that is being told.
func (t *teller) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
}

// tell hands on an update.
func (t *teller) tell(u tool.Update) {
	t.calling.Lock()
	defer t.calling.Unlock()
	if !t.note(u) || t.x.call.OnUpdate == nil {
		return
	}
	defer t.r.recovered("a listener", t.x)
	t.x.call.OnUpdate(u)
}

// note takes an update into the state of the call, and reports whether it is to be handed
// on.
func (t *teller) note(u tool.Update) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		t.r.log.Debug("a tool tells of a call that is over", "tool", t.x.toolName(), "call", t.x.call.ID)
		return false
	}
	if err := t.x.state.Update(u); err != nil {
		t.r.log.Warn("what a tool tells of its call is dropped", "tool", t.x.toolName(), "call", t.x.call.ID, "error", err)
		return false
	}
	t.r.tell(t.x, Event{Kind: EventUpdated, Update: u})
	return true
}

// call is the call as the executor gets it: with listeners that cannot break down in the
// middle of a guest, and that hear what else is told.
func (t *teller) call() tool.Call {
	call := t.x.call
	call.OnUpdate = t.tell
	if onLog := call.OnLog; onLog != nil {
		call.OnLog = func(level slog.Level, text string) {
			defer t.r.recovered("a listener", t.x)
			onLog(level, text)
		}
	}
	onProgress := call.OnProgress
	call.OnProgress = func(done, total float64, message string) {
		t.tell(tool.Update{Progress: &tool.Progress{Done: done, Total: total, Message: message}})
		if onProgress != nil {
			defer t.r.recovered("a listener", t.x)
			onProgress(done, total, message)
		}
	}
	return call
}
