package pool

import (
	"time"

	"github.com/wasmtool/wasmtool/runtime/internal/guestmem"
)

// Usage is the memory that a Group or Pool counts, in bytes.
type Usage struct {
	// Memory is the memory of all instances. Waiting is the memory of waiting instances and images.
	Memory, Waiting int64
	// WaitingMemory is the part of Memory that belongs to waiting instances; a Pool leaves it 0.
	WaitingMemory int64
}

// Usage returns the memory of all pools together.
func (g *Group) Usage() Usage {
	return Usage{g.memoryInUse.Load(), g.idleBytes.Load(), g.idleMemory.Load()}
}

// Usage returns the memory of the pool.
func (p *Pool) Usage() Usage { return Usage{Memory: p.memoryInUse.Load(), Waiting: p.bytes.Load()} }

// Pause leaves waiting instances unchanged until Tend is called.
func (g *Group) Pause() { g.tending.Store(true) }

// Tended reports whether the timer for Tend is running.
func (g *Group) Tended() bool { return g.tending.Load() }

// Starts returns the semaphore for instances with a large initial memory: send to acquire it.
func (g *Group) Starts() chan struct{} { return g.starting }

// KindState describes one kind of instances in a Pool.
type KindState struct {
	// Image is the size in bytes of the image that instances share.
	Image int64
	// Again reports whether there was more than one call. Refused reports whether instances of the
	// kind cannot be saved. ColdOnly reports whether instances of the kind are not warmed up.
	Again, Refused, ColdOnly bool

	Waiting []WaitingInstance
}

// WaitingInstance is an instance that waits for a call.
type WaitingInstance struct {
	Since           time.Time
	Bytes, OwnImage int64
	Trimmed         bool
	Memory          *guestmem.Memory
	// Size is the size of Memory in bytes when Kinds was called; Memory may be freed later.
	Size uint64
}

// Kinds returns the kinds of the pool. Calls may use the waiting instances at the same time.
func (p *Pool) Kinds() (all []KindState) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	for _, k := range p.kinds {
		state := KindState{Again: k.calls.Load() >= 2, Refused: k.refused.Load(), ColdOnly: k.coldOnly.Load()}
		k.mu.Lock()
		if k.image != nil {
			state.Image = int64(k.image.Size())
		}
		k.mu.Unlock()
		for n := range k.shards {
			h := &k.shards[n]
			h.mu.Lock()
			for _, i := range h.idle {
				state.Waiting = append(state.Waiting, WaitingInstance{i.since, i.bytes, i.ownImage, i.trimmed, i.guest.Memory, uint64(i.guest.Memory.Size())})
			}
			h.mu.Unlock()
		}
		all = append(all, state)
	}
	return all
}
