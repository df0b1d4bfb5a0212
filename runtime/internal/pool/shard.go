package pool

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// affinity chooses the shards of calls. A call usually gets the shard of the last call on the same
// processor, whose cache still has the memory of the instance that waits there. The zero value is
// ready to use. It is safe for concurrent use.
type affinity struct {
	hints sync.Pool // of *uint32; a sync.Pool keeps a list for each processor
	next  atomic.Uint32
}

// shard returns the index of one of n shards.
func (a *affinity) shard(n int) int {
	hint, _ := a.hints.Get().(*uint32)
	if hint == nil {
		hint = new(a.next.Add(1))
	}
	defer a.hints.Put(hint)
	return int(*hint % uint32(n))
}

// shard is a part of the waiting instances of a kind. Several shards reduce contention between
// calls.
type shard struct {
	mu   sync.Mutex
	idle []*Instance // the most recently used is last
	dead bool
	_    [64]byte // keeps shards in separate cache lines
}

func (h *shard) push(i *Instance) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.dead {
		h.idle = append(h.idle, i)
	}
	return !h.dead
}

func (h *shard) pop() *Instance {
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

// pushOldest puts instances back at the front, from where they were removed.
func (h *shard) pushOldest(all []*Instance) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.dead {
		h.idle = slices.Insert(h.idle, 0, all...)
	}
	return !h.dead
}

// removeIf removes instances from the front, the longest waiting first, while drop returns true.
func (h *shard) removeIf(drop func(*Instance) bool) (removed []*Instance) {
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

// oldest returns when the longest waiting instance began to wait.
func (h *shard) oldest() (time.Time, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.idle) == 0 {
		return time.Time{}, false
	}
	return h.idle[0].since, true
}
