// Package turns says which calls of a registry run and which wait: for a place, for memory of
// their tenant, and for files that another call changes.
package turns

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrFull says that too many wait already.
var ErrFull = errors.New("too many calls wait")

// GaveUp is the error of a call that waited until its context was done.
type GaveUp struct {
	// For is what it waited for in the end.
	For Want
	// Holder is the Need.Name of the call that has the files, if it is one of the same
	// tenant, and Held since when; "" is unknown or another tenant's.
	Holder string
	Held   time.Time
	err    error
}

func (e *GaveUp) Error() string { return "the call waited for " + string(e.For) + ": " + e.err.Error() }

// Unwrap returns the error of the context.
func (e *GaveUp) Unwrap() error { return e.err }

// Want is what a call waits for.
type Want string

// What calls wait for.
const (
	Places Want = "a place"
	Memory Want = "memory"
	Files  Want = "files"
)

// Bounds says how much there is of what calls wait for.
type Bounds struct {
	// Calls is how many calls run at once, and TenantCalls how many of one tenant; 0 and less
	// are no bound.
	Calls, TenantCalls int
	// TenantMemory is how many bytes the calls of one tenant that run need together; 0 is no
	// bound. A call that needs more by itself never runs: whoever asks for it looks first.
	TenantMemory uint64
	// MaxWaiting is how many calls wait: 0 is no bound, and less mean none. When too many
	// wait, the tenant with most of them makes room.
	MaxWaiting int
}

// Need is what a call needs to run. It has all of it or none, so that a call that waits keeps
// nothing from anybody.
type Need struct {
	Tenant string
	// Name is what those of the tenant are told that give up waiting for its files.
	Name string
	// Memory is in bytes.
	Memory uint64
	// Paths are absolute. Each stands for all below it, letters in capitals do not count,
	// since on some file systems they are the same, and links are not followed: two ways to
	// one file that differ by a link are two paths.
	Paths []string
}

// Queue is the calls that run and those that wait. New makes one; it is safe for concurrent
// use.
type Queue struct {
	b Bounds

	mu sync.Mutex
	// turns are the calls that run or wait. Who waits stands in the order of getting its turn.
	turns   []*turn
	running int
	tenants map[string]use // of those that have calls that run
}

// use is what the calls of one tenant that run have.
type use struct {
	calls  int
	memory uint64
}

// turn is a call that runs once ready is closed.
type turn struct {
	need  Need // its paths in the form of normal
	ready chan struct{}
	holds bool
	since time.Time // when it began to hold
	// displaced says that it made room for another, and ready only tells of that.
	displaced bool
}

// New returns a Queue in which nobody runs or waits.
func New(b Bounds) *Queue { return &Queue{b: b, tenants: make(map[string]use)} }

// Enter waits until there is all that a call needs, and returns what gives it back, which
// does nothing when it is called again. Tenants get their turns one after the other, and
// within a tenant the calls in the order of coming. A call that waits for nothing but files
// goes before all later ones that want them; one that its own tenant has no place or no
// memory for keeps no other tenant. Enter fails with a *GaveUp when ctx is done, and with
// ErrFull at once when too many wait already, or later when the call made room for another.
func (q *Queue) Enter(ctx context.Context, need Need) (leave func(), err error) {
	paths := make([]string, len(need.Paths))
	for i, p := range need.Paths {
		paths[i] = normal(p)
	}
	need.Paths = paths
	t := &turn{need: need, ready: make(chan struct{})}
	q.mu.Lock()
	at := q.place(t)
	q.turns = slices.Insert(q.turns, at, t)
	q.admit(at)
	if !t.holds {
		q.makeRoom(t)
	}
	q.mu.Unlock()
	select {
	case <-t.ready:
		if t.displaced {
			return nil, ErrFull
		}
		return func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.remove(t)
		}, nil
	case <-ctx.Done():
		return nil, q.giveUp(t, ctx.Err())
	}
}

// giveUp takes a turn off that waits, and says what it waited for.
func (q *Queue) giveUp(t *turn, err error) *GaveUp {
	q.mu.Lock()
	defer q.mu.Unlock()
	gaveUp := &GaveUp{For: q.lacks(t), err: err}
	for _, other := range q.turns {
		if gaveUp.For == Files && other.holds && other.need.Tenant == t.need.Tenant && t.overlaps(other) {
			gaveUp.Holder, gaveUp.Held = other.need.Name, other.since
			break
		}
	}
	q.remove(t)
	return gaveUp
}

// remove takes a turn off and lets those go on that may now. The lock is held.
func (q *Queue) remove(t *turn) {
	at := slices.Index(q.turns, t)
	if at < 0 {
		return
	}
	q.turns = slices.Delete(q.turns, at, at+1)
	if t.holds {
		own := q.tenants[t.need.Tenant]
		q.running--
		if own.calls--; own.calls == 0 {
			delete(q.tenants, t.need.Tenant)
		} else {
			own.memory -= t.need.Memory
			q.tenants[t.need.Tenant] = own
		}
	}
	for i := range q.turns {
		if q.full() {
			return
		}
		q.admit(i)
	}
}

func (q *Queue) full() bool { return q.b.Calls > 0 && q.running >= q.b.Calls }

// lacks is what a turn that waits has to wait for, files last. The lock is held.
func (q *Queue) lacks(t *turn) Want {
	own := q.tenants[t.need.Tenant]
	switch {
	case q.full() || q.b.TenantCalls > 0 && own.calls >= q.b.TenantCalls:
		return Places
	case q.b.TenantMemory > 0 && t.need.Memory > q.b.TenantMemory-own.memory:
		return Memory
	}
	return Files
}

// admit lets a turn go on, if there is all that it needs and nobody before it waits for that.
// The lock is held.
func (q *Queue) admit(i int) {
	t := q.turns[i]
	if t.holds || q.lacks(t) != Files {
		return
	}
	for k, other := range q.turns {
		if k != i && (other.holds || k < i) && q.isBefore(other, t) {
			return
		}
	}
	own := q.tenants[t.need.Tenant]
	own.calls++
	own.memory += t.need.Memory
	q.tenants[t.need.Tenant] = own
	q.running++
	t.holds, t.since = true, time.Now()
	close(t.ready)
}

// isBefore reports whether a turn has to wait for another that runs, or waits before it. The
// lock is held.
func (q *Queue) isBefore(other, t *turn) bool {
	if other.holds {
		return t.overlaps(other)
	}
	switch q.lacks(other) {
	case Memory: // or smaller calls of the tenant would keep it waiting for ever
		return other.need.Tenant == t.need.Tenant && t.need.Memory > 0
	case Files:
		return t.overlaps(other)
	}
	return false
}

func (t *turn) overlaps(other *turn) bool {
	for _, p := range t.need.Paths {
		for _, q := range other.need.Paths {
			if overlap(p, q) {
				return true
			}
		}
	}
	return false
}
