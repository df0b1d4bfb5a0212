package runtime

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wasmtool/wasmtool/runtime/internal/guestmem"
)

// maxSets bounds the kinds of instances that are kept of one module. One more takes the
// place of that which was not called for longest.
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

// set is the instances of one kind: those that saw the same while they started.
type set struct {
	pool *pool
	// last is when the set was last asked for, in nanoseconds of Unix time.
	last atomic.Int64
	// calls counts them up to two: a kind that comes a second time is worth saving.
	calls atomic.Int32
	// refused says that its instances cannot be saved, and coldOnly that the warm-up
	// fails.
	refused, coldOnly atomic.Bool

	shards []shard

	mu    sync.Mutex
	image *guestmem.Image // what instances share when they are equal; nil before
	dead  bool
}

// shard is a part of the waiting instances, so that callers seldom meet.
type shard struct {
	mu   sync.Mutex
	idle []*instance // the one used last is last
	dead bool
	_    [64]byte // shards lie in cache lines of their own
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
	k := p.find(s.appendKey(buf[:0]), s.started)
	if k.calls.Load() < 2 {
		k.calls.Add(1)
	}
	start := rand.IntN(len(k.shards))
	for n := range k.shards {
		if i := k.shards[(start+n)%len(k.shards)].pop(); i != nil {
			p.count(-i.bytes)
			return i, k
		}
	}
	return nil, k
}

// find returns the set for a key.
func (p *pool) find(key []byte, now time.Time) *set {
	p.mu.RLock()
	k := p.sets[string(key)]
	p.mu.RUnlock()
	if k == nil {
		k = p.add(string(key))
	}
	k.last.Store(now.UnixNano())
	return k
}

func (p *pool) add(key string) *set {
	p.mu.Lock()
	defer p.mu.Unlock()
	if k := p.sets[key]; k != nil {
		return k
	}
	if len(p.sets) >= maxSets {
		p.forget(p.oldest())
	}
	k := &set{pool: p, shards: make([]shard, min(16, goruntime.GOMAXPROCS(0)))}
	p.sets[key] = k
	return k
}

// oldest is the key of the set that was not called for longest; there is one.
func (p *pool) oldest() string {
	oldest, last := "", int64(math.MaxInt64)
	for key, k := range p.sets {
		if at := k.last.Load(); at < last {
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
	i.bytes = idleBytes + i.ownImage + int64(i.memory.Private())
	if p.bytes.Load()+i.bytes > p.room() {
		i.close()
		return
	}
	p.count(i.bytes) // before others can have it
	if !i.set.push(i) {
		p.count(-i.bytes)
		i.close()
		return
	}
	p.c.r.idleSoon()
	for p.c.r.idleBytes.Load() > limits.MaxIdleBytes && p.c.r.dropIdle() {
	}
}

// room is how much memory the instances of the module may take that wait: half of that
// of all modules, so that the others find room.
func (p *pool) room() int64 { return p.c.r.opts.MaxIdleBytes / 2 }

// idleBytes is about what an instance takes besides its memory.
const idleBytes = 64 << 10

func (p *pool) count(bytes int64) {
	p.bytes.Add(bytes)
	p.c.r.idleBytes.Add(bytes)
}

// push makes an instance wait, unless the set is no longer used.
func (k *set) push(i *instance) bool {
	return k.shards[rand.IntN(len(k.shards))].push(i)
}

func (h *shard) push(i *instance) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.dead {
		h.idle = append(h.idle, i)
	}
	return !h.dead
}

func (h *shard) pop() *instance {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.idle) == 0 {
		return nil
	}
	last := len(h.idle) - 1
	i := h.idle[last]
	h.idle[last] = nil
	h.idle = h.idle[:last]
	return i
}

// pushOldest puts instances back that were taken off the front.
func (h *shard) pushOldest(all []*instance) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.dead {
		h.idle = slices.Insert(h.idle, 0, all...)
	}
	return !h.dead
}

// removeIf takes off those that waited for longest and that drop wants off.
func (h *shard) removeIf(drop func(*instance) bool) (removed []*instance) {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for n < len(h.idle) && drop(h.idle[n]) {
		n++
	}
	removed = slices.Clone(h.idle[:n])
	h.idle = slices.Delete(h.idle, 0, n)
	return removed
}

// wants reports whether an instance of the set shall be saved.
func (k *set) wants() bool { return k.calls.Load() >= 2 && !k.refused.Load() }

// refuse notes that instances of the set cannot be saved.
func (k *set) refuse() { k.refused.Store(true) }

// sharedImage returns the image that instances share, nil before there is one. The
// caller holds it.
func (k *set) sharedImage() *guestmem.Image {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.image != nil {
		k.image.Retain()
	}
	return k.image
}

// share offers an image to instances that come later, and takes over the caller's hold.
// It reports false when there is one already, or no room: then the image is the
// caller's alone.
func (k *set) share(image *guestmem.Image) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	size := int64(image.Used())
	if k.dead || k.image != nil || k.pool.bytes.Load()+size > k.pool.room() {
		image.Release()
		return false
	}
	k.image = image
	k.pool.count(size)
	return true
}

// close closes the instances that wait, and those of the set that come back.
func (k *set) close() {
	for n := range k.shards {
		h := &k.shards[n]
		h.mu.Lock()
		h.dead = true
		h.mu.Unlock()
		k.drop(h.removeIf(func(*instance) bool { return true }))
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.dead = true
	if k.image != nil {
		k.pool.count(-int64(k.image.Used()))
		k.image.Release()
		k.image = nil
	}
}

// drop closes instances that were taken off.
func (k *set) drop(all []*instance) {
	for _, i := range all {
		k.pool.count(-i.bytes)
		i.close()
	}
}

// close closes all instances that wait.
func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key := range p.sets {
		p.forget(key)
	}
}

// appendKey appends what start-up of the guest could see of its call. Calls of equal
// keys may be served by one instance.
func (s *callState) appendKey(b []byte) []byte {
	text := func(t string) {
		b = binary.AppendUvarint(b, uint64(len(t)))
		b = append(b, t...)
	}
	call, bindings := &s.call, s.call.Bindings
	flags := byte(0)
	if bindings.FixedClock() {
		flags |= 1
	}
	if bindings.FixedRandom() {
		flags |= 2
	}
	b = append(b, flags)
	text(string(call.Entry.ABI))
	text(call.Entry.Export)
	text(call.Name)
	b = binary.AppendUvarint(b, s.limits.Memory)
	b = binary.AppendUvarint(b, uint64(len(call.Args)))
	for _, arg := range call.Args {
		text(arg)
	}
	b = binary.AppendUvarint(b, uint64(len(bindings.Env)))
	for _, name := range sortedKeys(bindings.Env) {
		text(name)
		text(bindings.Env[name])
	}
	for _, m := range bindings.Mounts {
		text(m.Mount)
		text(m.GuestPath())
	}
	text(string(call.Warm))
	return b
}
