package pool

import (
	"time"

	"github.com/wasmtool/wasmtool/runtime/internal/guestmem"
)

// Usage is what a Group or a Pool counts, in bytes.
type Usage struct {
	// Memory is that of all instances, and Waiting what those take that wait.
	Memory, Waiting int64
	// WaitingMemory is what of Memory is that of instances that wait; a Pool does not tell.
	WaitingMemory int64
}

// Usage returns what is counted for all pools together.
func (g *Group) Usage() Usage {
	return Usage{g.memoryInUse.Load(), g.idleBytes.Load(), g.idleMemory.Load()}
}

// Usage returns what is counted for the pool.
func (p *Pool) Usage() Usage { return Usage{Memory: p.memoryInUse.Load(), Waiting: p.bytes.Load()} }

// Pause leaves instances that wait as they are, until somebody calls Tend.
func (g *Group) Pause() { g.tending.Store(true) }

// Tended reports whether somebody looks after the instances that wait.
func (g *Group) Tended() bool { return g.tending.Load() }

// Starts are the turns of instances that start large: who puts a value in has one.
func (g *Group) Starts() chan struct{} { return g.starting }

// KindState is what a Pool has of one kind of instances.
type KindState struct {
	// Image is the size in bytes of the image that instances share.
	Image int64
	// Again says that there was more than one call, Refused that instances of the kind are
	// not to be saved, and ColdOnly that they are not warmed up.
	Again, Refused, ColdOnly bool

	Waiting []WaitingInstance
}

// WaitingInstance is an instance that waits for a call.
type WaitingInstance struct {
	Since           time.Time
	Bytes, OwnImage int64
	Trimmed         bool
	Memory          *guestmem.Memory
	// Size is that of the Memory in bytes; it may be freed after that.
	Size uint64
}

// Kinds returns the kinds of the pool. What waits may be called meanwhile.
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
