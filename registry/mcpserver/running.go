package mcpserver

import (
	"context"
	"sync"
	"time"
)

// running counts the running calls. It is safe for concurrent use.
type running struct {
	// cancelled is the context of all calls; cancel cancels it.
	cancelled context.Context
	cancel    context.CancelFunc

	mu       sync.Mutex
	calls    map[*oneRunning]struct{}
	draining bool
	idle     chan struct{} // closed when no call is running; nil until drain waits for it
}

type oneRunning struct {
	session string
	cancel  context.CancelFunc
}

func newRunning() *running {
	r := &running{calls: make(map[*oneRunning]struct{})}
	r.cancelled, r.cancel = context.WithCancel(context.Background())
	return r
}

// begin counts a call of a session, until the returned function end is called. ok is false after
// drain. The call must run with the context that begin returns.
func (r *running) begin(ctx context.Context, session string) (_ context.Context, end func(), ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.draining {
		return ctx, nil, false
	}
	ctx, cancel := context.WithCancel(ctx)
	one := &oneRunning{session, cancel}
	r.calls[one] = struct{}{}
	stop := context.AfterFunc(r.cancelled, cancel)
	return ctx, func() {
		stop()
		cancel()
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.calls, one)
		if len(r.calls) == 0 && r.idle != nil {
			close(r.idle)
			r.idle = nil
		}
	}, true
}

// cancelSession cancels the calls of a session.
func (r *running) cancelSession(session string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for one := range r.calls {
		if one.session == session {
			one.cancel()
		}
	}
}

// count returns the number of running calls.
func (r *running) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.calls)
}

// accepting reports whether further calls are accepted.
func (r *running) accepting() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.draining
}

// drain refuses further calls and waits up to grace for the running calls. Then it cancels them and
// waits one more second. It reports whether all have ended.
func (r *running) drain(grace time.Duration) bool {
	r.mu.Lock()
	r.draining = true
	if len(r.calls) > 0 && r.idle == nil {
		r.idle = make(chan struct{})
	}
	idle := r.idle
	r.mu.Unlock()
	if idle == nil || closedWithin(idle, grace) {
		return true
	}
	r.cancel()
	return closedWithin(idle, time.Second)
}

// closedWithin reports whether a channel is closed within d.
func closedWithin(done <-chan struct{}, d time.Duration) bool {
	select {
	case <-done:
		return true
	case <-time.After(d):
		return false
	}
}
