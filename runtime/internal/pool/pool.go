package pool

import (
	"errors"
	"log/slog"
	"maps"
	"math"
	"math/rand/v2"
	goruntime "runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wasmtool/wasmtool/internal/tenants"
	"github.com/wasmtool/wasmtool/runtime/internal/abi"
	"github.com/wasmtool/wasmtool/runtime/internal/guestmem"
)

// MaxKinds bounds the kinds of instances that are kept of one module. One more takes the
// place of another; see Pool.victim.
const MaxKinds = 32

// Pool makes the instances of one module and keeps those that wait for calls. It is safe
// for concurrent use.
type Pool struct {
	group  *Group
	engine *abi.Engine
	log    *slog.Logger

	mu    sync.RWMutex
	kinds map[string]*kind // by key

	// bytes is the memory of the instances that wait and of the images, and memoryInUse the
	// memory of all instances.
	bytes, memoryInUse atomic.Int64
}

// ErrEnginePanic is how a call ends whose engine failed.
var ErrEnginePanic = errors.New("the engine failed")

// Run serves a call, on an instance that waits for it or on a new one. The error is the
// engine's, ErrEnginePanic, abi.ErrNoMemory or one of why the call did not start.
func (p *Pool) Run(c *abi.Call) error {
	defer c.End()
	i, k := p.take(c)
	if i != nil && c.Limits.Fuel > 0 && i.startFuel > c.Limits.Fuel {
		p.put(i) // the call ends in the start, as if it were the first
		i = nil
	}
	if i != nil {
		i.begin(c)
		return i.serve(c)
	}
	err := p.runNew(k, c)
	if errors.Is(err, ErrCold) {
		c.Restart()
		err = p.runNew(k, c)
	}
	return err
}

// runNew serves a call on a new instance.
func (p *Pool) runNew(k *kind, c *abi.Call) (err error) {
	defer p.recovered(&err)
	i, err := p.instantiate(c)
	if err != nil {
		return err
	}
	i.kind = k
	i.wanted = k != nil && k.wants()
	if err := i.tryStart(c); err != nil {
		return err
	}
	return i.serve(c)
}

// recovered turns a panic into an error.
func (p *Pool) recovered(err *error) {
	if v := recover(); v != nil {
		p.log.Error("panic in the engine", "panic", v, "stack", string(debug.Stack()))
		*err = ErrEnginePanic
	}
}

// take returns an instance that waits for such a call, or nil, and the kind that such
// instances belong to.
func (p *Pool) take(c *abi.Call) (*Instance, *kind) {
	if !p.canSave(c.Entry) {
		return nil, nil
	}
	var buf [256]byte
	k := p.find(AppendKey(buf[:0], c), c.Tenant, c.Started)
	if k.calls.Load() < 2 {
		k.calls.Add(1)
	}
	start := rand.IntN(len(k.shards))
	for n := range k.shards {
		if i := k.shards[(start+n)%len(k.shards)].pop(); i != nil {
			p.leaves(i)
			return i, k
		}
	}
	return nil, k
}

// find returns the kind for a key, for a call of a tenant.
func (p *Pool) find(key []byte, tenant string, now time.Time) *kind {
	p.mu.RLock()
	k := p.kinds[string(key)]
	p.mu.RUnlock()
	if k == nil {
		k = p.add(string(key), tenant)
	}
	k.last.Store(now.UnixNano())
	return k
}

func (p *Pool) add(key, tenant string) *kind {
	p.mu.Lock()
	defer p.mu.Unlock()
	if k := p.kinds[key]; k != nil {
		return k
	}
	if len(p.kinds) >= MaxKinds {
		p.forget(p.victim(tenant))
	}
	k := &kind{pool: p, tenant: tenant, shards: make([]shard, min(16, goruntime.GOMAXPROCS(0)))}
	p.kinds[key] = k
	return k
}

// victim is the key of the kind that makes room for one more of a tenant; there is one. It
// is of the tenant with most kinds, so that calls of one tenant, each of another kind, leave
// the kinds of the others alone.
func (p *Pool) victim(tenant string) string {
	has := tenants.Count(maps.Values(p.kinds), func(k *kind) string { return k.tenant })
	most, found := has.Most(has[tenant] + 1)
	if !found {
		most = tenant
	}
	return p.oldest(func(k *kind) bool { return k.tenant == most })
}

// oldest is the key of the kind, among some, that was not called for longest; there is one.
func (p *Pool) oldest(among func(*kind) bool) string {
	oldest, last := "", int64(math.MaxInt64)
	for key, k := range p.kinds {
		if at := k.last.Load(); at < last && among(k) {
			oldest, last = key, at
		}
	}
	return oldest
}

func (p *Pool) forget(key string) {
	p.kinds[key].close()
	delete(p.kinds, key)
}

// forgetOldest drops the kind that was not called for longest, for its image.
func (p *Pool) forgetOldest() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.kinds) == 0 {
		return false
	}
	p.forget(p.oldest(func(*kind) bool { return true }))
	return true
}

// put gives an instance back that was reset, or closes it when it may not wait.
func (p *Pool) put(i *Instance) {
	i.since, i.trimmed = time.Now(), false
	i.bytes = i.leastBytes() + int64(i.guest.Memory.Private())
	if p.bytes.Load()+i.bytes > p.room() {
		i.close()
		return
	}
	p.waits(i) // before others can have it
	if !i.kind.push(i) {
		p.leaves(i)
		i.close()
		return
	}
	p.group.tendSoon()
	for p.group.idleBytes.Load() > p.group.opts.MaxIdleBytes && p.group.DropIdle() {
	}
}

// room is how much memory the instances of the module may take that wait: half of that
// of all modules, so that the others find room.
func (p *Pool) room() int64 { return p.group.opts.MaxIdleBytes / 2 }

// waits and leaves count an instance that begins to wait and one that is taken off.
func (p *Pool) waits(i *Instance) {
	p.count(i.bytes)
	p.group.idleMemory.Add(int64(i.guest.Size()))
}

func (p *Pool) leaves(i *Instance) {
	p.count(-i.bytes)
	p.group.idleMemory.Add(-int64(i.guest.Size()))
}

func (p *Pool) count(bytes int64) {
	p.bytes.Add(bytes)
	p.group.idleBytes.Add(bytes)
}

// Tend looks after the instances of the module, as if it were now.
func (p *Pool) Tend(now time.Time) {
	p.mu.RLock() // the module is not freed meanwhile
	for _, k := range p.kinds {
		k.tend(now)
	}
	p.mu.RUnlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, k := range p.kinds {
		if now.Sub(time.Unix(0, k.last.Load())) >= CloseAfter {
			p.forget(key)
		}
	}
}

// DropOldest closes the instance that has waited for longest. It reports whether there was
// one.
func (p *Pool) DropOldest() bool {
	p.mu.RLock() // held until the instance is closed: its module is not freed before
	defer p.mu.RUnlock()
	var from *shard
	var of *kind
	var since time.Time
	for _, k := range p.kinds {
		for n := range k.shards {
			h := &k.shards[n]
			if at, ok := h.oldest(); ok && (from == nil || at.Before(since)) {
				from, of, since = h, k, at
			}
		}
	}
	if from == nil {
		return false
	}
	n := 0
	of.drop(from.removeIf(func(*Instance) bool { n++; return n == 1 })...)
	return true
}

// hostBytes is what an instance of the module takes on the host besides its memory, as far
// as it is more than what each takes.
func (p *Pool) hostBytes() int64 { return max(0, int64(p.engine.Report.HostBytes)-IdleBytes/2) }

// Account is that of Group for guests of the module, of which one module gets a share:
// half where all may have several times what a call may, so that others find some.
func (p *Pool) Account(delta int64) bool {
	most := p.group.opts.MaxTotalMemory
	if most >= 4*p.group.opts.MaxMemory {
		most /= 2
	}
	for own := p.memoryInUse.Add(delta); delta > 0 && uint64(own) > most; own = p.memoryInUse.Add(delta) {
		p.memoryInUse.Add(-delta)
		if !p.DropOldest() {
			return false
		}
	}
	if p.group.Account(delta) {
		return true
	}
	p.memoryInUse.Add(-delta)
	return false
}

// canSave reports whether instances of the module that are called so can be reset.
func (p *Pool) canSave(entry abi.Entry) bool {
	if !guestmem.Supported || p.group.opts.MaxIdleBytes < 0 || len(p.engine.Report.SnapshotBlockers) > 0 {
		return false
	}
	switch entry.Form {
	case abi.Reactor:
		return true
	case abi.Extism: // _start is start and call in one
		return entry.Export != abi.CommandExport
	}
	return entry.Export == abi.CommandExport && p.engine.Report.Meter.Checkpoints > 0
}

// Close closes all instances that wait. No call may run or come.
func (p *Pool) Close() {
	p.mu.Lock()
	for key := range p.kinds {
		p.forget(key)
	}
	p.mu.Unlock()
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	delete(p.group.pools, p)
}
