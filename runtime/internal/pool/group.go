// Package pool makes instances of modules, runs calls on them, and keeps those that can be
// reset for further calls.
//
// A Group holds the pools of a Runtime and what bounds them together, a Pool those of one
// module. A Pool knows instances by their kind: those that saw the same while they started.
// All that instances and images take is counted here, in both. One timer of the Group looks
// after the instances that wait; everything else runs on the goroutines of calls.
package pool

import (
	"cmp"
	"context"
	"log/slog"
	goruntime "runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wasmtool/wasmtool/runtime/internal/abi"
	"github.com/wasmtool/wasmtool/runtime/internal/guestmem"
)

// What happens to an instance that waits: after TrimAfter it gives back the memory that
// it wrote, after CloseAfter it goes.
const (
	TrimAfter  = 5 * time.Second
	CloseAfter = time.Minute
)

// Options bounds a Group. All are required.
type Options struct {
	// MaxMemory bounds the memory of one call in bytes, and MaxTotalMemory that of all
	// instances.
	MaxMemory, MaxTotalMemory uint64
	// MaxIdleBytes bounds what instances take that wait; less than 0 means that none wait.
	MaxIdleBytes int64
	// MaxFuel bounds a warm-up; 0 means that only its own bound does.
	MaxFuel uint64
	// Closing is done when no call may run any longer.
	Closing context.Context
	Log     *slog.Logger
}

// Group is the pools of all modules. It is safe for concurrent use; NewGroup makes one.
type Group struct {
	opts   Options
	memory *guestmem.System
	// starting is for large instances that begin, and saving for one that is being saved.
	// A value is put in for a turn, and taken out after it.
	starting, saving chan struct{}

	memoryInUse atomic.Int64 // of all instances
	idleBytes   atomic.Int64 // what instances that wait take
	idleMemory  atomic.Int64 // what of memoryInUse is theirs
	tending     atomic.Bool  // tender is set and will run
	tender      atomic.Pointer[time.Timer]

	mu    sync.Mutex
	pools map[*Pool]struct{}
}

// NewGroup returns a Group without pools.
func NewGroup(o Options) *Group {
	return &Group{
		opts: o, memory: guestmem.NewSystem(), pools: make(map[*Pool]struct{}),
		starting: make(chan struct{}, max(1, goruntime.GOMAXPROCS(0)/2)), // leaves others half of the processors
		saving:   make(chan struct{}, 1),
	}
}

// New returns the pool of a module.
func (g *Group) New(engine *abi.Engine, digest string) *Pool {
	p := &Pool{group: g, engine: engine, log: g.opts.Log.With("module", digest), kinds: make(map[string]*kind)}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pools[p] = struct{}{}
	return p
}

// Close frees what the pools share. They are closed each by itself.
func (g *Group) Close() {
	g.memory.Close()
	if tender := g.tender.Load(); tender != nil {
		tender.Stop()
	}
}

// tendSoon makes sure that somebody looks after the instances that wait.
func (g *Group) tendSoon() {
	if g.tending.CompareAndSwap(false, true) {
		g.tender.Store(time.AfterFunc(TrimAfter, g.Tend))
	}
}

// Tend trims and closes instances that have waited for long. It comes again for as
// long as there are any.
func (g *Group) Tend() {
	now := time.Now()
	for _, p := range g.greediest() {
		p.Tend(now)
	}
	g.tending.Store(false)
	if g.idleBytes.Load() > 0 && g.opts.Closing.Err() == nil {
		g.tendSoon()
	}
}

// DropIdle makes room among what waits: it closes an instance, or else drops images that
// nobody uses. It reports whether there was any.
func (g *Group) DropIdle() bool {
	return g.dropInstance() || slices.ContainsFunc(g.greediest(), (*Pool).forgetOldest)
}

// dropInstance closes the instance that has waited for longest in the module whose
// instances take most. It reports whether there was one.
func (g *Group) dropInstance() bool { return slices.ContainsFunc(g.greediest(), (*Pool).DropOldest) }

// greediest returns the pools, those first whose instances that wait take most.
func (g *Group) greediest() []*Pool {
	g.mu.Lock()
	all := make([]*Pool, 0, len(g.pools))
	for p := range g.pools {
		all = append(all, p)
	}
	g.mu.Unlock()
	slices.SortFunc(all, func(a, b *Pool) int { return cmp.Compare(b.bytes.Load(), a.bytes.Load()) })
	return all
}

// Account counts memory that guests take or give back, and refuses what is more than
// all may have together. Instances that wait make room first, if that is of use.
func (g *Group) Account(delta int64) bool {
	for {
		total := g.memoryInUse.Add(delta)
		if delta <= 0 || uint64(total) <= g.opts.MaxTotalMemory {
			return true
		}
		g.memoryInUse.Add(-delta)
		fits := uint64(total-g.idleMemory.Load()) <= g.opts.MaxTotalMemory
		if !fits || !g.dropInstance() {
			return false
		}
	}
}
