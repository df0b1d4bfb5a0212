package registry

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/wasmtool/wasmtool/registry/catalogue"
)

// liveCalls are the calls on their way. It is safe for concurrent use.
type liveCalls struct {
	mu    sync.Mutex
	calls map[*liveCall]struct{}
	holds map[*hold]struct{}
}

// liveCall is what others may know of a call on its way, and how they stop it.
type liveCall struct {
	tenant, session string
	// tool is what the call runs, once it was found; running says that its digest is known
	// without waiting.
	tool    atomic.Pointer[catalogue.Tool]
	running atomic.Bool
	// stop ends the call for a reason.
	stop context.CancelCauseFunc
	done chan struct{} // closed when it has ended
}

// enter notes a call on its way under a context that can be stopped. end takes the note
// away.
func (r *Registry) enter(ctx context.Context, x *execution) (stoppable context.Context, end func()) {
	stoppable, stop := context.WithCancelCause(ctx)
	l := &liveCall{tenant: x.call.Tenant, session: x.call.Session, stop: stop, done: make(chan struct{})}
	x.live = l
	r.live.add(l)
	return stoppable, func() {
		r.live.remove(l)
		close(l.done)
		stop(nil)
	}
}

func (l *liveCalls) add(c *liveCall) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls == nil {
		l.calls = make(map[*liveCall]struct{})
	}
	l.calls[c] = struct{}{}
}

func (l *liveCalls) remove(c *liveCall) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.calls, c)
}

func (l *liveCalls) all() []*liveCall {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]*liveCall, 0, len(l.calls))
	for c := range l.calls {
		list = append(list, c)
	}
	return list
}
