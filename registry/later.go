package registry

import (
	"sync"

	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/ledger/state"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// later takes in the result of an attempt that said that it is pending. It is safe for
// concurrent use.
type later struct {
	r *Registry
	x *execution

	mu      sync.Mutex
	outcome *outcome // once it is there
	awaited bool     // the attempt said that it comes
}

// outcome is how a call ended.
type outcome struct {
	result  tool.Result
	failure *tool.Error
}

// complete is what an executor calls, from anywhere and at any time. The first outcome
// counts.
func (l *later) complete(result tool.Result, failure *tool.Error) {
	if err := result.Check(); err != nil {
		result, failure = tool.Result{}, callerror.Named(err, l.x.toolName())
	}
	l.mu.Lock()
	if l.outcome != nil {
		l.mu.Unlock()
		return
	}
	o := &outcome{result, failure}
	l.outcome = o
	awaited := l.awaited
	l.mu.Unlock()
	if awaited {
		l.r.concludeLater(l.x, o)
	}
}

// await has the outcome end the call when it comes, or returns it when it has.
func (l *later) await() *outcome {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.awaited = true
	return l.outcome
}

// keepLater keeps what is kept of a call whose result is pending: it stays on its way.
func (r *Registry) keepLater(x *execution) {
	r.move(x, state.Pending)
	if o := x.later.await(); o != nil {
		r.concludeLater(x, o)
	}
}

// concludeLater ends a call whose result came later: state, history and events tell of it.
// The receipt was given when Execute returned.
func (r *Registry) concludeLater(x *execution, o *outcome) {
	var err error
	if o.failure != nil {
		err = o.failure
	}
	result, failure := x.finish(o.result, err)
	r.move(x, state.Running)
	r.keep(x, &result, failure)
}
