package pool

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wasmtool/wasmtool/runtime/internal/guestmem"
)

// kind is the instances that saw the same while they started.
type kind struct {
	pool *Pool
	// tenant is the one whose call was the first of the kind.
	tenant string
	// last is when the kind was last asked for, in nanoseconds of Unix time.
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

// push makes an instance wait, unless the kind is no longer used.
func (k *kind) push(i *Instance) bool {
	return k.shards[rand.IntN(len(k.shards))].push(i)
}

// wants reports whether an instance of the kind shall be saved.
func (k *kind) wants() bool { return k.calls.Load() >= 2 && !k.refused.Load() }

// refuse notes that instances of the kind cannot be saved.
func (k *kind) refuse() { k.refused.Store(true) }

// sharedImage returns the image that instances share, nil before there is one. The
// caller holds it.
func (k *kind) sharedImage() *guestmem.Image {
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
func (k *kind) share(image *guestmem.Image) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	size := int64(image.Size()) // zeroes take nothing until somebody reads them
	if k.dead || k.image != nil || k.pool.bytes.Load()+size > k.pool.room() {
		image.Release()
		return false
	}
	k.image = image
	k.pool.count(size)
	return true
}

// close closes the instances that wait, and those of the kind that come back.
func (k *kind) close() {
	for n := range k.shards {
		h := &k.shards[n]
		h.mu.Lock()
		h.dead = true
		h.mu.Unlock()
		k.drop(h.removeIf(func(*Instance) bool { return true }))
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.dead = true
	if k.image != nil {
		k.pool.count(-int64(k.image.Size()))
		k.image.Release()
		k.image = nil
	}
}

// drop closes instances that were taken off.
func (k *kind) drop(all []*Instance) {
	for _, i := range all {
		k.pool.leaves(i)
		i.close()
	}
}

// tend trims and closes instances that have waited for long.
func (k *kind) tend(now time.Time) {
	for n := range k.shards {
		h := &k.shards[n]
		k.drop(h.removeIf(func(i *Instance) bool { return now.Sub(i.since) >= CloseAfter }))
		k.trim(h, now)
	}
}

// trim trims those that waited long enough. They are taken off meanwhile: giving pages
// back takes a while.
func (k *kind) trim(h *shard, now time.Time) {
	resting := h.removeIf(func(i *Instance) bool { return now.Sub(i.since) >= TrimAfter })
	kept := resting[:0]
	for _, i := range resting {
		if !k.trimOne(i) {
			k.drop([]*Instance{i})
			continue
		}
		kept = append(kept, i)
	}
	if !h.pushOldest(kept) {
		k.drop(kept)
	}
}

func (k *kind) trimOne(i *Instance) bool {
	if i.trimmed {
		return true
	}
	i.trimmed = true
	if i.guest.Memory.Trim() != nil {
		return false
	}
	k.pool.count(i.leastBytes() - i.bytes)
	i.bytes = i.leastBytes()
	return true
}
