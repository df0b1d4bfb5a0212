package runtime

import (
	"cmp"
	"slices"
	"time"
)

// What happens to an instance that waits: after trimAfter it gives back the memory that
// it wrote, after closeAfter it goes.
const (
	trimAfter  = 5 * time.Second
	closeAfter = time.Minute
)

// idleSoon makes sure that somebody looks after the instances that wait.
func (r *Runtime) idleSoon() {
	if r.tending.CompareAndSwap(false, true) {
		r.tender.Store(time.AfterFunc(trimAfter, r.tendIdle))
	}
}

// tendIdle trims and closes instances that have waited for long. It comes again for as
// long as there are any.
func (r *Runtime) tendIdle() {
	now := time.Now()
	for _, c := range r.all() {
		c.pool.tend(now)
	}
	r.tending.Store(false)
	if r.idleBytes.Load() > 0 && r.closing.Err() == nil {
		r.idleSoon()
	}
}

// tend looks after the instances of a module.
func (p *pool) tend(now time.Time) {
	p.mu.RLock() // the module is not freed meanwhile
	for _, k := range p.sets {
		k.tend(now)
	}
	p.mu.RUnlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, k := range p.sets {
		if now.Sub(time.Unix(0, k.last.Load())) >= closeAfter {
			p.forget(key)
		}
	}
}

func (k *set) tend(now time.Time) {
	for n := range k.shards {
		h := &k.shards[n]
		k.drop(h.removeIf(func(i *instance) bool { return now.Sub(i.since) >= closeAfter }))
		k.trim(h, now)
	}
}

// trim trims those that waited long enough. They are taken off meanwhile: giving pages
// back takes a while.
func (k *set) trim(h *shard, now time.Time) {
	resting := h.removeIf(func(i *instance) bool { return now.Sub(i.since) >= trimAfter })
	kept := resting[:0]
	for _, i := range resting {
		if !k.trimOne(i) {
			k.drop([]*instance{i})
			continue
		}
		kept = append(kept, i)
	}
	if !h.pushOldest(kept) {
		k.drop(kept)
	}
}

func (k *set) trimOne(i *instance) bool {
	if i.trimmed {
		return true
	}
	i.trimmed = true
	if i.memory.Trim() != nil {
		return false
	}
	k.pool.count(i.leastBytes() - i.bytes)
	i.bytes = i.leastBytes()
	return true
}

// dropIdle makes room among what waits: it closes an instance, or else drops images that
// nobody uses. It reports whether there was any.
func (r *Runtime) dropIdle() bool {
	return r.dropInstance() || slices.ContainsFunc(r.greediest(), func(c *compiled) bool { return c.pool.forgetOldest() })
}

// dropInstance closes the instance that has waited for longest in the module whose
// instances take most. It reports whether there was one.
func (r *Runtime) dropInstance() bool {
	return slices.ContainsFunc(r.greediest(), func(c *compiled) bool { return c.pool.dropOldest() })
}

// greediest returns the modules, those first whose instances that wait take most.
func (r *Runtime) greediest() []*compiled {
	all := r.all()
	slices.SortFunc(all, func(a, b *compiled) int { return cmp.Compare(b.pool.bytes.Load(), a.pool.bytes.Load()) })
	return all
}

func (p *pool) dropOldest() bool {
	p.mu.RLock() // held until the instance is closed: its module is not freed before
	defer p.mu.RUnlock()
	var from *shard
	var of *set
	var since time.Time
	for _, k := range p.sets {
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
	first := true
	of.drop(from.removeIf(func(*instance) bool {
		was := first
		first = false
		return was
	}))
	return true
}

// forgetOldest drops the set that was not called for longest, for its image.
func (p *pool) forgetOldest() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.sets) == 0 {
		return false
	}
	p.forget(p.oldest(func(*set) bool { return true }))
	return true
}

// all returns the modules that are loaded.
func (r *Runtime) all() []*compiled {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]*compiled, 0, len(r.loaded))
	for _, c := range r.loaded {
		list = append(list, c)
	}
	return list
}

// hostBytes is what an instance of the module takes on the host besides its memory, as far
// as it is more than what each takes.
func (c *compiled) hostBytes() int64 { return max(0, int64(c.report.HostBytes)-idleBytes/2) }

// account is that of Runtime for guests of the module, of which one module gets a share:
// half where all may have several times what a call may, so that others find some.
func (c *compiled) account(delta int64) bool {
	most := c.r.opts.MaxTotalMemory
	if most >= 4*c.r.opts.MaxMemory {
		most /= 2
	}
	for own := c.memoryInUse.Add(delta); delta > 0 && uint64(own) > most; own = c.memoryInUse.Add(delta) {
		c.memoryInUse.Add(-delta)
		if !c.pool.dropOldest() {
			return false
		}
	}
	if c.r.account(delta) {
		return true
	}
	c.memoryInUse.Add(-delta)
	return false
}

// account counts memory that guests take or give back, and refuses what is more than
// all may have together. Instances that wait make room first, if that is of use.
func (r *Runtime) account(delta int64) bool {
	for {
		total := r.memoryInUse.Add(delta)
		if delta <= 0 || uint64(total) <= r.opts.MaxTotalMemory {
			return true
		}
		r.memoryInUse.Add(-delta)
		fits := uint64(total-r.idleMemory.Load()) <= r.opts.MaxTotalMemory
		if !fits || !r.dropInstance() {
			return false
		}
	}
}
