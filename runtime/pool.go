package runtime

import (
	"maps"
	"math"
	"math/rand/v2"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wasmtool/wasmtool/internal/tenants"
)

// maxSets bounds the kinds of instances that are kept of one module. One more takes the
// place of another; see pool.victim.
const maxSets = 32

// pool keeps the instances of one module that wait for calls. It is safe for concurrent
// use.
type pool struct {
	c *compiled

	mu   sync.RWMutex
	sets map[string]*set // by key

	// bytes is the memory of the instances that wait and of the images.
	bytes atomic.Int64
}

// pooled is what the pool knows of an instance.
type pooled struct {
	set   *set
	since time.Time // when it began to wait
	// bytes is what it takes as long as it waits, ownImage the part that is an image
	// which it does not share.
	bytes, ownImage int64
	trimmed         bool
}

func newPool(c *compiled) *pool { return &pool{c: c, sets: make(map[string]*set)} }

// take returns an instance that waits for such a call, or nil, and the set that such
// instances belong to.
func (p *pool) take(s *callState) (*instance, *set) {
	if !p.c.canSave(s.call.Entry) {
		return nil, nil
	}
	var buf [256]byte
	k := p.find(s.appendKey(buf[:0]), s.call.Tenant, s.started)
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

// find returns the set for a key, for a call of a tenant.
func (p *pool) find(key []byte, tenant string, now time.Time) *set {
	p.mu.RLock()
	k := p.sets[string(key)]
	p.mu.RUnlock()
	if k == nil {
		k = p.add(string(key), tenant)
	}
	k.last.Store(now.UnixNano())
	return k
}

func (p *pool) add(key, tenant string) *set {
	p.mu.Lock()
	defer p.mu.Unlock()
	if k := p.sets[key]; k != nil {
		return k
	}
	if len(p.sets) >= maxSets {
		p.forget(p.victim(tenant))
	}
	k := &set{pool: p, tenant: tenant, shards: make([]shard, min(16, goruntime.GOMAXPROCS(0)))}
	p.sets[key] = k
	return k
}

// victim is the key of the set that makes room for one more of a tenant; there is one. It
// is of the tenant with most sets, so that calls of one tenant, each of another kind, leave
// the kinds of the others alone.
func (p *pool) victim(tenant string) string {
	has := tenants.Count(maps.Values(p.sets), func(k *set) string { return k.tenant })
	most, found := has.Most(has[tenant] + 1)
	if !found {
		most = tenant
	}
	return p.oldest(func(k *set) bool { return k.tenant == most })
}

// oldest is the key of the set, among some, that was not called for longest; there is one.
func (p *pool) oldest(among func(*set) bool) string {
	oldest, last := "", int64(math.MaxInt64)
	for key, k := range p.sets {
		if at := k.last.Load(); at < last && among(k) {
			oldest, last = key, at
		}
	}
	return oldest
}

func (p *pool) forget(key string) {
	p.sets[key].close()
	delete(p.sets, key)
}

// put gives an instance back that was reset, or closes it when it may not wait.
func (p *pool) put(i *instance) {
	limits := &p.c.r.opts
	i.since, i.trimmed = time.Now(), false
	i.bytes = i.leastBytes() + int64(i.memory.Private())
	if p.bytes.Load()+i.bytes > p.room() {
		i.close()
		return
	}
	p.waits(i) // before others can have it
	if !i.set.push(i) {
		p.leaves(i)
		i.close()
		return
	}
	p.c.r.idleSoon()
	for p.c.r.idleBytes.Load() > limits.MaxIdleBytes && p.c.r.dropIdle() {
	}
}

// leastBytes is what the instance takes as long as it waits, when it is trimmed.
func (i *instance) leastBytes() int64 {
	return idleBytes + int64(i.shared.size()) + i.ownImage + max(0, i.stackBytes()-smallStacks) + i.c.hostBytes()
}

// room is how much memory the instances of the module may take that wait: half of that
// of all modules, so that the others find room.
func (p *pool) room() int64 { return p.c.r.opts.MaxIdleBytes / 2 }

// idleBytes is about what an instance takes besides its memory, with call stacks of
// smallStacks bytes.
const (
	idleBytes   = 64 << 10
	smallStacks = 40 << 10
)

// waits and leaves count an instance that begins to wait and one that is taken off.
func (p *pool) waits(i *instance) {
	p.count(i.bytes)
	p.c.r.idleMemory.Add(int64(i.memory.Size() + i.shared.size()))
}

func (p *pool) leaves(i *instance) {
	p.count(-i.bytes)
	p.c.r.idleMemory.Add(-int64(i.memory.Size() + i.shared.size()))
}

func (p *pool) count(bytes int64) {
	p.bytes.Add(bytes)
	p.c.r.idleBytes.Add(bytes)
}

// close closes all instances that wait.
func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key := range p.sets {
		p.forget(key)
	}
}
