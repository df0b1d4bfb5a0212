// Package callqueue decides which calls run and which wait. A call waits if too many calls are
// running, if its tenant uses too much memory, or if another call changes the same files.
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

// The errors of [Queue.Enter], in addition to *[GaveUp].
var (
	// ErrFull means that too many calls are waiting.
	ErrFull = errors.New("too many calls are waiting")
	// ErrClosed means that Bounds.Closed was closed.
	ErrClosed = errors.New("the queue is closed")
)

// GaveUp is the error of a call that waited until its context was done, or for Bounds.Timeout.
type GaveUp struct {
	// For is the resource that the call was waiting for.
	For Want
	// Holder is the Need.Name of the call that holds the files, if that call has the same tenant;
	// otherwise "".
	Holder string
	// Held is the time at which Holder got the files.
	Held time.Time
	err  error
}

func (e *GaveUp) Error() string { return "the call waited for " + string(e.For) + ": " + e.err.Error() }

// Unwrap returns the error of the context, or context.DeadlineExceeded.
func (e *GaveUp) Unwrap() error { return e.err }

// Want is a resource that a call waits for.
type Want string

// The reasons to wait.
const (
	Places Want = "a place"
	Memory Want = "memory"
	Files  Want = "files"
)

// Bounds holds the limits of a queue. The zero value has no limits.
type Bounds struct {
	// Calls limits all running calls together, TenantCalls the running calls of each tenant, and
	// ClassCalls the running calls of each class. 0 or a negative value means no limit.
	Calls, TenantCalls, ClassCalls int
	// TenantMemory limits the bytes that the running calls of one tenant need together; 0 means no
	// limit. A call that needs more than that on its own never runs, so the caller must refuse such
	// a call.
	TenantMemory uint64
	// MaxWaiting limits the waiting calls; 0 means no limit, and a negative value means that no
	// call may wait. If too many wait, one waiting call is displaced. It belongs to the tenant with
	// the most waiting calls, and to the class of this tenant with the most waiting calls.
	MaxWaiting int
	// Timeout limits the time that a call waits; 0 or a negative value means no limit.
	Timeout time.Duration
	// When the channel Closed is closed, all waiting calls fail with ErrClosed. It may be nil.
	Closed <-chan struct{}
}

// Need lists the resources that a call needs to run. A call gets all of them at once, so a waiting
// call holds nothing that another call needs.
type Need struct {
	Tenant string
	// Class may be nil only if Bounds.ClassCalls sets no limit.
	Class *Class
	// Name identifies the call in the GaveUp error of calls of the same tenant that wait for its
	// files.
	Name   string
	Memory uint64 // bytes
	// Paths are absolute. Each covers everything below it. Letter case is ignored, because some
	// file systems ignore it. Links are not followed: two paths to the same file that differ by a
	// link count as different files.
	Paths []string
	// Inside means that the call takes the place and the memory of a running call, which waits for
	// it. It can wait only for files.
	Inside bool
}

// Class counts the running calls of one kind, such as the calls of one module. It belongs to one
// Queue, whose lock guards it. Its Name must be unique in that Queue.
type Class struct {
	Name    string
	running int
}

// Queue holds the running and the waiting calls. Use [New] to create one. It is safe for concurrent
// use.
type Queue struct {
	b       Bounds
	running atomic.Int64 // changes only with mu held

	mu      sync.Mutex
	waiting []*Turn            // in the order in which they get their turns
	holding []*Turn            // the running calls that hold files
	tenants map[string]*tenant // the tenants with running or waiting calls
}

// tenant counts the calls of a tenant, and the memory that its running calls need.
type tenant struct {
	running, waiting int
	memory           uint64
	first            int // the order of the first waiting turn
}

// Turn is a call that runs or waits.
type Turn struct {
	q     *Queue
	need  Need          // its paths were returned by the function normal
	ready chan struct{} // closed when the call may run or is displaced; nil if it never waited
	own   *tenant
	// The fields below change only with the lock of the Queue held, and never after the channel
	// ready is closed.
	state state
	// order minus own.first is the number of calls of the same tenant that wait before it; see
	// before. So a turn that leaves the front changes no other turn.
	order int
	since time.Time // when the call got its files
}

type state int

const (
	waits state = iota
	runs
	displaced // removed from the waiting calls to make room for another
	ended
)

// New returns an empty Queue.
func New(b Bounds) *Queue { return &Queue{b: b, tenants: make(map[string]*tenant)} }

// Running returns the number of running calls. It takes no lock.
func (q *Queue) Running() int { return int(q.running.Load()) }

// Enter waits until everything that a call needs is available. When it succeeds, the caller must
// call Leave of the Turn after the call. The result waited is how long it waited; it is 0 if the
// call could run at once, which saves reading the clock.
//
// Tenants take turns, and the calls of a tenant run in the order in which they arrived. A call that
// waits only for files runs before all later calls that want the same files. A call that waits
// because of a limit of its own tenant or class does not delay other calls.
//
// The error is a *[GaveUp] if ctx is done or the call waited too long, [ErrClosed], or [ErrFull] if
// too many calls are waiting. A call that is displaced while it waits also gets ErrFull.
func (q *Queue) Enter(ctx context.Context, need Need) (t *Turn, waited time.Duration, err error) {
	t = &Turn{q: q, need: need}
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
		return t, 0, nil
	}
	t.ready = make(chan struct{})
	q.waiting = slices.Insert(q.waiting, at, t)
	t.own.waiting++
	q.makeRoom(t)
	q.mu.Unlock()
	asked := time.Now()
	if err = q.wait(ctx, t); err != nil {
		t = nil
	}
	return t, time.Since(asked), err
}

// wait waits until a turn may run. If it fails, the turn does not wait any longer.
func (q *Queue) wait(ctx context.Context, t *Turn) error {
	var late <-chan time.Time
	if q.b.Timeout > 0 {
		timer := time.NewTimer(q.b.Timeout)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-t.ready:
		if t.state == displaced {
			return ErrFull
		}
		return nil
	case <-ctx.Done():
		return q.giveUp(t, ctx.Err())
	case <-late:
		return q.giveUp(t, context.DeadlineExceeded)
	case <-q.b.Closed:
		t.Leave()
		return ErrClosed
	}
}

// Leave releases everything that the call holds and starts the waiting calls that can run now.
// Calling Leave again has no effect.
func (t *Turn) Leave() {
	t.q.mu.Lock()
	defer t.q.mu.Unlock()
	t.q.end(t, ended)
}

// giveUp removes a waiting turn and returns an error that says what it waited for.
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

// The methods below must be called with the lock held.

// run marks a turn as running and reserves the resources that it needs.
func (q *Queue) run(t *Turn) {
	t.state = runs
	q.count(t, 1)
	if len(t.need.Paths) > 0 {
		t.since = time.Now()
		q.holding = append(q.holding, t)
	}
}

// count counts a turn that begins (1) or ends (-1) to run.
func (q *Queue) count(t *Turn, sign int) {
	if t.need.Inside {
		return
	}
	q.running.Add(int64(sign))
	t.own.running += sign
	t.own.memory += uint64(sign) * t.need.Memory
	if t.need.Class != nil {
		t.need.Class.running += sign
	}
}

// end removes a running or waiting turn and starts the waiting calls that can run now.
func (q *Queue) end(t *Turn, to state) {
	before := q.reached(t)
	switch t.state {
	case runs:
		q.count(t, -1)
		if at := slices.Index(q.holding, t); at >= 0 {
			q.holding = slices.Delete(q.holding, at, at+1)
		}
	case waits:
		q.stopWaiting(slices.Index(q.waiting, t))
	default:
		return
	}
	t.state = to
	if t.own.running == 0 && t.own.waiting == 0 {
		delete(q.tenants, t.need.Tenant)
	}
	for i := 0; i < len(q.waiting) && q.freed(t, before); {
		next := q.waiting[i]
		if q.full() && !next.need.Inside || !q.mayRun(next, q.waiting[:i]) {
			i++
			continue
		}
		q.stopWaiting(i)
		q.run(next)
		close(next.ready)
	}
}

// freed reports whether a turn that has ended still leaves something that another turn may wait
// for. The parameter before has the limits that were reached before it ended. Most turns use only a
// place, which the first turn that runs instead takes again. Then no other turn needs to be looked
// at.
func (q *Queue) freed(t *Turn, before limits) bool {
	if t.need.Memory > 0 || len(t.need.Paths) > 0 {
		return true
	}
	now := q.reached(t)
	return !now.calls && (before.calls || before.ofClass && !now.ofClass || before.ofTenant && !now.ofTenant)
}

// before returns the number of calls of the same tenant that wait before a waiting turn.
func (t *Turn) before() int { return t.order - t.own.first }

// stopWaiting removes the turn at an index from the waiting turns.
func (q *Queue) stopWaiting(at int) {
	t := q.waiting[at]
	t.own.waiting--
	q.waiting = slices.Delete(q.waiting, at, at+1)
	if t.before() == 0 {
		t.own.first++
		return
	}
	for _, behind := range q.waiting[at:] {
		if behind.own == t.own {
			behind.order--
		}
	}
}

func (q *Queue) full() bool { return q.b.Calls > 0 && q.Running() >= q.b.Calls }

// limits are the limits on running calls that are reached: of all calls, and of a turn's class and
// tenant.
type limits struct{ calls, ofClass, ofTenant bool }

// reached returns the limits on running calls that a turn would exceed.
func (q *Queue) reached(t *Turn) limits {
	return limits{
		calls:    q.full(),
		ofClass:  q.b.ClassCalls > 0 && t.need.Class.running >= q.b.ClassCalls,
		ofTenant: q.b.TenantCalls > 0 && t.own.running >= q.b.TenantCalls,
	}
}

// lacks returns the resource that a turn has to wait for. If no limit on calls or memory makes the
// turn wait, it returns Files, even if no other call holds the files.
func (q *Queue) lacks(t *Turn) Want {
	switch b := q.b; {
	case t.need.Inside:
		return Files
	case q.reached(t) != (limits{}):
		return Places
	case b.TenantMemory > 0 && t.need.Memory > b.TenantMemory-t.own.memory:
		return Memory
	}
	return Files
}

// mayRun reports whether everything that a turn needs is available, and no turn ahead of it must
// run first.
func (q *Queue) mayRun(t *Turn, before []*Turn) bool {
	if q.lacks(t) != Files || slices.ContainsFunc(q.holding, t.overlaps) {
		return false
	}
	return t.need.Memory == 0 && len(t.need.Paths) == 0 ||
		!slices.ContainsFunc(before, func(other *Turn) bool { return q.isBefore(other, t) })
}

// isBefore reports whether the turn other, which waits before t, must run before t.
func (q *Queue) isBefore(other, t *Turn) bool {
	switch q.lacks(other) {
	case Memory: // otherwise smaller calls of the tenant could keep it waiting forever
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

// Overlap reports whether two paths are equal or one contains the other.
func Overlap(a, b string) bool { return overlap(normal(a), normal(b)) }

// Within reports whether a path is dir or is below it.
func Within(dir, path string) bool { return within(normal(dir), normal(path)) }

func overlap(a, b string) bool { return within(a, b) || within(b, a) }

// normal returns the form of a path that is used to compare paths.
func normal(path string) string { return strings.ToLower(filepath.Clean(path)) }

// within reports whether path is dir or below it.
func within(dir, path string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || rest[0] == filepath.Separator || dir[len(dir)-1] == filepath.Separator)
}
