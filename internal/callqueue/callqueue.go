// Package callqueue decides which calls run and which wait: for a place among those that run,
// for memory of their tenant, and for files that another call changes.
package callqueue

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wasmtool/wasmtool/internal/each"
)

// The errors of Enter, besides *GaveUp.
var (
	// ErrFull: too many calls wait already.
	ErrFull = errors.New("too many calls wait")
	// ErrClosed: Bounds.Closed was closed.
	ErrClosed = errors.New("the queue is closed")
)

// GaveUp is the error of a call that waited until its context was done, or for Bounds.Timeout.
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

// Unwrap returns the error of the context, or context.DeadlineExceeded.
func (e *GaveUp) Unwrap() error { return e.err }

// Want is what a call waits for.
type Want string

// What calls wait for.
const (
	Places Want = "a place"
	Memory Want = "memory"
	Files  Want = "files"
)

// Bounds says how much there is of what calls wait for. The zero value bounds nothing.
type Bounds struct {
	// Calls is how many calls run at once, TenantCalls how many of one tenant, and ClassCalls
	// how many of one class, so that no class shuts out the others; 0 and less are no bound.
	Calls, TenantCalls, ClassCalls int
	// TenantMemory is how many bytes the calls of one tenant that run need together; 0 is no
	// bound. A call that needs more by itself never runs: whoever asks for it looks first.
	TenantMemory uint64
	// MaxWaiting is how many calls wait: 0 is no bound, and less mean none. When too many
	// wait, the tenant with most of them makes room, and within a tenant the class.
	MaxWaiting int
	// Timeout is how long a call waits; 0 and less are no bound.
	Timeout time.Duration
	// Closed ends all waiting with ErrClosed when it is closed; nil never does.
	Closed <-chan struct{}
}

// Need is what a call needs to run. It has all of it or none, so that a call that waits keeps
// nothing from anybody.
type Need struct {
	Tenant string
	// Class is nil where Bounds.ClassCalls is no bound.
	Class *Class
	// Name is what those of the tenant are told that give up waiting for its files.
	Name string
	// Memory is in bytes.
	Memory uint64
	// Paths are absolute. Each stands for all below it, letters in capitals do not count,
	// since on some file systems they are the same, and links are not followed: two ways to
	// one file that differ by a link are two paths.
	Paths []string
}

// Class counts the calls of a kind that run, such as those of one module. It belongs to one
// Queue, which guards it, and its Name to no other class there.
type Class struct {
	Name    string
	running int
}

// Queue is the calls that run and those that wait. New makes one; it is safe for concurrent
// use.
type Queue struct {
	b Bounds
	// running is changed with the lock held.
	running atomic.Int64

	mu      sync.Mutex
	waiting []*Turn            // in the order of getting their turns
	holding []*Turn            // those that run and have files
	tenants map[string]*tenant // those that have calls here
}

// tenant counts the calls of a tenant, and what those that run need.
type tenant struct {
	running, waiting int
	memory           uint64
}

// Turn is a call that runs, or waits to.
type Turn struct {
	q     *Queue
	need  Need          // its paths in the form of normal
	ready chan struct{} // closed when it runs or is displaced; nil if it never waited
	own   *tenant
	// These change with the lock held, up to the closing of ready.
	state  state
	before int       // how many of its tenant wait before it
	since  time.Time // when it got its files
}

type state int

const (
	waits state = iota
	runs
	displaced // made room for another
	ended
)

// New returns a Queue in which nobody runs or waits.
func New(b Bounds) *Queue { return &Queue{b: b, tenants: make(map[string]*tenant)} }

// Running is how many calls run. It takes no lock.
func (q *Queue) Running() int { return int(q.running.Load()) }

// Enter waits until there is all that a call needs; the caller must call Leave of its Turn
// afterwards. Tenants get their turns one after the other, and within a tenant the calls in
// the order of coming. A call that waits for nothing but files goes before all later ones
// that want them; one that its own tenant or its class has no place for, or its tenant no
// memory, keeps no other. Enter fails with a *GaveUp when ctx is done or the call waited for
// too long, with ErrClosed, and with ErrFull at once when too many wait already, or later when
// the call made room for another.
func (q *Queue) Enter(ctx context.Context, need Need) (*Turn, error) {
	t := &Turn{q: q, need: need}
	t.need.Paths = each.Of(need.Paths, normal)
	q.mu.Lock()
	t.own = q.tenants[need.Tenant]
	if t.own == nil {
		t.own = new(tenant)
		q.tenants[need.Tenant] = t.own
	}
	at := q.place(t)
	if q.mayRun(t, q.waiting[:at]) {
		q.run(t)
		q.mu.Unlock()
		return t, nil
	}
	t.ready = make(chan struct{})
	q.waiting = slices.Insert(q.waiting, at, t)
	t.own.waiting++
	q.makeRoom(t)
	q.mu.Unlock()
	var late <-chan time.Time
	if q.b.Timeout > 0 {
		timer := time.NewTimer(q.b.Timeout)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-t.ready:
		if t.state == displaced {
			return nil, ErrFull
		}
		return t, nil
	case <-ctx.Done():
		return nil, q.giveUp(t, ctx.Err())
	case <-late:
		return nil, q.giveUp(t, context.DeadlineExceeded)
	case <-q.b.Closed:
		t.Leave()
		return nil, ErrClosed
	}
}

// Leave gives back what the call has, and lets those go on that may now. Leaving again does
// nothing.
func (t *Turn) Leave() {
	t.q.mu.Lock()
	defer t.q.mu.Unlock()
	t.q.end(t, ended)
}

// giveUp takes a turn off that waits, and says what it waited for.
func (q *Queue) giveUp(t *Turn, err error) *GaveUp {
	q.mu.Lock()
	defer q.mu.Unlock()
	gaveUp := &GaveUp{For: q.lacks(t), err: err}
	for _, other := range q.holding {
		if gaveUp.For == Files && other.own == t.own && t.overlaps(other) {
			gaveUp.Holder, gaveUp.Held = other.need.Name, other.since
			break
		}
	}
	q.end(t, ended)
	return gaveUp
}

// The lock is held in all that follows.

// run lets a turn go on.
func (q *Queue) run(t *Turn) {
	t.state = runs
	q.running.Add(1)
	t.own.running++
	t.own.memory += t.need.Memory
	if t.need.Class != nil {
		t.need.Class.running++
	}
	if len(t.need.Paths) > 0 {
		t.since = time.Now()
		q.holding = append(q.holding, t)
	}
}

// end takes a turn off that runs or waits, and lets those go on that may now.
func (q *Queue) end(t *Turn, to state) {
	switch t.state {
	case runs:
		q.running.Add(-1)
		t.own.running--
		t.own.memory -= t.need.Memory
		if t.need.Class != nil {
			t.need.Class.running--
		}
		if at := slices.Index(q.holding, t); at >= 0 {
			q.holding = slices.Delete(q.holding, at, at+1)
		}
	case waits:
		q.stopWaiting(slices.Index(q.waiting, t))
	default:
		return
	}
	t.state = to
	if *t.own == (tenant{}) {
		delete(q.tenants, t.need.Tenant)
	}
	for i := 0; i < len(q.waiting) && !q.full(); {
		next := q.waiting[i]
		if !q.mayRun(next, q.waiting[:i]) {
			i++
			continue
		}
		q.stopWaiting(i)
		q.run(next)
		close(next.ready)
	}
}

// stopWaiting takes a turn off those that wait.
func (q *Queue) stopWaiting(at int) {
	own := q.waiting[at].own
	own.waiting--
	q.waiting = slices.Delete(q.waiting, at, at+1)
	for _, behind := range q.waiting[at:] {
		if behind.own == own {
			behind.before--
		}
	}
}

func (q *Queue) full() bool { return q.b.Calls > 0 && q.Running() >= q.b.Calls }

// lacks is what a turn that waits has to wait for, files last.
func (q *Queue) lacks(t *Turn) Want {
	switch b := q.b; {
	case q.full(), b.ClassCalls > 0 && t.need.Class.running >= b.ClassCalls, b.TenantCalls > 0 && t.own.running >= b.TenantCalls:
		return Places
	case b.TenantMemory > 0 && t.need.Memory > b.TenantMemory-t.own.memory:
		return Memory
	}
	return Files
}

// mayRun reports whether there is all that a turn needs and none of those that wait before it
// waits for that.
func (q *Queue) mayRun(t *Turn, before []*Turn) bool {
	if q.lacks(t) != Files || slices.ContainsFunc(q.holding, t.overlaps) {
		return false
	}
	return t.need.Memory == 0 && len(t.need.Paths) == 0 ||
		!slices.ContainsFunc(before, func(other *Turn) bool { return q.isBefore(other, t) })
}

// isBefore reports whether a turn has to wait for another that waits before it.
func (q *Queue) isBefore(other, t *Turn) bool {
	switch q.lacks(other) {
	case Memory: // or smaller calls of the tenant would keep it waiting for ever
		return other.own == t.own && t.need.Memory > 0
	case Files:
		return t.overlaps(other)
	}
	return false
}

func (t *Turn) overlaps(other *Turn) bool {
	return slices.ContainsFunc(t.need.Paths, func(p string) bool {
		return slices.ContainsFunc(other.need.Paths, func(o string) bool { return overlap(p, o) })
	})
}

// Overlap reports whether one of two paths is the other, or above it.
func Overlap(a, b string) bool { return overlap(normal(a), normal(b)) }

func overlap(a, b string) bool { return within(a, b) || within(b, a) }

// normal is the form in which paths are compared.
func normal(path string) string { return strings.ToLower(filepath.Clean(path)) }

// within reports whether path is dir or below it.
func within(dir, path string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || rest[0] == filepath.Separator || dir[len(dir)-1] == filepath.Separator)
}
