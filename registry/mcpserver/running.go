package mcpserver

import (
	"context"
	"sync"
	"time"
)

// running are the calls that run. It is safe for concurrent use.
type running struct {
	// cancelled is done when the calls are to end at once; cancel makes it so.
	cancelled context.Context
	cancel    context.CancelFunc

	mu       sync.Mutex
	n        int
	draining bool
	idle     chan struct{} // closed when nothing runs any more; nil until somebody waits
}

func newRunning() *running {
	r := &running{}
	r.cancelled, r.cancel = context.WithCancel(context.Background())
	return r
}

// begin counts a call, unless none is taken any more. end counts it off.
func (r *running) begin() (end func(), ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.draining {
		return nil, false
	}
	r.n++
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.n--
		if r.n == 0 && r.idle != nil {
			close(r.idle)
			r.idle = nil
		}
	}, true
}

// count is how many calls run.
func (r *running) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.n
}

// accepting reports whether calls are taken.
func (r *running) accepting() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.draining
}

// drain takes no further calls, gives those that run a time to end, then cancels them and
// gives them a second more. It reports whether all ended.
func (r *running) drain(grace time.Duration) bool {
	r.mu.Lock()
	r.draining = true
	if r.n > 0 && r.idle == nil {
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

// closedWithin waits for a channel to be closed, but not for longer than d.
func closedWithin(done <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
