package pool

import (
	"errors"
	"log/slog"
	"maps"
	"math"
	goruntime "runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wasmtool/wasmtool/internal/tenants"
	"github.com/wasmtool/wasmtool/runtime/internal/abi"
	"github.com/wasmtool/wasmtool/runtime/internal/guestmem"
)

// MaxKinds limits the kinds of instances of one module. A further kind replaces another; see
// Pool.victim.
const MaxKinds = 32

// Pool creates the instances of one module and keeps those that wait for calls. It is safe for
// concurrent use.
type Pool struct {
	group  *Group
	engine *abi.Engine
	data   Data
	log    *slog.Logger

	mu    sync.RWMutex
	kinds map[string]*kind // by the key of AppendKey

	// bytes is the memory of waiting instances and images, and memoryInUse the memory of all
	// instances.
	bytes, memoryInUse atomic.Int64
}

// ErrEnginePanic is the error of a call whose engine panicked.
var ErrEnginePanic = errors.New("the engine failed")

// Run serves a call on a waiting instance or a new one. The error is ErrEnginePanic,
// abi.ErrNoMemory, a reason why the call did not start, or an error of the engine.
func (p *Pool) Run(c *abi.Call) error {
	defer c.End()
	i, k := p.take(c)
	if i != nil && (c.StartOnly || c.Limits.Fuel > 0 && i.startFuel > c.Limits.Fuel) {
		p.put(i) // the call must end during the start, as on a new instance
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
	if k != nil && p.data.Reseeds {
		i.guest.DrawAtStart(k.line.seed)
	}
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

// take returns a waiting instance for the call, or nil if there is none, and the kind of instances
// that serve such calls.
func (p *Pool) take(c *abi.Call) (*Instance, *kind) {
	if !p.canSave(c.Entry) {
		return nil, nil
	}
	var buf [256]byte
	key := AppendKey(buf[:0], c)
	if p.data.Reseeds {
		key = append(key, c.Tenant...) // tenants do not share random numbers
	}
	k := p.find(key, c.Tenant, c.Started)
	if k.calls.Load() < 2 {
		k.calls.Add(1)
	}
	start := p.group.near.shard(len(k.shards))
	for n := range k.shards {
		if i := k.shards[(start+n)%len(k.shards)].pop(); i != nil {
			p.leaves(i)
			return i, k
		}
	}
	return nil, k
}

// find returns the kind with the key, for a call of a tenant.
func (p *Pool) find(key []byte, tenant string, now time.Time) *kind {
	p.mu.RLock()
	k := p.kinds[string(key)]
	p.mu.RUnlock()
	if k != nil && k.line != nil && k.line.calls.Add(1) > RenewAfter {
		p.renew(string(key), k)
		k = nil
	}
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
	if p.data.Family != nil {
		k.line = p.data.Family.join(p.group, p.lineOf(tenant))
	}
	p.kinds[key] = k
	return k
}

// lineOf returns the name of the line for calls of a tenant.
func (p *Pool) lineOf(tenant string) string {
	if p.data.Reseeds {
		return tenant
	}
	return ""
}

// renew drops a kind whose line is old.
func (p *Pool) renew(key string, k *kind) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kinds[key] == k {
		p.forget(key)
	}
}

// victim returns the key of the kind to drop for a new kind of the tenant. The kind belongs to the
// tenant with the most kinds. So a tenant whose calls all differ does not displace the kinds of
// other tenants. There must be at least one kind.
func (p *Pool) victim(tenant string) string {
	counts := tenants.Count(maps.Values(p.kinds), func(k *kind) string { return k.tenant })
	owner, found := counts.Largest(counts[tenant] + 1)
	if !found {
		owner = tenant
	}
	return p.oldest(func(k *kind) bool { return k.tenant == owner })
}

// oldest returns the key of the least recently called kind for which matches is true. There must be
// such a kind.
func (p *Pool) oldest(matches func(*kind) bool) string {
	oldest, last := "", int64(math.MaxInt64)
	for key, k := range p.kinds {
		if at := k.last.Load(); at < last && matches(k) {
			oldest, last = key, at
		}
	}
	return oldest
}

func (p *Pool) forget(key string) {
	p.kinds[key].close()
	delete(p.kinds, key)
}

// forgetOldest drops the least recently called kind, which frees its image.
func (p *Pool) forgetOldest() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.kinds) == 0 {
		return false
	}
	p.forget(p.oldest(func(*kind) bool { return true }))
	return true
}

// put returns a reset instance to the pool, or closes it if there is no room.
func (p *Pool) put(i *Instance) {
	i.since, i.trimmed = time.Now(), false
	i.bytes = i.trimmedBytes() + int64(i.guest.Memory.Private())
	if p.bytes.Load()+i.bytes > p.room() {
		i.close()
		return
	}
	p.waits(i) // count it before other calls can take it
	if !i.kind.push(i) {
		p.leaves(i)
		i.close()
		return
	}
	p.group.tendSoon()
	for p.group.idleBytes.Load() > p.group.opts.MaxIdleBytes && p.group.DropIdle() {
	}
}

// room returns how much memory waiting instances of the module may take. It is half of the limit
// for all modules, so that others have room.
func (p *Pool) room() int64 { return p.group.opts.MaxIdleBytes / 2 }

// waits counts an instance that begins to wait; leaves reverses that.
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

// Tend trims and closes the waiting instances and kinds of the module, as of now.
func (p *Pool) Tend(now time.Time) {
	p.mu.RLock() // keeps the module from being freed
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

// DropOldest closes the instance that has waited longest, and reports whether there was one.
func (p *Pool) DropOldest() bool {
	p.mu.RLock() // held until the instance is closed, so that its module is not freed before
	defer p.mu.RUnlock()
	var oldest *shard
	var oldestKind *kind
	var since time.Time
	for _, k := range p.kinds {
		for n := range k.shards {
			h := &k.shards[n]
			if at, ok := h.oldest(); ok && (oldest == nil || at.Before(since)) {
				oldest, oldestKind, since = h, k, at
			}
		}
	}
	if oldest == nil {
		return false
	}
	n := 0
	oldestKind.drop(oldest.removeIf(func(*Instance) bool { n++; return n == 1 })...)
	return true
}

// hostBytes returns the size of an instance of the module on the host, in bytes. Its memory and the
// bytes that every instance takes are not counted.
func (p *Pool) hostBytes() int64 { return max(0, int64(p.engine.Report.HostBytes)-IdleBytes/2) }

// Account is Group.Account for guests of this module, whose share is limited. If MaxTotalMemory is
// at least four times MaxMemory, the module gets at most half of MaxTotalMemory, so that memory is
// left for other modules.
func (p *Pool) Account(delta int64) bool {
	limit := p.group.opts.MaxTotalMemory
	if limit >= 4*p.group.opts.MaxMemory {
		limit /= 2
	}
	for own := p.memoryInUse.Add(delta); delta > 0 && uint64(own) > limit; own = p.memoryInUse.Add(delta) {
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

// canSave reports whether instances of the module can be reset when they are called by entry.
func (p *Pool) canSave(entry abi.Entry) bool {
	if !guestmem.Supported || p.group.opts.MaxIdleBytes < 0 || len(p.engine.Report.SnapshotBlockers) > 0 {
		return false
	}
	switch entry.Form {
	case abi.Reactor:
		return true
	case abi.Extism: // a call of _start has no separate start
		return entry.Export != abi.CommandExport
	}
	return entry.Export == abi.CommandExport && p.engine.Report.Meter.Checkpoints > 0
}

// Close closes all waiting instances. No call must be running, and no call must begin later.
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
