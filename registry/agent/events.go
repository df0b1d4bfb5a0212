package agent

import "runtime/debug"

// Events are functions that are called during a run, one at a time, in the order of what happens.
// The run waits for them. Each may be nil. A panic of one is logged and has no other effect.
type Events struct {
	// OnStepStart is called when a call begins, and OnStepComplete when it has ended. Steps that
	// run concurrently complete in any order.
	OnStepStart    func(Step)
	OnStepComplete func(Step)
	// OnStepSummary is called when the Summary of a step is known.
	OnStepSummary func(Step)
	// OnTextChunk receives the text of the model as it arrives.
	OnTextChunk func(text string)
	// OnProgress receives a short line about what the agent or a tool is doing. A tool may have
	// written it: escape it before you print it.
	OnProgress func(message string)
	// OnError is called if the run fails.
	OnError func(message string)
}

// emit calls a function of r.events with value, unless it is nil. It does nothing after the end of
// the run, because a tool that hangs may still send updates.
func emit[T any](r *run, event func(T), value T) {
	r.emitting.Lock()
	defer r.emitting.Unlock()
	if event == nil || r.ended {
		return
	}
	defer func() {
		if panicked := recover(); panicked != nil {
			r.o.Logger.Error("panic in an event of an agent", "panic", panicked, "stack", string(debug.Stack()))
		}
	}()
	event(value)
}
