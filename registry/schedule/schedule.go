// Package schedule decides when the calls of a registry run. It limits concurrent calls, in total
// and for each tenant, and the memory of each tenant. It keeps two calls from changing the same
// files at once, and limits what each tenant may use over time. It does not run calls itself.
package schedule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/wasmtool/wasmtool/internal/callqueue"
	"github.com/wasmtool/wasmtool/registry/internal/callerror"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// DefaultWaitTimeout is the default limit on the time that a call waits before it runs.
const DefaultWaitTimeout = time.Minute

const defaultMaxWaiting = 1000

// Options limits the calls that run and wait. The zero value limits only the number of waiting
// calls and the time that they wait.
type Options struct {
	// MaxCalls limits the concurrent calls of all tenants, and MaxTenantCalls the concurrent calls
	// of one tenant; 0 or less means no limit. Tenants with waiting calls take turns.
	MaxCalls, MaxTenantCalls int
	// MaxWaiting limits the calls that wait for a slot, for files or for memory. 0 means 1000, and
	// less than 0 means no limit. At the limit, one waiting call fails: a call of the tenant with
	// the most waiting calls.
	MaxWaiting int
	// WaitTimeout limits the time that a call waits for a slot, for memory, and for calls that
	// change the same files; 0 or less means DefaultWaitTimeout.
	WaitTimeout time.Duration
	// MaxTenantMemory limits the memory of the concurrent calls of one tenant, in bytes; 0 means no
	// limit. Each running call counts with its max memory (tool.MemoryBounded), which for a guest
	// is limits.memory. Tools without a known bound, such as Go functions, do not count. A call
	// waits for memory as it waits for a slot. A call whose own max memory exceeds the limit fails
	// at once with resource_exhausted.
	MaxTenantMemory uint64
	// Budget limits what each tenant may use over time.
	Budget Budget
}

// Need is what a call needs to run. A call reserves nothing until it can get everything.
type Need struct {
	Tenant string
	// Name names the call in errors of other calls of the tenant that waited too long for its
	// files.
	Name string
	// Memory is the max memory of the call, in bytes. 0 means that the call does not count against
	// MaxTenantMemory.
	Memory uint64
	// Paths are absolute paths on the host. The call may change them and everything below them;
	// see [Changes].
	Paths []string
	// Inside means that the call takes the place and the memory of a running call, which waits for
	// it. Held are the paths that this call has.
	Inside bool
	Held   []string
}

// Schedule decides when calls run, and records what the tenants have used. It is safe for
// concurrent use. The zero value is not usable; call [New].
type Schedule struct {
	budgets
	o       Options
	queue   *callqueue.Queue
	bounded bool // calls may have to wait for a slot or for memory
}

// New returns a Schedule without calls.
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

// Enter waits until a call may run: a slot is free in total and for its tenant, the tenant has
// enough memory, and no running call may change the same files. It returns how long the call
// waited. The caller must call leave when the call has ended; further calls of leave have no
// effect.
//
// The error is a *[tool.Error]. Its code is resource_exhausted if too many calls wait, if the call
// needs more memory than its tenant may use, or if WaitTimeout passed. Otherwise it is the error of
// ctx.
func (s *Schedule) Enter(ctx context.Context, need Need) (leave func(), waited time.Duration, err error) {
	if need.Inside {
		return s.enterInside(ctx, need)
	}
	if s.o.MaxTenantMemory == 0 {
		need.Memory = 0
	}
	if need.Memory > s.o.MaxTenantMemory {
		return nil, 0, exhausted(limitMemory, "a call of the tool may use %d bytes of memory, but all calls of the tenant together may use only %d; "+
			"lower limits.memory of the tool, or ask the operator to raise the tenant's limit", need.Memory, s.o.MaxTenantMemory)
	}
	if len(need.Paths) == 0 && !s.bounded {
		return func() {}, 0, nil
	}
	return s.wait(ctx, callqueue.Need{Tenant: need.Tenant, Name: need.Name, Memory: need.Memory, Paths: need.Paths})
}

// enterInside waits only for files. A call inside a call that has files never waits for others,
// because two such calls could wait for each other.
func (s *Schedule) enterInside(ctx context.Context, need Need) (leave func(), waited time.Duration, err error) {
	paths := slices.DeleteFunc(slices.Clone(need.Paths), func(path string) bool {
		return slices.ContainsFunc(need.Held, func(held string) bool { return callqueue.Within(held, path) })
	})
	switch {
	case len(paths) == 0:
		return func() {}, 0, nil
	case len(need.Held) > 0:
		return nil, 0, exhausted(limitFiles, "the tool that makes the call may change other files itself, so the call cannot wait for its files; ask for the same directories in the tool, or for none")
	}
	return s.wait(ctx, callqueue.Need{Tenant: need.Tenant, Name: need.Name, Paths: paths, Inside: true})
}

// wait waits for a turn.
func (s *Schedule) wait(ctx context.Context, need callqueue.Need) (leave func(), waited time.Duration, err error) {
	turn, waited, err := s.queue.Enter(ctx, need)
	var gaveUp *callqueue.GaveUp
	switch {
	case err == nil:
		return turn.Leave, waited, nil
	case !errors.As(err, &gaveUp):
		err = exhausted(limitCalls, "too many calls are running and waiting; try again later")
	case ctx.Err() != nil:
		err = callerror.OfContext(ctx)
	default:
		err = s.timeout(gaveUp)
	}
	return nil, waited, err
}

// The limits that a call can reach, as in Details.Limit.
const (
	limitCalls  = "calls"
	limitFiles  = "files in use"
	limitMemory = "memory of the tenant"
)

// timeout returns the error of a call that waited too long.
func (s *Schedule) timeout(gaveUp *callqueue.GaveUp) error {
	why, limit := "other calls are running", limitCalls
	switch gaveUp.For {
	case callqueue.Files:
		why, limit = "a call that may change the same files is running", limitFiles
		if gaveUp.Holder != "" {
			why = fmt.Sprintf("a call of %s has been running for %v and may change the same files", gaveUp.Holder, time.Since(gaveUp.Held).Round(time.Second))
		}
	case callqueue.Memory:
		why, limit = "other calls of the tenant use its memory", limitMemory
	}
	return exhausted(limit, "the call could not start within %v: %s; try again later", s.o.WaitTimeout, why)
}

func exhausted(limit, format string, args ...any) error {
	return &tool.Error{Code: tool.CodeResourceExhausted, Details: tool.Details{Limit: limit}, Message: fmt.Sprintf(format, args...)}
}
