package ledger

import (
	"sync"

	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/ledger/state"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// attempt takes in the result of an attempt that said that it is pending. It is safe for
// concurrent use.
type attempt struct {
	entry *Entry

	mu      sync.Mutex
	outcome *outcome // once it is there
	awaited bool     // the attempt said that it comes
}

// outcome is how a call ended.
type outcome struct {
	result  tool.Result
	failure *tool.Error
}

// Attempt notes that the tool runs, and returns how often it was run so far. complete, which
// may be called from anywhere and at any time, ends the call with the result that the attempt
// said was pending; the first outcome counts.
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

// await has the outcome end the call when it comes, and ends it when it has.
func (a *attempt) await() {
	a.mu.Lock()
	a.awaited = true
	there := a.outcome != nil
	a.mu.Unlock()
	if there {
		a.end()
	}
}

// end ends a call whose result came later: state, history and events tell of it. The receipt
// was given when Execute returned.
func (a *attempt) end() {
	var err error
	if a.outcome.failure != nil {
		err = a.outcome.failure
	}
	result, failure := a.entry.finish(a.outcome.result, err)
	a.entry.move(state.Running)
	a.entry.keep(&result, failure)
}
