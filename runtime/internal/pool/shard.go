package pool

import (
	"slices"
	"sync"
	"time"
)

// shard is a part of the waiting instances, so that callers seldom meet.
type shard struct {
	mu   sync.Mutex
	idle []*Instance // the one used last is last
	dead bool
	_    [64]byte // shards lie in cache lines of their own
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

// pushOldest puts instances back that were taken off the front.
func (h *shard) pushOldest(all []*Instance) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.dead {
		h.idle = slices.Insert(h.idle, 0, all...)
	}
	return !h.dead
}

// removeIf takes off those that waited for longest and that drop wants off.
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

// oldest is since when the first instance has waited.
func (h *shard) oldest() (time.Time, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.idle) == 0 {
		return time.Time{}, false
	}
	return h.idle[0].since, true
}
