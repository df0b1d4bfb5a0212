// Package schedule decides when the calls of a registry run: there are places, of all calls and
// of each tenant, memory of each tenant, files that no two calls change at once, and budgets
// that tenants use up in the course of time. It knows nothing of how calls are made.
package schedule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/wasmtool/wasmtool/internal/callqueue"
	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// DefaultWaitTimeout is how long a call waits for its turn.
const DefaultWaitTimeout = time.Minute

const defaultMaxWaiting = 1000

// Options bounds the calls that run and wait at once. The zero value bounds only how many
// wait, and for how long.
type Options struct {
	// MaxCalls and MaxTenantCalls bound the calls that run at once, of all tools: of all
	// tenants and of each; 0 and less are no bound. Of those that wait, the tenants get
	// places in turn.
	MaxCalls, MaxTenantCalls int
	// MaxWaiting bounds the calls that wait, for files and for memory included; 0 means
	// 1000, and less than 0 none. When too many wait, the tenant with most of them makes
	// room.
	MaxWaiting int
	// WaitTimeout bounds the wait for a place, for memory, and for calls that change the
	// same files; 0 and less mean DefaultWaitTimeout.
	WaitTimeout time.Duration
	// MaxTenantMemory bounds the memory that the calls of one tenant may use at once, in
	// bytes; 0 is no bound. Each that runs counts with the most that it may use, a guest
	// with its limits.memory, whether it does or not (tool.MemoryBounded); tools whose
	// memory nobody bounds, such as those in Go, do not count. Calls wait for memory as for
	// a place, and one that may use more than that by itself fails at once with
	// resource_exhausted.
	MaxTenantMemory uint64
	// Budget bounds what the calls of each tenant use in the course of time.
	Budget Budget
}

// Need is what a call needs to run. Until it has all of it, it keeps nothing from others.
type Need struct {
	Tenant string
	// Name is what other calls of the tenant are told that wait in vain for its files.
	Name string
	// Memory is the most that it may use, in bytes; 0 does not count.
	Memory uint64
	// Paths are absolute paths on the host that it may change, with all below them; see Changes.
	Paths []string
}

// Schedule is the calls that run and wait, and what the tenants used. It is safe for
// concurrent use; New makes one.
type Schedule struct {
	budgets
	o       Options
	queue   *callqueue.Queue
	bounded bool // calls wait for other things than files
}

// New returns a Schedule in which nobody runs or waits.
func New(o Options) *Schedule {
	o.WaitTimeout = cmp.Or(max(o.WaitTimeout, 0), DefaultWaitTimeout)
	return &Schedule{
		budgets: newBudgets(o.Budget), o: o,
		queue: callqueue.New(callqueue.Bounds{
			Calls: o.MaxCalls, TenantCalls: o.MaxTenantCalls, TenantMemory: o.MaxTenantMemory,
			MaxWaiting: cmp.Or(o.MaxWaiting, defaultMaxWaiting), Timeout: o.WaitTimeout,
		}),
		bounded: o.MaxCalls > 0 || o.MaxTenantCalls > 0 || o.MaxTenantMemory > 0,
	}
}

// Enter returns when a call may run, and how long it waited: there is a place for it, its
// tenant has a place and memory for it, and no call changes the files that it may change. The
// caller must call leave when it has ended; calling it again does nothing. The error is an
// *Error of package tool: resource_exhausted when too many wait, when the tenant can never
// have the memory or when WaitTimeout passed, or what ctx ended with.
func (s *Schedule) Enter(ctx context.Context, need Need) (leave func(), waited time.Duration, err error) {
	if s.o.MaxTenantMemory == 0 {
		need.Memory = 0
	}
	if need.Memory > s.o.MaxTenantMemory {
		return nil, 0, exhausted(limitMemory, "a call of the tool may use %d bytes of memory, and all calls of the tenant together %d; "+
			"lower limits.memory of the tool, or let the operator raise the tenant's memory", need.Memory, s.o.MaxTenantMemory)
	}
	if len(need.Paths) == 0 && !s.bounded {
		return func() {}, 0, nil
	}
	asked := time.Now()
	turn, err := s.queue.Enter(ctx, callqueue.Need{Tenant: need.Tenant, Name: need.Name, Memory: need.Memory, Paths: need.Paths})
	waited = time.Since(asked)
	var gaveUp *callqueue.GaveUp
	switch {
	case err == nil:
		return turn.Leave, waited, nil
	case !errors.As(err, &gaveUp):
		err = exhausted(limitCalls, "too many calls run and wait already; try again later")
	case ctx.Err() != nil:
		err = callerror.OfContext(ctx)
	default:
		err = s.timeout(gaveUp)
	}
	return nil, waited, err
}

// The limits that calls meet.
const (
	limitCalls  = "calls"
	limitFiles  = "files in use"
	limitMemory = "memory of the tenant"
)

// timeout is the error of a call that waited in vain.
func (s *Schedule) timeout(gaveUp *callqueue.GaveUp) error {
	why, limit := "other calls run", limitCalls
	switch gaveUp.For {
	case callqueue.Files:
		why, limit = "a call that changes the same files runs", limitFiles
		if gaveUp.Holder != "" {
			why = fmt.Sprintf("a call of %s has run for %v and may change the same files", gaveUp.Holder, time.Since(gaveUp.Held).Round(time.Second))
		}
	case callqueue.Memory:
		why, limit = "other calls of the tenant use its memory", limitMemory
	}
	return exhausted(limit, "the call did not get its turn within %v: %s; try again later", s.o.WaitTimeout, why)
}

func exhausted(limit, format string, args ...any) error {
	return &tool.Error{Code: tool.CodeResourceExhausted, Details: tool.Details{Limit: limit}, Message: fmt.Sprintf(format, args...)}
}
