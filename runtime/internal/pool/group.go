// Package pool creates instances of modules, runs calls on them, and keeps resettable instances for
// further calls.
//
// A [Group] has the pools of a Runtime and their common limits; a [Pool] has the instances of one
// module. A Pool groups instances by their kind: instances of a kind saw the same inputs during
// their start. Group and Pool both count the memory of instances and images. One timer of the Group
// trims and closes waiting instances; everything else runs on the goroutines of calls.
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
	"github.com/wasmtool/wasmtool/runtime/internal/guestfs"
	"github.com/wasmtool/wasmtool/runtime/internal/guestmem"
)

// An instance that has waited for TrimAfter gives back the memory that it wrote. After CloseAfter,
// it is closed.
const (
	TrimAfter  = 5 * time.Second
	CloseAfter = time.Minute
)

// Options are the limits of a Group. All are required.
type Options struct {
	// MaxMemory limits the memory of one call in bytes, and MaxTotalMemory the memory of all
	// instances.
	MaxMemory, MaxTotalMemory uint64
	// MaxIdleBytes limits the memory of waiting instances; less than 0 means that no instance
	// waits.
	MaxIdleBytes int64
	// MaxFuel limits the fuel of a warm-up; 0 means that warmUpFuel is the only limit.
	MaxFuel uint64
	// Closing is cancelled when all calls must stop.
	Closing context.Context
	Log     *slog.Logger
	// Explain returns why a call failed; its parameters are the call and the error of the engine.
	Explain func(*abi.Call, error) error
}

// Group manages the pools of all modules. It is safe for concurrent use; NewGroup makes one.
type Group struct {
	opts   Options
	memory *guestmem.System
	// starting is a semaphore for creating instances with a large initial memory, and saving is a
	// semaphore for saving large instances: send to acquire, receive to release.
	starting, saving chan struct{}

	memoryInUse atomic.Int64 // bytes of all instances
	idleBytes   atomic.Int64 // bytes that waiting instances and images take
	idleMemory  atomic.Int64 // the part of memoryInUse that belongs to waiting instances
	tending     atomic.Bool  // whether the timer tender is running
	tender      atomic.Pointer[time.Timer]
	near        affinity

	mu    sync.Mutex
	pools map[*Pool]struct{}
}

// NewGroup returns a Group without pools.
func NewGroup(o Options) *Group {
	return &Group{
		opts: o, memory: guestmem.NewSystem(), pools: make(map[*Pool]struct{}),
		// half of the processors stay free for calls
		starting: make(chan struct{}, max(1, goruntime.GOMAXPROCS(0)/2)),
		saving:   make(chan struct{}, 1),
	}
}

// Data are the files of a module; see Module.WithData. The zero value is for a module without
// files.
type Data struct {
	Files   *guestfs.Data
	Reseeds bool
	// Family is set if Files is.
	Family *Family
}

// New returns the pool of a module.
func (g *Group) New(engine *abi.Engine, digest string, data Data) *Pool {
	log := g.opts.Log.With("module", digest)
	if data.Files != nil {
		log = log.With("files", data.Files.Digest())
	}
	p := &Pool{group: g, engine: engine, data: data, log: log, kinds: make(map[string]*kind)}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pools[p] = struct{}{}
	return p
}

// Close frees the resources that the pools share. Each pool must be closed separately.
func (g *Group) Close() {
	g.memory.Close()
	if tender := g.tender.Load(); tender != nil {
		tender.Stop()
	}
}

// tendSoon starts the timer for Tend, unless it is running.
func (g *Group) tendSoon() {
	if g.tending.CompareAndSwap(false, true) {
		g.tender.Store(time.AfterFunc(TrimAfter, g.Tend))
	}
}

// Tend trims and closes instances that have waited for a long time. While any instance waits, it
// schedules itself again.
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

// DropIdle frees memory of waiting instances: it closes one instance, or drops unused images if no
// instance waits. It reports whether it freed anything.
func (g *Group) DropIdle() bool {
	return g.dropInstance() || slices.ContainsFunc(g.greediest(), (*Pool).forgetOldest)
}

// dropInstance closes one waiting instance, if there is one: the oldest of the module whose waiting
// instances take the most memory.
func (g *Group) dropInstance() bool { return slices.ContainsFunc(g.greediest(), (*Pool).DropOldest) }

// greediest returns the pools, sorted by the memory of their waiting instances, the largest first.
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

// Account counts memory that guests take or give back, and refuses growth beyond MaxTotalMemory. If
// closing waiting instances makes enough room, Account closes them.
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
