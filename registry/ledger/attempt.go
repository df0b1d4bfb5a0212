package ledger

import (
	"sync"

	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/ledger/state"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// attempt receives the result of an attempt whose Result was Pending. It is safe for concurrent
// use.
type attempt struct {
	entry *Entry

	mu      sync.Mutex
	outcome *outcome // nil until the outcome is known
	awaited bool     // the Result of the attempt was Pending
}

// outcome is the result or the error of a call.
type outcome struct {
	result  tool.Result
	failure *tool.Error
}

// Attempt records that the tool runs, and returns the number of the attempt, counted from 1.
// complete ends the call if the Result of the attempt was Pending. It may be called from any
// goroutine at any time; only the first call of it has an effect.
func (e *Entry) Attempt() (n int, complete func(tool.Result, *tool.Error)) {
	if e.attempts++; e.attempts == 1 {
		e.move(state.Running)
	}
	e.last = &attempt{entry: e}
	return e.attempts, e.last.complete
}

func (a *attempt) complete(result tool.Result, failure *tool.Error) {
	if err := result.Check(); err != nil {
		result, failure = tool.Result{}, callerror.Named(err, a.entry.state.Tool)
	}
	a.mu.Lock()
	first := a.outcome == nil
	if first {
		a.outcome = &outcome{result, failure}
	}
	awaited := a.awaited
	a.mu.Unlock()
	if first && awaited {
		a.end()
	}
}

// await ends the call if its outcome is known. Otherwise the function complete ends the call.
func (a *attempt) await() {
	a.mu.Lock()
	a.awaited = true
	known := a.outcome != nil
	a.mu.Unlock()
	if known {
		a.end()
	}
}

// end ends a call whose result was pending: it updates state, history and events. The receipt was
// written when Execute returned.
func (a *attempt) end() {
	var err error
	if a.outcome.failure != nil {
		err = a.outcome.failure
	}
	result, failure := a.entry.finish(a.outcome.result, err)
	a.entry.move(state.Running)
	a.entry.record(&result, failure)
}
