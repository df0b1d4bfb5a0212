// Package admission says which calls run and which wait, fairly between tenants.
package admission

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

// The errors of Enter, besides those of its context.
var (
	// ErrFull: too many wait already.
	ErrFull = errors.New("too many calls wait")
	// ErrClosed: nobody gets a place any more.
	ErrClosed = errors.New("no call gets a place any more")
)

// Options makes a Queue.
type Options struct {
	// Limit is how many calls run at once, and PerClass how many of one class.
	Limit, PerClass int
	// MaxWaiting is how many wait; 0 and less mean none.
	MaxWaiting int
	// Closed lets those who wait go with ErrClosed when it is closed; nil never does.
	Closed <-chan struct{}
}

// Class counts the calls of a kind, such as those of one module. The zero value counts
// none; it belongs to one Queue, which guards it.
type Class struct{ places int }

// Queue says which calls run and which wait. At most Limit run at once, and of one
// class PerClass of them, so that no class shuts out the others. Who waits gets a
// place in turn with the other tenants, and within a tenant in the order of coming. When
// all places to wait are taken, the tenant with most of them makes room for others.
// It is safe for concurrent use; New makes one.
type Queue struct {
	o Options

	// busy is running, for Running.
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
// for a call of a tenant with fewer.
type waiter struct {
	c         *Class
	decided   chan struct{}
	displaced bool
}

// New returns a Queue in which nobody runs or waits.
func New(o Options) *Queue { return &Queue{o: o} }

// Enter returns when a call of a tenant and a class may run, and the caller must call Leave
// afterwards. It fails at once with ErrFull when too many wait already, or later when it
// made room for a tenant with fewer, and with the context's error or ErrClosed.
func (a *Queue) Enter(ctx context.Context, tenant string, c *Class) error {
	a.mu.Lock()
	if a.hasRoom(c) {
		a.enter(c)
		a.mu.Unlock()
		return nil
	}
	if a.waiting >= a.o.MaxWaiting && !a.displaceFor(tenant) {
		a.mu.Unlock()
		return ErrFull
	}
	w := &waiter{c: c, decided: make(chan struct{})}
	a.enqueue(tenant, w)
	a.mu.Unlock()
	var done error
	select {
	case <-w.decided:
		if w.displaced {
			return ErrFull
		}
		return nil
	case <-ctx.Done():
		done = ctx.Err()
	case <-a.o.Closed:
		done = ErrClosed
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.remove(tenant, w) && !w.displaced { // it got its place in this moment
		a.exit(c)
	}
	return done
}

// displaceFor makes room for one more waiting call of a tenant, at the cost of the tenant
// with most of them, and reports whether it did: that one must still have as many.
func (a *Queue) displaceFor(tenant string) bool {
	most, own := -1, 0
	for i, q := range a.tenants {
		if q.tenant == tenant {
			own = len(q.calls)
		}
		if most < 0 || len(q.calls) > len(a.tenants[most].calls) {
			most = i
		}
	}
	if most < 0 || len(a.tenants[most].calls) < own+2 {
		return false
	}
	last := len(a.tenants[most].calls) - 1
	w := a.tenants[most].calls[last]
	a.take(most, last)
	w.displaced = true
	close(w.decided)
	return true
}

// Running is how many calls run. It takes no lock.
func (a *Queue) Running() int { return int(a.busy.Load()) }

// Leave gives back the place of a call.
func (a *Queue) Leave(c *Class) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.exit(c)
}

func (a *Queue) hasRoom(c *Class) bool {
	return a.running < a.o.Limit && c.places < a.o.PerClass
}

func (a *Queue) enter(c *Class) {
	a.running++
	a.busy.Store(int64(a.running))
	c.places++
}

// exit takes a call off and lets in who may run now, so that those who still wait have
// no room.
func (a *Queue) exit(c *Class) {
	a.running--
	a.busy.Store(int64(a.running))
	c.places--
	for a.waiting > 0 && a.running < a.o.Limit {
		if !a.admitNext() {
			return
		}
	}
}

// admitNext gives a place to the first call that may have it, and makes its tenant the
// last in turn.
func (a *Queue) admitNext() bool {
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

// first is the index of the first call whose class has room, or -1.
func (q *tenantQueue) first(a *Queue) int {
	return slices.IndexFunc(q.calls, func(w *waiter) bool { return a.hasRoom(w.c) })
}

func (a *Queue) enqueue(tenant string, w *waiter) {
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
func (a *Queue) remove(tenant string, w *waiter) bool {
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
func (a *Queue) take(i, at int) {
	a.waiting--
	q := a.tenants[i]
	q.calls = slices.Delete(q.calls, at, at+1)
	if len(q.calls) == 0 {
		a.tenants = slices.Delete(a.tenants, i, i+1)
	}
}
