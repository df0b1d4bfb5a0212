package runtime

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// admission says which calls run and which wait. At most limit run at once, and of one
// module a share of them, so that no module shuts out the others. Who waits gets a
// place in turn with the other tenants, and within a tenant in the order of coming. When
// all places to wait are taken, the tenant with most of them makes room for others, and
// within a tenant the module with most of them.
type admission struct {
	limit, perModule, maxWaiting int

	// busy is running, for those who do not hold mu.
	busy atomic.Int64

	mu      sync.Mutex
	running int
	waiting int
	// tenants are those with waiting calls, the one whose turn is next first.
	tenants []*tenantQueue
}

// tenantQueue holds the waiting calls of one tenant; it is never empty.
type tenantQueue struct {
	tenant string
	calls  []*waiter
}

// waiter is a call that waits. decided is closed when it has its place, or has made room
// for a call of a tenant or a module with fewer.
type waiter struct {
	c         *compiled
	decided   chan struct{}
	displaced bool
}

// admit returns when the call may run, and the caller must call leave afterwards. It
// fails at once when too many wait already.
func (a *admission) admit(ctx context.Context, c *compiled, tenant string) error {
	a.mu.Lock()
	if a.hasRoom(c) {
		a.enter(c)
		a.mu.Unlock()
		return nil
	}
	if a.waiting >= a.maxWaiting && !a.displaceFor(tenant, c) {
		a.mu.Unlock()
		return a.full()
	}
	w := &waiter{c: c, decided: make(chan struct{})}
	a.enqueue(tenant, w)
	a.mu.Unlock()
	var done error
	select {
	case <-w.decided:
		if w.displaced {
			return a.full()
		}
		return nil
	case <-ctx.Done():
		done = endOfContext(ctx.Err(), "the call waited for a place among those that run")
	case <-c.r.closing.Done():
		done = &Error{Reason: Cancelled, Message: errClosed.Error(), cause: errClosed}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.remove(tenant, w) && !w.displaced { // it got its place in this moment
		a.exit(c)
	}
	return done
}

// full is the error of a call that can neither run nor wait.
func (a *admission) full() error {
	return &Error{
		Reason: ResourceExhausted, Limit: LimitCalls,
		Message: fmt.Sprintf("%d calls run and %d wait already; try again later", a.limit, max(0, a.maxWaiting)),
	}
}

// displaceFor makes room for one more waiting call of a tenant, at the cost of the tenant
// with most of them, or else of the tenant's own module with most of them, and reports
// whether it did: that one must still have as many.
func (a *admission) displaceFor(tenant string, c *compiled) bool {
	most, own := -1, -1
	for i, q := range a.tenants {
		if q.tenant == tenant {
			own = i
		}
		if most < 0 || len(q.calls) > len(a.tenants[most].calls) {
			most = i
		}
	}
	ownCalls := 0
	if own >= 0 {
		ownCalls = len(a.tenants[own].calls)
	}
	if most >= 0 && len(a.tenants[most].calls) >= ownCalls+2 {
		a.displace(most, len(a.tenants[most].calls)-1)
		return true
	}
	if own < 0 {
		return false
	}
	at := a.tenants[own].lastOfGreediest(c)
	if at >= 0 {
		a.displace(own, at)
	}
	return at >= 0
}

// lastOfGreediest is the index of the last call of the module with most calls, or -1 when
// that has fewer than two more than c.
func (q *tenantQueue) lastOfGreediest(c *compiled) int {
	calls := make(map[*compiled]int)
	for _, w := range q.calls {
		calls[w.c]++
	}
	last, most := -1, calls[c]+1
	for i, w := range slices.Backward(q.calls) {
		if calls[w.c] > most {
			last, most = i, calls[w.c]
		}
	}
	return last
}

// displace takes call at of tenant i off, for another.
func (a *admission) displace(i, at int) {
	w := a.tenants[i].calls[at]
	a.take(i, at)
	w.displaced = true
	close(w.decided)
}

// leave gives back the place of a call.
func (a *admission) leave(c *compiled) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.exit(c)
}

func (a *admission) hasRoom(c *compiled) bool {
	return a.running < a.limit && c.places < a.perModule
}

func (a *admission) enter(c *compiled) {
	a.running++
	a.busy.Store(int64(a.running))
	c.places++
}

// exit takes a call off and lets in who may run now, so that those who still wait have
// no room.
func (a *admission) exit(c *compiled) {
	a.running--
	a.busy.Store(int64(a.running))
	c.places--
	for a.waiting > 0 && a.running < a.limit {
		if !a.admitNext() {
			return
		}
	}
}

// admitNext gives a place to the first call that may have it, and makes its tenant the
// last in turn.
func (a *admission) admitNext() bool {
	for i, q := range a.tenants {
		at := q.first(a)
		if at < 0 {
			continue
		}
		w := q.calls[at]
		a.take(i, at)
		if i < len(a.tenants) && a.tenants[i] == q {
			a.tenants = append(slices.Delete(a.tenants, i, i+1), q)
		}
		a.enter(w.c)
		close(w.decided)
		return true
	}
	return false
}

// first is the index of the first call whose module has room, or -1.
func (q *tenantQueue) first(a *admission) int {
	return slices.IndexFunc(q.calls, func(w *waiter) bool { return a.hasRoom(w.c) })
}

func (a *admission) enqueue(tenant string, w *waiter) {
	a.waiting++
	for _, q := range a.tenants {
		if q.tenant == tenant {
			q.calls = append(q.calls, w)
			return
		}
	}
	a.tenants = append(a.tenants, &tenantQueue{tenant: tenant, calls: []*waiter{w}})
}

// remove takes a waiter off and reports whether it was still there.
func (a *admission) remove(tenant string, w *waiter) bool {
	for i, q := range a.tenants {
		if q.tenant != tenant {
			continue
		}
		if at := slices.Index(q.calls, w); at >= 0 {
			a.take(i, at)
			return true
		}
	}
	return false
}

// take removes a call from the queue of tenant i, and the queue when it was the last.
func (a *admission) take(i, at int) {
	a.waiting--
	q := a.tenants[i]
	q.calls = slices.Delete(q.calls, at, at+1)
	if len(q.calls) == 0 {
		a.tenants = slices.Delete(a.tenants, i, i+1)
	}
}
